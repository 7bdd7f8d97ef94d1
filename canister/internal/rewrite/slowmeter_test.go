package rewrite

import (
	"context"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The slow meter is a second reading of the rules: it decodes a body into a list of operators, computes the list of
// points as the specification words it, sorts it, and inserts calls to the host. It knows modules whose first two
// imports are points.charge (cost i64, check i32) and points.size (i32) -> i32, or points.size64 (i64) -> i64 over a
// 64-bit memory.

type slowOp struct {
	code     byte
	sub      uint32
	from, to int
}

type slowPoint struct {
	at      int
	cost    uint64
	check   bool
	dynamic bool
}

func decodeOps(r *reader) []slowOp {
	var ops []slowOp
	for !r.done() && r.err == nil {
		o := slowOp{code: r.byte(), from: r.pos - 1}
		switch {
		case o.code == opBlock || o.code == opLoop || o.code == opIf:
			r.signed(33)
		case o.code == opBr || o.code == opBrIf || o.code == opCall || o.code >= opLocalGet && o.code <= opTableSet || o.code == opRefFunc || o.code == opReturnCall:
			r.u32()
		case o.code == opBrTable:
			for n := r.u32() + 1; n > 0; n-- {
				r.u32()
			}
		case o.code == opCallIndirect:
			r.u32()
			r.u32()
		case o.code >= 0x28 && o.code <= 0x3e:
			r.u32()
			r.u64()
		case o.code == opMemorySize || o.code == opMemoryGrow:
			r.byte()
		case o.code == opI32Const:
			r.signed(32)
		case o.code == opI64Const:
			r.signed(64)
		case o.code == opMisc:
			o.sub = r.u32()
			switch o.sub {
			case miscMemoryCopy, miscMemoryInit:
				r.u32()
				r.byte()
			case miscMemoryFill:
				r.byte()
			}
		}
		o.to = r.pos
		ops = append(ops, o)
	}
	return ops
}

// slowCost is the cost table of the operators the generated programs use.
func slowCost(o slowOp, wide bool) uint64 {
	switch o.code {
	case opBlock, opLoop, opElse, opEnd:
		return 0
	case opIf, opBr, opBrIf, opBrTable, opGlobalGet, opGlobalSet:
		return 2
	case opCall:
		return 5
	case opCallIndirect:
		return 10
	case opMemoryGrow:
		return 300
	case opMemorySize:
		return 20
	case opMisc:
		return 100
	case 0x6d, 0x6e, 0x6f, 0x70, 0x7f, 0x80, 0x81, 0x82:
		return 10
	}
	if wide && o.code >= 0x28 && o.code <= 0x3e {
		return 2
	}
	return 1
}

func slowPoints(ops []slowOp, wide bool) []slowPoint {
	var points []slowPoint
	cur := slowPoint{cost: 1, check: true}
	for p, o := range ops {
		cur.cost += slowCost(o, wide)
		next := slowPoint{at: p + 1}
		switch o.code {
		case opLoop:
			next.check = true
		case opIf, opElse, opBr, opBrIf, opBrTable, opEnd, opReturn, opUnreachable:
		case opMisc:
			points = append(points, slowPoint{at: p, dynamic: true})
			continue
		default:
			continue
		}
		points = append(points, cur)
		cur = next
	}
	slices.SortStableFunc(points, func(a, b slowPoint) int { return a.at - b.at })
	return slices.DeleteFunc(points, func(p slowPoint) bool { return !p.dynamic && !p.check && p.cost == 0 })
}

// slowInstrument inserts the points into every body and exports nothing new.
func slowInstrument(raw []byte, wide bool) []byte {
	out := slices.Clone(raw[:8])
	for r := (&reader{data: raw, pos: 8}); !r.done(); {
		id := r.byte()
		content := r.sub(int(r.u32()))
		if id != sectionCode {
			out = appendSection(out, id, content.data[content.pos:])
			continue
		}
		n := content.u32()
		code := appendU32(nil, n)
		for range n {
			body := content.sub(int(content.u32()))
			code = appendCode(code, slowBody(&body, wide))
		}
		out = appendSection(out, id, code)
	}
	return out
}

func slowBody(r *reader, wide bool) []byte {
	from := r.pos
	for n := r.u32(); n > 0; n-- {
		r.u32()
		r.byte()
	}
	out := slices.Clone(r.data[from:r.pos])
	ops := decodeOps(r)
	points := slowPoints(ops, wide)
	for p, o := range ops {
		for len(points) > 0 && points[0].at == p {
			if points[0].dynamic {
				out = append(out, opCall, 1)
			} else {
				check := byte(0)
				if points[0].check {
					check = 1
				}
				out = appendSigned(append(out, opI64Const), int64(points[0].cost))
				out = append(out, opI32Const, check, opCall, 0)
			}
			points = points[1:]
		}
		out = append(out, r.data[o.from:o.to]...)
	}
	return out
}

// slowRun runs function f and returns its result, whether it trapped, what was charged and how often the counter was
// refilled.
func slowRun(t testing.TB, raw []byte, slice int64, args ...uint64) outcome {
	t.Helper()
	rt := engine(t)
	counter, refills := slice, 0
	check := func() {
		if counter < 0 {
			refills, counter = refills+1, slice
		}
	}
	points := rt.NewHostModuleBuilder("points")
	i32 := api.ValueTypeI32
	points.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		if counter -= int64(stack[0]); uint32(stack[1]) != 0 {
			check()
		}
	}), []api.ValueType{api.ValueTypeI64, i32}, nil).Export("charge")
	points.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		counter -= int64(uint32(stack[0]))
		check()
	}), []api.ValueType{i32}, []api.ValueType{i32}).Export("size")
	if _, err := points.Instantiate(context.Background()); err != nil {
		t.Fatal(err)
	}
	inst, err := rt.InstantiateWithConfig(context.Background(), slowInstrument(raw, false), wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		t.Fatalf("the slow meter's module: %v", err)
	}
	got, err := inst.ExportedFunction("f").Call(context.Background(), args...)
	o := outcome{trapped: err != nil, counter: counter, refills: refills}
	if err == nil {
		o.result = got[0]
	}
	o.digest = digest(inst.Memory())
	return o
}

type outcome struct {
	result  uint64
	trapped bool
	counter int64
	refills int
	digest  uint64
}

func digest(m api.Memory) uint64 {
	h := uint64(14695981039346656037)
	b, _ := m.Read(0, min(m.Size(), 1<<16))
	for _, x := range b {
		h = (h ^ uint64(x)) * 1099511628211
	}
	return h ^ uint64(m.Size())
}
