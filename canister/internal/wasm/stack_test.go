package wasm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

// recursion has functions that call themselves so often, or until the stack is full.
const recursion = `(module
	(import "ic0" "note" (func $note (param i64)))
	(import "ic0" "nop" (func $nop))
	(table 1 funcref)
	(elem (i32.const 0) $around)
	(global $depth (mut i64) (i64.const 0))
	(func $deeper (global.set $depth (i64.add (global.get $depth) (i64.const 1))))
	(func $down (param $n i32) (call $deeper) (if (local.get $n) (then (call $down (i32.sub (local.get $n) (i32.const 1))))))
	(func $around (param $n i32) (call $nop)
		(if (local.get $n) (then (call_indirect (param i32) (i32.sub (local.get $n) (i32.const 1)) (i32.const 0)))))
	(func $wide (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
		(i32.add (call $wide (local.get 1) (local.get 2) (local.get 3) (local.get 4) (local.get 5)
				(local.get 6) (local.get 7) (local.get 8) (local.get 9) (local.get 0))
			(i32.add (i32.add (local.get 1) (local.get 2)) (i32.add (local.get 3) (local.get 4)))))
	(func $float (param f64 f64 f64) (result f64)
		(f64.add (call $float (local.get 1) (local.get 2) (local.get 0)) (f64.mul (local.get 0) (f64.sub (local.get 1) (local.get 2)))))
	(func $vector (param v128 v128) (result v128)
		(i64x2.add (call $vector (local.get 1) (local.get 0)) (i64x2.sub (local.get 0) (local.get 1))))
	(func $tail (param $n i32) (call $nop)
		(if (local.get $n) (then (return_call $tail (i32.sub (local.get $n) (i32.const 1))))))
	(func (export "canister_update some") (call $down (i32.const 10000)))
	(func (export "canister_update most") (call $down (i32.const 100000)))
	(func (export "canister_update endless") (call $down (i32.const -1)))
	(func (export "canister_update around") (call $around (i32.const -1)))
	(func (export "canister_update wide") (drop (call $wide (i32.const 1) (i32.const 1) (i32.const 1) (i32.const 1) (i32.const 1)
		(i32.const 1) (i32.const 1) (i32.const 1) (i32.const 1) (i32.const 1))))
	(func (export "canister_update float") (drop (call $float (f64.const 1) (f64.const 2) (f64.const 3))))
	(func (export "canister_update vector") (drop (call $vector (v128.const i64x2 1 2) (v128.const i64x2 1 2))))
	(func (export "canister_update tail") (call $tail (i32.const 1000000)))
	(func (export "canister_update depth") (call $note (global.get $depth))))`

// overflow runs a method that fills the call stack.
func overflow(t testing.TB, g *Guest, name string, slice uint64) *Trap {
	t.Helper()
	err := g.Run(method(name), &testHost{}, Budget{Limit: 1e12, Slice: slice})
	if !isTrap(err, StackOverflow) {
		t.Fatalf("%s: %v, want a stack overflow", name, err)
	}
	return err.(*Trap)
}

// The engine's own end of the stack gives no backtrace: what has one was found by the check that modules are given.
func TestEndlessRecursionEndsWhereTheStackOfAReplicaDoes(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), recursion)
	for _, name := range []string{"endless", "around", "wide", "float", "vector"} {
		trap := overflow(t, g, name, 0)
		executed := g.Executed()
		if len(trap.Backtrace) == 0 {
			t.Errorf("%s ends at the end of the engine's stack", name)
		}
		depth := notes(t, g, "depth")
		g.Rollback()
		if name == "endless" && (depth < rewrite.StackSize/64 || depth > rewrite.StackSize/32) {
			t.Errorf("%s is %d deep", name, depth)
		}
		for _, slice := range []uint64{1_000, 77_777} { // the same for any slice
			overflow(t, g, name, slice)
			if again := notes(t, g, "depth"); again != depth {
				t.Errorf("%s with slices of %d is %d deep, want %d", name, slice, again, depth)
			}
			g.Rollback()
			overflow(t, g, name, slice)
			if g.Executed() != executed {
				t.Errorf("%s with slices of %d ends after %d instructions, want %d", name, slice, g.Executed(), executed)
			}
			g.Rollback()
		}
	}
}

func TestTheWholeStackIsThereForEveryMessage(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), recursion)
	for range 3 {
		run(t, g, "most")
		g.Rollback()
		overflow(t, g, "endless", 0)
		g.Rollback()
	}
}

func TestTailCallsTakeNoStack(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), recursion)
	run(t, g, "tail")
	g.Rollback()
}

// Two million frames were possible before, and each of them took its time.
func TestEndlessRecursionCostsInProportionToTheDepthOfTheStack(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), recursion)
	cost := func(step func()) uint64 {
		step()
		defer g.Rollback()
		return g.Executed()
	}
	some := cost(func() { run(t, g, "some") })
	endless := cost(func() { overflow(t, g, "endless", 0) })
	t.Logf("10,000 frames take %d instructions, an endless recursion %d", some, endless)
	if most := 80 * some; endless > most {
		t.Errorf("an endless recursion takes %d instructions, want at most %d, 80 times what 10,000 frames take", endless, most)
	}
}

func TestStacksOfEndlessRecursionsAreNotKept(t *testing.T) {
	const guests, most = 20, 64 << 10
	e := newTestEngine(t, Config{})
	code := compiled(t, e, recursion)
	var all []*Guest
	for range guests {
		g, err := e.NewGuest(code)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.Close)
		all = append(all, g)
		run(t, g, "depth")
		g.Rollback()
	}
	before := heapInUse()
	for _, g := range all {
		overflow(t, g, "endless", 0)
		g.Rollback()
	}
	if each := (heapInUse() - before) / guests; each > most {
		t.Errorf("a guest whose message filled its stack keeps %d bytes, want at most %d", each, most)
	}
}

// A function may have values that no frame keeps in the replica's engine and every frame keeps in this one: the
// engine's stack is the last bound then, with the same trap.
func TestFramesThatAreLargeInTheEngineEndWithTheSameTrap(t *testing.T) {
	var pressure strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&pressure, "(local.set %d (i64.mul (local.get 0) (i64.const %d)))", i+1, i+3)
	}
	for i := range 2000 {
		fmt.Fprintf(&pressure, "(local.set 0 (i64.xor (local.get 0) (local.get %d)))", i+1)
	}
	g := newTestGuest(t, newTestEngine(t, Config{}), `(module
		(func $f (param i64) (result i64) (local `+strings.Repeat("i64 ", 2000)+`) `+pressure.String()+` (call $f (local.get 0)))
		(func (export "canister_update pressure") (drop (call $f (i64.const 1)))))`)
	overflow(t, g, "pressure", 0)
	g.Rollback()
}

// BenchmarkRatioStackOverflow is a message that recurses until it traps; the floor is
// a recursion of 10,000 frames that returns.
func BenchmarkRatioStackOverflow(b *testing.B) {
	g := newTestGuest(b, newTestEngine(b, Config{}), recursion)
	ratio.Compare(b, 80, ratio.Each(func() {
		overflow(b, g, "endless", 0)
		g.Rollback()
	}), ratio.Each(func() {
		run(b, g, "some")
		g.Rollback()
	}))
}
