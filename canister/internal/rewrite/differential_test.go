package rewrite

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// program writes random functions that end: every loop turn and every call spends from a fuel global.
type program struct {
	rnd   *rand.Rand
	out   strings.Builder
	loops []bool // open labels, innermost last; true for a loop
	stmts int
}

const fuelCheck = "global.get 0 i32.const 1 i32.sub global.set 0 global.get 0 i32.const 0 i32.lt_s if unreachable end\n"

func (p *program) expr(depth int) {
	w := func(f string, a ...any) { fmt.Fprintf(&p.out, f+" ", a...) }
	switch k := p.rnd.IntN(14); {
	case depth <= 0 || k < 3:
		if p.rnd.IntN(2) == 0 {
			w("i32.const %d", p.rnd.IntN(70000)-1000)
		} else {
			w("local.get %d", p.rnd.IntN(3))
		}
	case k < 8:
		p.expr(depth - 1)
		p.expr(depth - 1)
		w("i32.%s", []string{"add", "sub", "mul", "and", "xor", "div_u", "rem_s", "shr_u", "lt_s"}[p.rnd.IntN(9)])
	case k == 8:
		p.expr(depth - 1)
		w("i32.load8_u offset=%d", p.rnd.IntN(9))
	case k == 9:
		w(fuelCheck)
		p.expr(depth - 1)
		w("call %d", 2+p.rnd.IntN(3))
	case k == 10:
		p.expr(depth - 1)
		w("if (result i32)")
		p.expr(depth - 1)
		w("else")
		p.expr(depth - 1)
		w("end")
	case k == 11:
		p.expr(depth - 1)
		w("local.tee %d", p.rnd.IntN(3))
	case k == 12:
		w("memory.size")
	default:
		p.expr(depth - 1)
		w("loop (param i32) (result i32) " + fuelCheck + " end")
	}
}

func (p *program) stmt(depth int) {
	w := func(f string, a ...any) { fmt.Fprintf(&p.out, f+"\n", a...) }
	if p.stmts--; p.stmts < 0 {
		return
	}
	switch k := p.rnd.IntN(15); {
	case k < 3:
		p.expr(2)
		w("local.set %d", p.rnd.IntN(3))
	case k == 3:
		p.expr(1)
		p.expr(2)
		w("i32.store8 offset=%d", p.rnd.IntN(5))
	case k == 4 && depth > 0:
		w("block")
		p.nest(depth, false)
	case k < 7 && depth > 0:
		w("loop")
		w(fuelCheck)
		p.nest(depth, true)
	case k == 7 && depth > 0:
		p.expr(1)
		w("if")
		p.loops = append(p.loops, false)
		p.body(depth - 1)
		if p.rnd.IntN(2) == 0 {
			w("else")
			p.body(depth - 1)
		}
		p.loops = p.loops[:len(p.loops)-1]
		w("end")
	case k == 8 && len(p.loops) > 0:
		p.expr(1)
		w("br_if %d", p.rnd.IntN(len(p.loops)))
	case k == 9 && len(p.loops) > 0:
		p.expr(1)
		n := len(p.loops)
		w("br_table %d %d %d", p.rnd.IntN(n), p.rnd.IntN(n), p.rnd.IntN(n))
	case k == 10:
		p.expr(1)
		w("i32.const 65535 i32.and i32.const 7 i32.const 100 memory.fill")
	case k == 11:
		w(fuelCheck)
		p.expr(1)
		p.expr(0)
		w("i32.const 3 i32.and call_indirect (type 2) drop")
	case k == 13:
		p.expr(1)
		p.expr(1)
		w("br_if %d drop", len(p.loops)) // the function itself
	case k == 14 && depth > 0:
		p.expr(1)
		w("if")
		p.expr(1)
		leave := []string{"return", "br L", "i32.const 0 br_table L L"}[p.rnd.IntN(3)]
		w("%s end", strings.ReplaceAll(leave, "L", fmt.Sprint(len(p.loops)+1)))
	case k == 12 && p.rnd.IntN(4) == 0:
		w("i32.const 1 memory.grow drop")
	}
}

func (p *program) nest(depth int, loop bool) {
	p.loops = append(p.loops, loop)
	p.body(depth - 1)
	p.loops = p.loops[:len(p.loops)-1]
	fmt.Fprintln(&p.out, "end")
}

func (p *program) body(depth int) {
	for range 1 + p.rnd.IntN(4) {
		p.stmt(depth)
	}
}

func generate(seed uint64) string {
	p := &program{rnd: rand.New(rand.NewPCG(seed, 7))}
	p.out.WriteString(`(module (type (func (param i64 i32))) (type (func (param i32) (result i32))) (type (func (param i32) (result i32)))
	  (import "points" "charge" (func (type 0))) (import "points" "size" (func (type 1)))
	  (memory (export "memory") 1 3) (table 4 funcref) (elem (i32.const 0) 2 3 4) (global (mut i32) (i32.const 60))`)
	for i := range 3 {
		export := ""
		if i == 0 {
			export = `(export "f")`
		}
		fmt.Fprintf(&p.out, "(func %s (param i32) (result i32) (local i32 i32)\n", export)
		p.stmts, p.loops = 25, nil
		p.body(4)
		p.body(4)
		p.expr(2)
		p.out.WriteString(")\n")
	}
	p.out.WriteString(")")
	return p.out.String()
}

func TestRewrittenProgramsBehaveAndCountLikeTheSlowMeter(t *testing.T) {
	t.Parallel()
	trapped, refilled := 0, 0
	for seed := range uint64(400) {
		text := generate(seed)
		raw := assemble(t, text)
		m, err := Rewrite(raw, conformance)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, slice := range []int64{1 << 40, 97} {
			g := start(t, m)
			g.reset(slice)
			got, err := g.call("f", seed)
			have := outcome{trapped: err != nil, counter: g.left(), refills: g.refills, digest: digest(g.inst.Memory())}
			if err == nil {
				have.result = got[0]
			} else {
				trapped++
			}
			refilled += g.refills
			if want := slowRun(t, raw, slice, seed); have != want {
				t.Fatalf("seed %d, slice %d:\nhave %+v\nwant %+v\n%v\n%s", seed, slice, have, want, err, text)
			}
		}
	}
	if trapped == 0 || trapped == 800 || refilled == 0 {
		t.Errorf("the programs are one-sided: %d trapped, %d refills", trapped, refilled)
	}
}
