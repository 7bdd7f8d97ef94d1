package rewrite

import (
	"slices"
	"testing"
)

func TestChargesStandWhereTheReplicaPutsThem(t *testing.T) {
	const factorial = `(func (export "f") (param i64) (result i64)
	  local.get 0 i64.const 1 i64.lt_s if (result i64) i64.const 1 else
	  local.get 0 local.get 0 i64.const 1 i64.sub call 0 i64.mul end)`
	for _, c := range []struct {
		name string
		body string
		args []uint64
		want int64
	}{
		{"an empty function costs its entry", `(func (export "f"))`, nil, 1},
		{"the condition and the then arm of the factorial", factorial, []uint64{0}, 6 + 1},
		{"one step of the factorial", factorial, []uint64{1}, 6 + 10 + 6 + 1},
		{"memory.fill pays a hundred and its length", `(func (export "f") i32.const 0 i32.const 1 i32.const 7 memory.fill)`, nil, 104 + 7},
		{"memory.copy of the whole page", `(func (export "f") i32.const 0 i32.const 0 i32.const 65536 memory.copy)`, nil, 104 + 65536},
		{"a block is free and splits nothing until its end", `(func (export "f") block nop end nop)`, nil, 3},
		{"a loop pays its head on every turn", `(func (export "f") (local i32) i32.const 3 local.set 0
		  loop local.get 0 i32.const 1 i32.sub local.tee 0 br_if 0 end)`, nil, 1 + 2 + 3*(4+2)},
		{"growing memory", `(func (export "f") i32.const 1 memory.grow drop)`, nil, 1 + 1 + 300 + 1},
		{"code after a return is never charged", `(func (export "f") return nop nop nop)`, nil, 2},
		{"a table branch", `(func (export "f") block block i32.const 1 br_table 0 1 0 end end nop)`, nil, 1 + 1 + 2 + 1},
	} {
		if got := count(t, c.body, c.args...); got != c.want {
			t.Errorf("%s: charged %d, want %d", c.name, got, c.want)
		}
	}
}

func TestLoadsOfAWideMemoryCostTwo(t *testing.T) {
	g := start(t, rewriteText(t, `(module (memory i64 1) (func (export "f") i64.const 8 i64.load drop i64.const 0 i32.const 1 i32.store8))`, conformance))
	if _, err := g.call("f"); err != nil {
		t.Fatal(err)
	}
	if got := g.used(); got != 1+1+2+1+2+2 {
		t.Errorf("charged %d, want 9", got)
	}
}

func TestOperatorsAreCountedAsAfterTheReplicasInstrumentation(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint64
	}{
		{`(module)`, 72},
		{`(module (func))`, 83},
		{`(module (func loop br 0 end))`, 72 + 4 + 10 + 10},
		{`(module (memory 1) (func i32.const 0 i32.const 0 i32.const 0 memory.fill))`, 72 + 5 + 10 + 3},
		{`(module (memory i64 1) (func i64.const 0 i32.const 0 i64.const 0 memory.fill))`, 72 + 5 + 10 + 1},
		{`(module (memory 1) (global i32 (i32.const 0)) (func i32.const 0 memory.grow drop))`, 72 + 2 + 4 + 10 + 3},
		{`(module (func block i32.const 1 br_if 0 nop end nop))`, 72 + 7 + 10 + 4 + 4},
		{`(module (func return nop))`, 72 + 3 + 10 + 4},
	} {
		m := rewriteText(t, c.text, conformance)
		if m.Operators != c.want {
			t.Errorf("%s: %d operators, want %d", c.text, m.Operators, c.want)
		}
		if m.InstructionCost != 20_000_000+6000*c.want {
			t.Errorf("%s: cost %d", c.text, m.InstructionCost)
		}
	}
	before := rewriteText(t, `(module)`, Options{Conformance: true, Schedule: Schedule202603})
	if before.InstructionCost != 432_000 {
		t.Errorf("before the base charge an empty module cost 432000, not %d", before.InstructionCost)
	}
}

func TestACheckCallsTheHostOnlyBelowZero(t *testing.T) {
	g := start(t, rewriteText(t, `(module (func (export "f")))`, conformance))
	g.reset(1)
	if g.call("f"); g.refills != 0 || g.left() != 0 {
		t.Errorf("exactly zero is fine: %d refills, %d left", g.refills, g.left())
	}
	if g.call("f"); g.refills != 1 {
		t.Errorf("below zero: %d refills, want 1", g.refills)
	}
}

func TestALoopGoesOnAfterARefillWithTheSameState(t *testing.T) {
	g := start(t, rewriteText(t, `(module (func (export "f") (param i32) (result i32) (local i32)
	  loop (result i32) local.get 1 i32.const 3 i32.add local.set 1
	  local.get 0 i32.const 1 i32.sub local.tee 0 br_if 0 local.get 1 end))`, conformance))
	g.reset(50)
	got, err := g.call("f", 1000)
	if err != nil || got[0] != 3000 {
		t.Fatalf("got %v, %v", got, err)
	}
	// The head pays 10 a turn, the result 1: the host is asked when 50 are overdrawn, on every sixth turn.
	if g.refills != 166 {
		t.Errorf("%d refills, want 166", g.refills)
	}
}

func TestTheCounterIsRightAtATrap(t *testing.T) {
	g := start(t, rewriteText(t, `(module (memory 1) (func (export "f") (param i32)
	  loop local.get 0 i32.load drop local.get 0 i32.const 4096 i32.add local.set 0 br 0 end))`, conformance))
	if _, err := g.call("f", 0); err == nil {
		t.Fatal("no trap")
	}
	if got := g.used(); got != 1+17*(3+4+2) {
		t.Errorf("charged %d, want %d", got, 1+17*9)
	}
}

func TestASizeAboveTheCounterIsChargedByTheHost(t *testing.T) {
	g := start(t, rewriteText(t, `(module (memory i64 1) (func (export "f") (param i64) i64.const 0 i32.const 0 local.get 0 memory.fill))`, conformance))
	for _, size := range []uint64{MaxInstructions, MaxInstructions + 1, 1 << 63} {
		if _, err := g.call("f", size); err == nil {
			t.Fatalf("no trap with a size of %d", size)
		}
	}
	if want := []uint64{MaxInstructions + 1, 1 << 63}; !slices.Equal(g.huge, want) {
		t.Errorf("the host charged %d, want %d", g.huge, want)
	}
}
