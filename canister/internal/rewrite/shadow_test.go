package rewrite

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// addresses writes one random program twice: over a 64-bit memory, and over a 32-bit memory with every address put
// through a function that saturates. Both must do the same.
type addresses struct {
	rnd        *rand.Rand
	wide, slow strings.Builder
}

func (p *addresses) w(f string, a ...any) {
	fmt.Fprintf(&p.wide, f+" ", a...)
	fmt.Fprintf(&p.slow, f+" ", a...)
}

func (p *addresses) lowered() { p.slow.WriteString("call $low ") }

func (p *addresses) expr(depth int) {
	switch k := p.rnd.IntN(12); {
	case depth <= 0 || k < 4:
		if p.rnd.IntN(4) == 0 {
			p.w("i64.const %d", []int64{0, 8, 60000, 1 << 32, -8, 70000}[p.rnd.IntN(6)])
		} else {
			p.w("local.get %d", p.rnd.IntN(3))
		}
	case k < 6:
		p.expr(depth - 1)
		p.expr(depth - 1)
		p.w("i64.%s", []string{"add", "and", "or", "xor", "shr_u", "div_u", "rem_u"}[p.rnd.IntN(7)])
	case k < 10:
		p.expr(depth - 1)
		p.lowered()
		p.w("i64.%s offset=%d", []string{"load8_u", "load16_u", "load32_u", "load32_s", "load"}[p.rnd.IntN(5)], p.rnd.IntN(3)*8)
	case k == 10:
		p.expr(depth - 1)
		p.w("local.tee %d", p.rnd.IntN(3))
	default:
		p.expr(depth - 1)
		p.expr(depth - 1)
		p.expr(depth - 1)
		p.w("i32.wrap_i64 select")
	}
}

func (p *addresses) body(depth int) {
	for range 2 + p.rnd.IntN(4) {
		switch k := p.rnd.IntN(10); {
		case k == 9:
			p.expr(1)
			p.lowered()
			p.w("i32.const 5")
			p.expr(1)
			p.w("i64.const 1023 i64.and")
			p.lowered()
			p.w("memory.fill\n")
		case k < 3:
			p.expr(2)
			p.w("local.set %d\n", p.rnd.IntN(3))
		case k < 6:
			p.expr(1)
			p.lowered()
			p.expr(2)
			// The reference lowers before the value is computed: a trap of the value comes before a trap of the store
			// in both.
			p.w("i64.%s offset=%d\n", []string{"store8", "store32", "store"}[p.rnd.IntN(3)], p.rnd.IntN(3)*8)
		case k == 6 && depth > 0:
			p.expr(1)
			p.w("i64.eqz if\n")
			p.body(depth - 1)
			if p.rnd.IntN(2) == 0 {
				p.w("else\n")
				p.body(depth - 1)
			}
			p.w("end\n")
		case k == 7 && depth > 0:
			p.w("loop\n")
			p.body(depth - 1)
			p.w("global.get 0 i32.const 1 i32.sub global.set 0 global.get 0 i32.const 0 i32.gt_s br_if 0 end\n")
		case k == 8 && depth > 0:
			p.w("block\n")
			p.body(depth - 1)
			p.expr(1)
			p.w("i64.eqz br_if 0\n")
			p.body(depth - 1)
			p.w("end\n")
		}
	}
}

func TestLoweredProgramsBehaveLikeOnesThatSaturateEveryAddress(t *testing.T) {
	t.Parallel()
	returned := 0
	for seed := range uint64(600) {
		p := &addresses{rnd: rand.New(rand.NewPCG(seed, 3))}
		p.body(3)
		p.w("local.get 0 local.get 1 i64.add local.get 2 i64.xor")
		const text = `(module (memory (export "memory") %s 1 1) (global (mut i32) (i32.const 20)) (func (export "f") (param i64 i64) (result i64) (local i64) %s)
		  (func $low (param i64) (result i32) i32.const -1 local.get 0 i32.wrap_i64 local.get 0 i64.const 4294967295 i64.gt_u select))`
		var have, want outcome
		for k, m := range []*Module{
			rewriteText(t, fmt.Sprintf(text, "i64", p.wide.String()), conformance),
			rewriteText(t, fmt.Sprintf(text, "", p.slow.String()), conformance),
		} {
			g := start(t, m)
			patterned(g)
			got, err := g.call("f", seed*97, 40000)
			o := outcome{trapped: err != nil, digest: digest(g.inst.Memory())}
			if err == nil {
				o.result = got[0]
				returned++
			}
			if k == 0 {
				have = o
			} else {
				want = o
			}
		}
		if have != want {
			t.Fatalf("seed %d:\nhave %+v\nwant %+v\n%s", seed, have, want, p.wide.String())
		}
	}
	if returned < 100 || returned > 1100 {
		t.Errorf("the programs are one-sided: %d of 1200 returned", returned)
	}
}

// The slow meter inserts its points into the 64-bit module, which is then lowered like any other; it listens while the
// pass's own counter counts the unmetered module.
func TestLoweredProgramsCountLikeTheSlowMeter(t *testing.T) {
	t.Parallel()
	const text = `(module (import "points" "charge" (func (param i64 i32))) (import "points" "size64" (func (param i64) (result i64)))
	  (memory (export "memory") i64 1 1) (global (mut i32) (i32.const 20)) (func (export "f") (param i64 i64) (result i64) (local i64) %s))`
	for seed := range uint64(200) {
		p := &addresses{rnd: rand.New(rand.NewPCG(seed, 11))}
		p.body(3)
		p.w("local.get 0")
		raw := assemble(t, fmt.Sprintf(text, p.wide.String()))
		m, err := Rewrite(raw, conformance)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := Rewrite(slowInstrument(raw, true), conformance)
		if err != nil {
			t.Fatal(err)
		}
		const slice = 200
		have, want := start(t, m), start(t, slow)
		have.reset(slice)
		counter, refills := int64(slice), 0
		check := func() {
			if counter < 0 {
				counter, refills = slice, refills+1
			}
		}
		want.onCharge = func(cost int64, atCheck bool) {
			if counter -= cost; atCheck {
				check()
			}
		}
		want.onSize = func(size int64) { counter -= size; check() }
		_, haveErr := have.call("f", seed*97, 40000)
		_, wantErr := want.call("f", seed*97, 40000)
		if got := have.left(); got != counter || have.refills != refills || (haveErr == nil) != (wantErr == nil) {
			t.Fatalf("seed %d: %d left after %d refills (%v), want %d after %d (%v)\n%s", seed, got, have.refills, haveErr, counter, refills, wantErr, p.wide.String())
		}
	}
}
