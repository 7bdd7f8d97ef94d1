package wasm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// cutModule calls in every way: within a fragment and outside, through the table, with more values than registers, by
// tail calls, and with instructions on data segments.
var cutModule = func() string {
	wide, pass := strings.Repeat(" i32", 12), ""
	for i := range 12 {
		pass += fmt.Sprintf("(i32.const %d)", i)
	}
	large := strings.Repeat("(local.set 0 (i32.add (local.get 0) (i32.const 3)))", 400)
	return fmt.Sprintf(`(module
		(import "ic0" "note" (func $note (param i64)))
		(memory 1) (global $g (mut i64) (i64.const 7)) (data $d "abcdefgh")
		(type $unary (func (param i32) (result i32)))
		(table 6 funcref) (elem (i32.const 1) $large $small $tail $wide)
		(func $large (type $unary) %[3]s (local.get 0))
		(func $small (type $unary) (i32.mul (local.get 0) (i32.const 2)))
		(func $tail (type $unary) (return_call $large (local.get 0)))
		(func $wide (param%[1]s) (result i32) %[3]s (i32.add (local.get 0) (local.get 11)))
		(func $trap (param i32) (result i32) (i32.div_u (i32.const 1) (call $large (local.get 0))))
		(func (export "canister_update direct") (call $note (i64.extend_i32_u (call $large (call $small (i32.const 5))))))
		(func (export "canister_update tail") (call $note (i64.extend_i32_u (call $tail (i32.const 5)))))
		(func (export "canister_update wide") (call $note (i64.extend_i32_u (call $wide %[2]s))))
		(func (export "canister_update table") (call $note (i64.extend_i32_u (call_indirect (type $unary) (i32.const 5) (i32.const 3)))))
		(func (export "canister_update widetable") (call $note (i64.extend_i32_u (call_indirect (param%[1]s) (result i32) %[2]s (i32.const 4)))))
		(func (export "canister_update mismatch") (drop (call_indirect (type $unary) (i32.const 5) (i32.const 4))))
		(func (export "canister_update null") (drop (call_indirect (type $unary) (i32.const 5) (i32.const 0))))
		(func (export "canister_update beyond") (drop (call_indirect (type $unary) (i32.const 5) (i32.const 6))))
		(func (export "canister_update trap") (drop (call $trap (i32.const -1200))))
		(func (export "canister_update segment") (memory.init $d (i32.const 16) (i32.const 2) (i32.const 4)) (data.drop $d)
			(call $note (i64.load (i32.const 16))))
		(func (export "canister_update dropped") (data.drop $d) (memory.init $d (i32.const 16) (i32.const 2) (i32.const 4)))
		(func (export "canister_update outside") (memory.init $d (i32.const 65535) (i32.const 2) (i32.const 4)))
		(func (export "canister_update grow") (drop (memory.grow (i32.const 2))) (i32.store (i32.const 131072) (i32.const 9))
			(global.set $g (i64.add (global.get $g) (i64.load (i32.const 131072)))) (call $note (global.get $g)))
		(func $deep (param i32) (result i32) (i32.add (i32.const 1) (call $deeper (i32.add (local.get 0) (i32.const 1)))))
		(func $deeper (param i32) (result i32) (i32.add (i32.const 1) (call $deep (i32.add (local.get 0) (i32.const 1)))))
		(func (export "canister_update deep") (drop (call $deep (i32.const 0)))))`, wide, pass, large)
}()

// cutMethods are the methods of cutModule, in an order in which later ones find functions loaded.
var cutMethods = strings.Fields("mismatch trap direct tail wide table widetable null beyond segment dropped outside grow deep trap table widetable segment")

// observation is what a caller sees of a run.
type observation struct {
	Notes     []uint64
	Trap      *Trap
	Executed  uint64
	Globals   []GlobalValue
	Size      uint64
	Committed string
}

// observe runs all methods on a new guest, each as a message.
func observe(t *testing.T, e *Engine) (seen []observation, inFragments int) {
	t.Helper()
	g := newTestGuest(t, e, cutModule)
	for i, method := range cutMethods {
		host := &testHost{}
		var o observation
		err := g.Run(Entry{Export: "canister_update " + method}, host, Budget{Limit: 1 << 40})
		if err != nil && !errors.As(err, &o.Trap) {
			t.Fatalf("%s: %v", method, err)
		}
		if g.resident.fragments != nil {
			inFragments++
		}
		o.Notes, o.Executed = host.got, g.Executed()
		if err == nil && i%3 != 0 {
			if _, err := g.Commit(); err != nil {
				t.Fatal(err)
			}
		} else {
			g.Rollback()
		}
		o.Globals, o.Size = g.Globals(), g.MemorySize()
		heap := make([]byte, 64)
		if err := g.ReadHeap(0, heap); err != nil {
			t.Fatal(err)
		}
		o.Committed = string(heap)
		seen = append(seen, o)
	}
	return seen, inFragments
}

func TestAModuleInFragmentsDoesWhatTheCompiledOneDoes(t *testing.T) {
	want, inFragments := observe(t, newTestEngine(t, Config{Fragments: FragmentsNever}))
	if inFragments > 0 {
		t.Errorf("%d messages ran in fragments, want none", inFragments)
	}
	if trap := want[1].Trap; trap == nil || trap.Kind != IntegerDivByZero || len(trap.Backtrace) != 2 {
		t.Errorf("the compiled module traps with %+v, want a division by zero with 2 frames", trap)
	}
	for use, most := range map[Fragments]int{FragmentsAlways: len(cutMethods), FragmentsAtRandom: len(cutMethods) - 1} {
		for seed := range uint64(8) {
			got, inFragments := observe(t, newTestEngine(t, Config{Fragments: use, Seed: seed}))
			if inFragments == 0 || inFragments > most || use == FragmentsAlways && inFragments < most {
				t.Errorf("way %d, seed %d: %d of %d messages ran in fragments", use, seed, inFragments, len(cutMethods))
			}
			for i := range want {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Errorf("way %d, seed %d, %s:\n got %+v %+v\nwant %+v %+v", use, seed, cutMethods[i], got[i], got[i].frames(), want[i], want[i].frames())
				}
			}
		}
	}
}

// slowToCompile is a guest whose module is said to take the compiler long.
func slowToCompile(t *testing.T, e *Engine) *Guest {
	t.Helper()
	m := rewritten(t, `(module (import "ic0" "note" (func $note (param i64))) (memory 1) (func (export "canister_update id") (call $note (i64.const 5))))`)
	m.CompileTime = uint64(slowCompileTime) + 1
	code, err := e.Compile(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	g, err := e.NewGuest(code)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// held is an engine with a folder whose compiler waits for the returned function.
func held(t *testing.T, dir string) (e *Engine, compile func()) {
	t.Helper()
	wait := make(chan struct{})
	e = newTestEngine(t, Config{CacheDir: dir, Compiler: func(ctx context.Context, dir string, binary []byte) error {
		select {
		case <-wait:
		case <-ctx.Done():
		}
		return CompileInto(ctx, dir, binary, 1)
	}})
	return e, func() {
		close(wait)
		e.working.Wait()
	}
}

func TestAGuestLeavesTheFragmentsWhenItsModuleIsCompiled(t *testing.T) {
	e, compile := held(t, "")
	g := slowToCompile(t, e)
	if got := notes(t, g, "id"); got != 5 || g.resident.fragments == nil {
		t.Errorf("before its compilation the guest notes %d, in fragments: %t", got, g.resident.fragments != nil)
	}
	compile()
	if g.resident.fragments == nil || g.code.cut == nil {
		t.Error("the guest left the fragments in the middle of a message")
	}
	g.Rollback()
	if got := notes(t, g, "id"); got != 5 {
		t.Errorf("after its compilation the guest notes %d", got)
	}
	if g.resident.fragments != nil || g.code.cut != nil {
		t.Error("the guest is still in fragments after its module was compiled")
	}
	g.Rollback()
	if n := e.background.Load(); n != 0 {
		t.Errorf("%d compilations are counted as in progress", n)
	}
}

func TestAnIdleGuestLeavesTheFragmentsWithoutAMessage(t *testing.T) {
	e, compile := held(t, "")
	g := slowToCompile(t, e)
	if g.resident.fragments == nil {
		t.Error("the guest waited for the compiler")
	}
	compile()
	if g.resident != nil || g.code.cut != nil {
		t.Error("the guest is still in fragments after its module was compiled")
	}
}

func TestInstancesInFragmentsLeaveThePoolWhenTheirModuleIsCompiled(t *testing.T) {
	e, compile := held(t, "")
	g := slowToCompile(t, e)
	root := g.SnapshotRoot()
	defer root.Close()
	for i, want := range []bool{true, true, true, false} {
		if i == 2 {
			compile() // an instance in fragments is in the pool
		}
		v := root.Volatile()
		if got := notes(t, v, "id"); got != 5 || (v.resident.fragments != nil) != want {
			t.Errorf("guest %d notes %d, in fragments: %t, want %t", i, got, v.resident.fragments != nil, want)
		}
		if _, err := v.Commit(); err != nil {
			t.Fatal(err)
		}
		v.Close()
	}
}

func TestAModuleGoesOnInFragmentsIfItsCompilationFails(t *testing.T) {
	failed := 0
	e := newTestEngine(t, Config{Compiler: func(context.Context, string, []byte) error {
		failed++
		return errors.New("no memory")
	}})
	for attempt := range 2 {
		g := slowToCompile(t, e)
		e.working.Wait()
		if got := notes(t, g, "id"); got != 5 || g.resident.fragments == nil {
			t.Errorf("after a failure the guest notes %d, in fragments: %t", got, g.resident.fragments != nil)
		}
		g.Rollback()
		if failed != attempt+1 {
			t.Errorf("%d compilations began, want %d: one for each installation", failed, attempt+1)
		}
	}
}

func TestAModuleWhoseCompiledFormIsInTheFolderNeedsNoFragments(t *testing.T) {
	dir := t.TempDir()
	for _, use := range []Fragments{FragmentsNever, FragmentsWhileCompiling} {
		if g := slowToCompile(t, newTestEngine(t, Config{CacheDir: dir, Fragments: use})); g.resident.fragments != nil {
			t.Error("the guest runs in fragments")
		}
	}
}

func TestTheCompiledFormOfAnotherProcessorIsNotUsed(t *testing.T) {
	dir := t.TempDir()
	slowToCompile(t, newTestEngine(t, Config{CacheDir: dir, Fragments: FragmentsNever}))
	e, compile := held(t, dir)
	defer compile()
	e.disk.processor[0]++
	if g := slowToCompile(t, e); g.resident.fragments == nil {
		t.Error("the guest runs the compiled form of another processor")
	}
}

func TestNoMoreThanSixteenModulesCompileBehindTheirGuests(t *testing.T) {
	for beside, want := range map[int64]bool{maxBackground - 1: true, maxBackground: false} {
		e, compile := held(t, "")
		e.background.Store(beside)
		if !want {
			e.config.Compiler = nil
		}
		if g := slowToCompile(t, e); (g.resident.fragments != nil) != want {
			t.Errorf("beside %d others the guest runs in fragments: %t, want %t", beside, !want, want)
		}
		compile()
	}
}

func (o observation) frames() []Frame {
	if o.Trap == nil {
		return nil
	}
	return o.Trap.Backtrace
}
