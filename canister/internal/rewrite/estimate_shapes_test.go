package rewrite

import "slices"

// bomb is a module of some functions, each with parameters, results and locals of type i32.
type bomb struct {
	globals   int
	functions []bombFunction
}

type bombFunction struct {
	params, results, locals int
	code                    []byte
}

func oneFunction(params, results, locals int, code ...[]byte) bomb {
	return bomb{functions: []bombFunction{{params, results, locals, slices.Concat(code...)}}}
}

func (m bomb) encode() []byte {
	n := uint32(len(m.functions))
	types, functions, code := appendU32(nil, n), appendU32(nil, n), appendU32(nil, n)
	for i, f := range m.functions {
		types = append(types, 0x60)
		for _, count := range []int{f.params, f.results} {
			types = append(appendU32(types, uint32(count)), slices.Repeat([]byte{0x7f}, count)...)
		}
		functions = appendU32(functions, uint32(i))
		body := append(appendU32([]byte{1}, uint32(f.locals)), 0x7f)
		code = appendCode(code, append(append(body, f.code...), opEnd))
	}
	out := appendSection([]byte("\x00asm\x01\x00\x00\x00"), sectionType, types)
	out = appendSection(out, sectionFunction, functions)
	out = appendSection(out, sectionMemory, []byte{1, 0, 1})
	globals := appendU32(nil, uint32(m.globals))
	for range m.globals {
		globals = append(globals, 0x7f, 1, opI32Const, 0, opEnd)
	}
	out = appendSection(out, sectionGlobal, globals)
	return appendSection(out, sectionCode, code)
}

func times(n int, part func(i int) []byte) (out []byte) {
	for i := range n {
		out = append(out, part(i)...)
	}
	return out
}

func always(code ...byte) func(int) []byte { return func(int) []byte { return code } }

func get(i int) []byte { return appendU32([]byte{opLocalGet}, uint32(i)) }

func assign(i int) []byte { return appendU32([]byte{opI32Const, 3, opLocalSet}, uint32(i)) }

func use(i int) []byte { return append(get(i), opDrop) }

func increment(i int) []byte {
	return append(get(i), appendU32([]byte{opI32Const, 1, 0x6a, opLocalSet}, uint32(i))...)
}

func targets(n int, label func(i int) uint32) []byte {
	out := appendU32([]byte{opLocalGet, 0, opBrTable}, uint32(n-1))
	for i := range n {
		out = appendU32(out, label(i))
	}
	return out
}

var (
	loops    = always(opLoop, blockEmpty)
	blocks   = always(opBlock, blockEmpty)
	ends     = always(opEnd)
	again    = always(opLocalGet, 0, opBrIf, 0, opEnd)
	leaveIf  = always(opLocalGet, 0, opBrIf, 0)
	emptyIf  = always(opLocalGet, 0, opIf, blockEmpty, opEnd)
	load     = []byte{0x28, 0, 0, opDrop}
	multiply = func(i int) []byte {
		return append(get(0), opI32Const, 3, 0x6c, opLocalSet, byte(i&0x7f|0x80), byte(i>>7))
	}
)

// shapes are modules whose time to compile grows faster than their size, each with a size
// for which that takes about a tenth of a second.
var shapes = map[string]struct {
	size int
	make func(n int) bomb
}{
	"nested loops that assign locals": {64, func(n int) bomb {
		return oneFunction(0, 0, n, times(n, loops), times(n, increment), times(n, again))
	}},
	"nested loops that read locals": {64, func(n int) bomb {
		return oneFunction(0, 0, n, times(n, loops), times(n, use), times(n, again))
	}},
	"loops in a row": {96, func(n int) bomb {
		return oneFunction(0, 0, n, times(n, func(int) []byte { return slices.Concat(loops(0), times(n, increment), again(0)) }))
	}},
	"five loops": {1024, func(n int) bomb {
		return oneFunction(0, 0, n, times(5, loops), times(n, increment), times(5, again))
	}},
	"uses after many branches": {1024, func(n int) bomb {
		return oneFunction(2, 0, 0, blocks(0), times(n, leaveIf), times(10*n, always(opLocalGet, 1, opDrop)), ends(0))
	}},
	"loads after many branches": {768, func(n int) bomb {
		return oneFunction(2, 0, 0, blocks(0), times(n, leaveIf), times(10*n, func(int) []byte { return append(get(1), load...) }), ends(0))
	}},
	"branches after many loads": {768, func(n int) bomb {
		return oneFunction(1, 0, 0, blocks(0), times(n, func(int) []byte { return append([]byte{opLocalGet, 0, opI32Const, 3, 0x6c}, load...) }), times(n, leaveIf), ends(0))
	}},
	"ifs in a row":   {2048, func(n int) bomb { return oneFunction(1, 0, 0, times(n, emptyIf)) }},
	"branches alone": {2048, func(n int) bomb { return oneFunction(1, 0, 0, blocks(0), times(n, leaveIf), ends(0)) }},
	"nested ifs": {2048, func(n int) bomb {
		return oneFunction(1, 0, 0, times(n, always(opLocalGet, 0, opIf, blockEmpty)), times(n, ends))
	}},
	"assignments that meet": {192, func(n int) bomb {
		return oneFunction(1, 0, n, blocks(0), times(n, func(i int) []byte { return append(assign(1+i), leaveIf(i)...) }), ends(0), times(n, func(i int) []byte { return use(1 + i) }))
	}},
	"locals across branches": {256, func(n int) bomb {
		return oneFunction(1, 0, n+1, times(n, func(i int) []byte { return multiply(i + 1) }), times(n, emptyIf), times(n, func(i int) []byte { return use(1 + i) }))
	}},
	"operands across branches": {512, func(n int) bomb {
		return oneFunction(1, 0, 0, times(n, always(opLocalGet, 0, opI32Const, 3, 0x6c)), times(n, emptyIf), times(n, always(opDrop)))
	}},
	"calls of a thousand operands": {48, func(n int) bomb {
		return bomb{functions: []bombFunction{{0, 1000, 0, times(1000, always(opI32Const, 0))}, {1000, 0, 0, nil}, {0, 0, 0, times(n, always(opCall, 0, opCall, 1))}}}
	}},
	"calls and globals": {256, func(n int) bomb {
		return bomb{globals: 999, functions: []bombFunction{{0, 0, 0, times(n, always(opCall, 0))}}}
	}},
	"a switch": {8192, func(n int) bomb {
		return oneFunction(1, 0, 0, blocks(0), targets(n, func(int) uint32 { return 0 }), ends(0))
	}},
	"a switch into blocks": {192, func(n int) bomb {
		return oneFunction(1, 0, n, times(n, blocks), targets(n, func(i int) uint32 { return uint32(i) }),
			times(n, func(i int) []byte { return append(ends(0), assign(1+i)...) }), times(n, func(i int) []byte { return use(1 + i) }))
	}},
	"a switch in a loop": {256, func(n int) bomb {
		return oneFunction(1, 0, n, loops(0), times(n, func(i int) []byte { return increment(1 + i) }), targets(n, func(int) uint32 { return 0 }), ends(0))
	}},
	"types and functions": {2048, func(n int) bomb {
		return bomb{functions: slices.Repeat([]bombFunction{{0, 0, 0, nil}}, n)}
	}},
	"float operators": {8192, func(n int) bomb {
		return oneFunction(1, 0, 0, get(0), []byte{0xb7}, times(n, always(opLocalGet, 0, 0xb7, 0xa2)), always(opDrop)(0))
	}},
	"copies": {768, func(n int) bomb {
		return oneFunction(1, 0, 0, times(n, always(opLocalGet, 0, opLocalGet, 0, opLocalGet, 0, opMisc, 10, 0, 0)))
	}},
	"straight code": {32768, func(n int) bomb {
		return oneFunction(1, 1, 0, get(0), times(n, always(opLocalGet, 0, 0x6c)))
	}},
}
