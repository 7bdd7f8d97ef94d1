package wasm

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/internal/eventually"
)

const spinner = `(module
	(import "ic0" "note" (func $note (param i64)))
	(import "ic0" "charge" (func $charge (param i64)))
	(import "ic0" "executed" (func $executed (result i64)))
	(import "ic0" "boom" (func $boom))
	(import "ic0" "block" (func $block))
	(memory 1)
	(table 4 funcref)
	(elem (i32.const 1) $closure $narrow)
	(func $closure (param i32) (call $note (i64.extend_i32_u (local.get 0))))
	(func $narrow)
	(func (export "canister_update forever") (loop (br 0)))
	(func (export "canister_update some") (local $i i32)
		(loop (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000))))
		(call $note (call $executed)))
	(func (export "canister_update pay") (call $charge (i64.const 1000)) (call $note (call $executed)))
	(func (export "canister_update overpay") (call $charge (i64.const -1)))
	(func (export "canister_update bulk") (memory.fill (i32.const 0) (i32.const 1) (i32.const 60000)) (call $note (call $executed)))
	(func (export "canister_update boom") (call $boom))
	(func (export "canister_update block") (i64.store (i32.const 0) (i64.const 42)) (call $block))
	(func (export "canister_update count") (call $note (i64.load (i32.const 0)))))`

func isTrap(err error, kind TrapKind) bool {
	var t *Trap
	return errors.As(err, &t) && t.Kind == kind
}

func TestTheSizeOfTheSlicesChangesNothing(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), spinner)
	for _, name := range []string{"some", "pay", "bulk"} {
		want := notes(t, g, name)
		all := g.Executed()
		g.Rollback()
		for _, slice := range []uint64{1, 2, 7, 100, 1001, 1 << 40} {
			host := &testHost{}
			pauses := 0
			pause := func(executed uint64) {
				pauses++
				if executed > all {
					t.Errorf("paused at %d of %d instructions", executed, all)
				}
			}
			if err := g.Run(method(name), host, Budget{Limit: all, Slice: slice, Pause: pause}); err != nil {
				t.Fatalf("%s with slices of %d and all it needs: %v", name, slice, err)
			}
			if host.got[0] != want || g.Executed() != all {
				t.Errorf("%s with slices of %d: noted %d and executed %d, want %d and %d", name, slice, host.got[0], g.Executed(), want, all)
			}
			if slice == 7 && pauses == 0 {
				t.Errorf("%s never paused", name)
			}
			g.Rollback()
		}
	}
}

func TestTheLimitFailsAtACheckThatFindsMore(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), spinner)
	for _, c := range []struct {
		name string
		last uint64 // instructions before the last check
	}{{"pay", 0}, {"some", 0}, {"bulk", 0}} {
		run(t, g, c.name)
		all := g.Executed()
		g.Rollback()
		failed := uint64(0)
		for limit := all; ; limit-- {
			err := g.Run(method(c.name), &testHost{}, Budget{Limit: limit, Slice: 10})
			g.Rollback()
			if err != nil {
				if !isTrap(err, InstructionLimit) {
					t.Fatalf("%s with %d instructions: %v", c.name, limit, err)
				}
				failed = limit
				break
			}
			if limit == 0 {
				break
			}
		}
		for _, slice := range []uint64{1, 3, 1000, 1 << 30} { // the same answer for any slice
			for limit, ok := range map[uint64]bool{failed: false, failed + 1: true} {
				err := g.Run(method(c.name), &testHost{}, Budget{Limit: limit, Slice: slice})
				g.Rollback()
				if (err == nil) != ok {
					t.Errorf("%s with limit %d and slices of %d: %v", c.name, limit, slice, err)
				}
			}
		}
	}
	if err := g.Run(method("overpay"), nil, plenty); !isTrap(err, InstructionLimit) {
		t.Errorf("charging 2^64-1: %v", err)
	}
	g.Rollback()
	if err := g.Run(method("forever"), nil, Budget{Limit: 1e7, Slice: 1e6}); !isTrap(err, InstructionLimit) || g.Executed() <= 1e7 {
		t.Errorf("endless loop: %v after %d", err, g.Executed())
	}
	g.Rollback()
}

func TestOneStepThatOverrunsAWholeReplicaSliceEndsTheMessage(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), spinner)
	for slice, want := range map[uint64]TrapKind{20000: SliceOverrun, 70000: -1} {
		for _, grant := range []uint64{100, 5000, 1e6} {
			err := g.Run(method("bulk"), &testHost{}, Budget{Limit: 1e9, Slice: grant, ReplicaSlice: slice})
			if want >= 0 && !isTrap(err, want) || want < 0 && err != nil {
				t.Errorf("60000 bytes with replica slices of %d, granted %d: %v", slice, grant, err)
			}
			g.Rollback()
		}
	}
}

func TestChargingMoreThanIsLeftSaturates(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), spinner)
	g.begin()
	g.budget = Budget{Limit: math.MaxInt64}
	g.grant(0)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("charging more than there is went through")
			}
		}()
		g.budget.Limit = 100
		g.Charge(math.MaxInt64)
	}()
	if !isTrap(g.ending, InstructionLimit) {
		t.Errorf("ended with %v", g.ending)
	}
	g.Rollback()
}

func TestAnEndlessLoopDoesNotStallTheCollector(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), spinner)
	started, done, collected := make(chan struct{}), make(chan error, 1), make(chan struct{})
	stop := false
	first := true
	go func() {
		done <- g.Run(method("forever"), nil, Budget{Limit: 1e15, Slice: MaxSlice, Pause: func(uint64) {
			if first {
				close(started)
				first = false
			}
			select {
			case <-collected:
				stop = true
				g.End(errStop)
			default:
			}
		}})
	}()
	<-started
	for range 3 {
		runtime.GC()
	}
	close(collected)
	if err := <-done; err != errStop || !stop {
		t.Errorf("ended with %v", err)
	}
	g.Rollback()
}

func TestClosuresAreCalledThroughTheTable(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), spinner)
	host := &testHost{}
	if err := g.Run(Entry{Fn: 1, Env: 77}, host, plenty); err != nil || len(host.got) != 1 || host.got[0] != 77 {
		t.Errorf("closure: %v, noted %v", err, host.got)
	}
	for fn, kind := range map[uint32]TrapKind{0: NullClosure, 2: ClosureSignature, 4: FunctionNotFound, math.MaxUint32: FunctionNotFound} {
		if err := g.Run(Entry{Fn: fn}, host, plenty); !isTrap(err, kind) {
			t.Errorf("closure %d: %v, want %s", fn, err, kind)
		}
	}
	if err := g.Run(Entry{Fn: 1, Env: 1 << 32}, host, plenty); !isTrap(err, ClosureArgument) {
		t.Errorf("an argument of 33 bits: %v", err)
	}
	if err := g.Run(method("no such"), host, plenty); !isTrap(err, FunctionNotFound) {
		t.Errorf("no such export: %v", err)
	}
	g.Rollback()
}

func TestAPanicInAHostFunctionStaysAPanic(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), spinner)
	func() {
		defer func() {
			if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "a bug in the host") {
				t.Errorf("recovered %v", r)
			}
		}()
		_ = g.Run(method("boom"), nil, plenty)
	}()
	g.Rollback()
	run(t, g, "some")
	g.Rollback()
}

func TestASuspendedMessageGoesOnOnAnotherGoroutine(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), spinner)
	resume, done := make(chan struct{}), make(chan error)
	host := &testHost{}
	go func() {
		done <- g.Run(method("some"), host, Budget{Limit: 1e6, Slice: 100, Pause: func(uint64) { <-resume }})
	}()
	for {
		select {
		case resume <- struct{}{}:
		case err := <-done:
			if err != nil || len(host.got) != 1 {
				t.Errorf("ended with %v", err)
			}
			commit(t, g)
			return
		case <-time.After(eventually.Limit):
			t.Fatal("stuck")
		}
	}
}

func TestGrowingIsSubjectToAPolicy(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), counter)
	var asked [2]uint32
	g.OnGrow(func(old, want uint32) error { asked = [2]uint32{old, want}; return errStop })
	if err := g.Run(method("grow"), &testHost{}, plenty); err != errStop || asked != [2]uint32{1, 20} {
		t.Errorf("ended with %v, asked %v", err, asked)
	}
	g.Rollback()
	if n := notes(t, g, "size"); n != 1 {
		t.Errorf("memory has %d pages after rollback", n)
	}
	g.OnGrow(nil)
	run(t, g, "grow")
	commit(t, g)
	if n := g.MemorySize(); n != 21*WasmPageSize {
		t.Errorf("memory has %d bytes", n)
	}
}

func TestDeepStacksAreNotKept(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), `(module
		(func $down (param i32) (if (local.get 0) (then (call $down (i32.sub (local.get 0) (i32.const 1))))))
		(func (export "canister_update deep") (call $down (i32.const 100000)))
		(func (export "canister_update flat")))`)
	run(t, g, "deep")
	for _, f := range g.resident.functions {
		if f.call != nil {
			t.Error("a function object with a deep stack was kept")
		}
	}
	run(t, g, "flat")
	if f := g.resident.find("canister_update flat"); f.stack == nil {
		t.Error("the stack of function objects cannot be measured with this engine")
	}
	g.Rollback()
}

func TestASmallMessageAllocatesNothing(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		if kind == HeapPagemap {
			return // reads the list into a buffer of its own
		}
		for _, dir := range []string{"", t.TempDir()} {
			allocations(t, Config{Heaps: kind, HeapDir: dir})
		}
	})
}

func allocations(t *testing.T, cfg Config) {
	t.Helper()
	g := newTestGuest(t, newTestEngine(t, cfg), counter)
	entry, host := method("inc"), any(&testHost{})
	message := func() {
		if err := g.Run(entry, host, plenty); err != nil {
			t.Fatal(err)
		}
		if _, err := g.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	message()
	if n := testing.AllocsPerRun(1000, message); n > 0 {
		t.Errorf("a message allocates %v times", n)
	}
	query := func() {
		if err := g.Run(entry, host, plenty); err != nil {
			t.Fatal(err)
		}
		g.Rollback()
	}
	query()
	if n := testing.AllocsPerRun(1000, query); n > 0 {
		t.Errorf("a message that is rolled back allocates %v times", n)
	}
}
