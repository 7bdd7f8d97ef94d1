package rewrite

import (
	"slices"
	"strings"
)

// emitter writes the rewritten module from the parsed one and its rewritten code.
type emitter struct {
	s    *source
	code *codeWriter
	out  []byte
}

// closureEnv returns the type of the trampoline's second parameter.
func (e *emitter) closureEnv() valueType {
	if e.s.wide() {
		return typeI64
	}
	return typeI32
}

// Types appended to the original ones, in order.
const (
	addedCheck   = iota // () -> ()
	addedGrow           // (i32, i32) -> i32
	addedBulk           // (i32) -> ()
	addedHuge           // (i64) -> ()
	addedCharge         // (i64) -> i64
	addedEnv            // (I) -> ()
	addedClosure        // (i32, I) -> ()
	addedProbe          // (i32, i64) -> ()
	addedTypes
)

func (e *emitter) emit() []byte {
	s := e.s
	e.out = make([]byte, 0, len(s.elemOut)+4096) // codeSection allocates the space for the code
	e.out = append(e.out, "\x00asm\x01\x00\x00\x00"...)
	e.typeSection()
	e.importSection()
	e.functionSection()
	e.tableSection()
	e.memorySection()
	e.globalSection()
	e.exportSection()
	if s.options.Conformance && s.start >= 0 {
		e.out = appendSection(e.out, sectionStart, appendU32(nil, s.shifted(uint32(s.start))))
	}
	if len(s.elemOut) > 0 {
		e.out = appendSection(e.out, sectionElement, s.elemOut)
	}
	if s.dataCount >= 0 {
		e.out = appendSection(e.out, sectionDataCount, appendU32(nil, uint32(s.dataCount)))
	}
	e.codeSection()
	e.dataSection()
	return e.out
}

func appendTypes(out []byte, types string) []byte {
	out = appendU32(out, uint32(len(types)))
	for i := range len(types) {
		out = append(out, valueType(types[i]).encoded())
	}
	return out
}

func (e *emitter) typeSection() {
	s := e.s
	env := string(e.closureEnv())
	content := appendU32(nil, uint32(len(s.types)+addedTypes+len(e.code.added)))
	add := func(t funcType) { content = appendTypes(appendTypes(append(content, 0x60), t.params), t.results) }
	for _, t := range s.types {
		add(t)
	}
	for _, t := range [addedTypes]funcType{
		addedCheck: {}, addedGrow: {"ii", "i"}, addedBulk: {"i", ""}, addedHuge: {"I", ""}, addedCharge: {"I", "I"}, addedEnv: {env, ""}, addedClosure: {"i" + env, ""},
		addedProbe: {"iI", ""},
	} {
		add(t)
	}
	for _, f := range e.code.added {
		add(f.signature())
	}
	e.out = appendSection(e.out, sectionType, content)
}

func (e *emitter) addedType(which int) uint32 { return uint32(len(e.s.types) + which) }

func (e *emitter) importSection() {
	s := e.s
	content := appendU32(nil, uint32(len(s.imports))+s.injected())
	for _, item := range s.imports {
		module := item.module
		if !s.options.Conformance && s.wide() {
			module = WideSystemModule
		}
		content = append(appendName(appendName(content, module), item.name), item.kind)
		switch item.kind {
		case kindFunction:
			content = appendU32(content, item.index)
		case kindTable:
			content = appendTable(content, s.tables[item.index])
		case kindMemory:
			content = appendLimits(content, lowerMemory(s.memories[item.index]))
		case kindGlobal:
			content = appendGlobalType(content, s.globals[item.index])
		}
	}
	inject := func(name string, which int) {
		content = append(appendName(appendName(content, ModuleName), name), kindFunction)
		content = appendU32(content, e.addedType(which))
	}
	inject(OutOfInstructions, addedCheck)
	inject(GrowCheck, addedGrow)
	inject(BulkCheck, addedBulk)
	inject(HugeCharge, addedHuge)
	if s.options.Probes {
		inject(ProbeEnter, addedProbe)
		inject(ProbeLeave, addedHuge)
		inject(ProbeWithdraw, addedCheck)
	}
	e.out = appendSection(e.out, sectionImport, content)
}

func (e *emitter) functionSection() {
	s := e.s
	local := s.functions[s.importedFunctions:]
	content := appendU32(nil, uint32(len(local))+e.added())
	for _, t := range local {
		content = appendU32(content, t)
	}
	content = appendU32(content, e.addedType(addedCharge))
	if e.s.trampoline() {
		content = appendU32(content, e.addedType(addedClosure))
	}
	for i := range e.code.added {
		content = appendU32(content, e.addedType(addedTypes+i))
	}
	e.out = appendSection(e.out, sectionFunction, content)
}

// added counts the functions appended to the original ones.
func (e *emitter) added() uint32 { return e.s.helpers() + uint32(len(e.code.added)) }

// trampoline reports whether there is a table of functions to call through.
func (s *source) trampoline() bool { return len(s.tables) > 0 && s.tables[0].elem == typeFunc }

// helpers counts the functions that follow the original ones in every module of its kind. The functions that bodies
// needed come after them.
func (s *source) helpers() uint32 {
	if s.trampoline() {
		return 2
	}
	return 1
}

// lowerMemory returns the 32-bit limits of a memory.
func lowerMemory(l limits) limits {
	if !l.wide {
		return l
	}
	low := limits{min: min(l.min, wideMaxPages), max: wideMaxPages, hasMax: true}
	if l.hasMax {
		low.max = min(l.max, wideMaxPages)
	}
	return low
}

// lowerTable returns the 32-bit limits of a table.
func lowerTable(l limits) limits {
	if l.wide {
		l.wide = false
		l.max = min(l.max, 0xffffffff)
	}
	return l
}

func appendLimits(out []byte, l limits) []byte {
	if !l.hasMax {
		return appendU64(append(out, 0), l.min)
	}
	return appendU64(appendU64(append(out, 1), l.min), l.max)
}

func appendTable(out []byte, t table) []byte {
	return appendLimits(append(out, t.elem.encoded()), lowerTable(t.limits))
}

func appendGlobalType(out []byte, g global) []byte {
	mutable := byte(0)
	if g.mutable {
		mutable = 1
	}
	return append(out, g.value.encoded(), mutable)
}

func (e *emitter) tableSection() {
	local := e.s.tables[e.s.importedTables:]
	if len(local) == 0 {
		return
	}
	content := appendU32(nil, uint32(len(local)))
	for _, t := range local {
		content = appendTable(content, t)
	}
	e.out = appendSection(e.out, sectionTable, content)
}

func (e *emitter) memorySection() {
	local := e.s.memories[e.s.importedMemories:]
	if len(local) == 0 {
		return
	}
	e.out = appendSection(e.out, sectionMemory, appendLimits([]byte{1}, lowerMemory(local[0])))
}

func (e *emitter) globalSection() {
	local := e.s.globals[e.s.importedGlobals:]
	marks := e.code.coverage.globals() // 0 without Options.Coverage
	content := appendU32(nil, uint32(len(local)+1+marks))
	for _, g := range local {
		content = append(appendGlobalType(content, g), g.init...)
	}
	content = append(appendGlobalType(content, global{value: typeI64, mutable: true}), opI64Const)
	content = append(appendSigned(content, emptyStack), opEnd)
	for range marks {
		content = append(appendGlobalType(content, global{value: typeI64, mutable: true}), opI64Const, 0, opEnd)
	}
	e.out = appendSection(e.out, sectionGlobal, content)
}

func globalExport(i int) string { return globalPrefix + decimal(uint64(i)) }

func (e *emitter) exportSection() {
	s := e.s
	count := uint32(0)
	var items []byte
	add := func(name string, kind byte, index uint32) {
		items = appendU32(append(appendName(items, name), kind), index)
		count++
	}
	for _, x := range s.exports {
		if strings.HasPrefix(x.name, ownPrefix) {
			continue
		}
		if x.kind == kindFunction {
			x.index = s.shifted(x.index)
		}
		add(x.name, x.kind, x.index)
	}
	for i, g := range s.globals {
		if g.mutable {
			add(globalExport(i), kindGlobal, uint32(i))
		}
	}
	add(CounterGlobal, kindGlobal, e.code.counter)
	if s.options.Coverage {
		for i := range e.code.coverage.globals() {
			add(RanGlobal(i), kindGlobal, e.code.coverage.firstGlobal+uint32(i))
		}
		add(CountRan, kindFunction, e.code.countRan)
	}
	if len(s.memories) > 0 {
		add(ExportedMemory, kindMemory, 0)
	}
	if e.s.trampoline() {
		add(ExportedTable, kindTable, 0)
		add(CallClosure, kindFunction, e.code.chargeFunction+1)
	}
	if s.start >= 0 && !s.options.Conformance {
		add(StartFunction, kindFunction, s.shifted(uint32(s.start)))
	}
	e.out = appendSection(e.out, sectionExport, append(appendU32(nil, count), items...))
}

func (e *emitter) codeSection() {
	helpers := appendCode(nil, e.code.chargeBody())
	if e.s.trampoline() {
		helpers = appendCode(helpers, e.closureBody())
	}
	for _, f := range e.code.added {
		helpers = appendCode(helpers, f.body(e.code))
	}
	count := appendU32(nil, uint32(e.s.bodyCount)+e.added())
	size := len(count) + e.code.size() + len(helpers)
	e.out = slices.Grow(e.out, size+4096)
	e.out = append(e.out, sectionCode)
	e.out = appendU32(e.out, uint32(size))
	e.out = append(e.code.appendBodies(append(e.out, count...)), helpers...)
	e.code.locate(len(count))
}

func appendCode(out, code []byte) []byte {
	return append(appendU32(out, uint32(len(code))), code...)
}

// closureBody returns the function (fn i32, env I) that calls entry fn of the first table.
func (e *emitter) closureBody() []byte {
	out := []byte{0, opLocalGet, 1, opLocalGet, 0, opCallIndirect}
	return append(appendU32(out, e.addedType(addedEnv)), 0, opEnd)
}

// dataSection keeps the indices of data segments: an active one that was taken out becomes an empty passive one, as it
// would be after instantiation.
func (e *emitter) dataSection() {
	s := e.s
	keep := s.options.Conformance || s.dataCount >= 0
	for _, d := range s.data {
		keep = keep || !d.active
	}
	if !keep || (len(s.data) == 0 && s.dataCount < 0) {
		return
	}
	content := appendU32(nil, uint32(len(s.data)))
	for _, d := range s.data {
		switch {
		case !d.active:
			content = append(appendU32(append(content, 1), uint32(len(d.bytes))), d.bytes...)
		case s.options.Conformance:
			content = s.lowerData(content, d)
		default:
			content = append(content, 1, 0)
		}
	}
	e.out = appendSection(e.out, sectionData, content)
}

func (s *source) lowerData(out []byte, d dataSegment) []byte {
	out = append(out, 0)
	if d.offset.opcode == opGlobalGet {
		out = append(appendU32(append(out, opGlobalGet), d.offset.index), opEnd)
	} else {
		out = s.lowerOffset(out, d.offset)
	}
	return append(appendU32(out, uint32(len(d.bytes))), d.bytes...)
}
