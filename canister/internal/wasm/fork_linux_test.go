package wasm

import (
	"bytes"
	"testing"
)

// A fork takes no space, changed pages take theirs, and when the fork is gone the next commits of its source give back
// what was its own.
func TestAForkThatIsGoneLeavesItsSourceAsItWas(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		g := newTestGuest(t, e, `(module (memory 64) (global $n (mut i32) (i32.const 0))
			(func (export "canister_update all") (memory.fill (i32.const 0) (i32.const 1) (i32.const 4194304)))
			(func (export "canister_update some") (local $i i32)
				(global.set $n (i32.add (global.get $n) (i32.const 1)))
				(loop (i32.store8 (i32.mul (local.get $i) (i32.const 65536)) (global.get $n))
					(br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 60))))))`)
		run(t, g, "all")
		commit(t, g)
		run(t, g, "some")
		commit(t, g)
		space, used := takenBy(t, e.file), e.file.InUse()
		for range 50 {
			f := forkOf(g)
			if taken := takenBy(t, e.file); taken != space {
				t.Fatalf("a fork takes %d bytes", taken-space)
			}
			run(t, f, "some")
			commit(t, f)
			run(t, g, "some")
			commit(t, g)
			taken := takenBy(t, e.file)
			if most := space + 3*60*PageSize; taken > most {
				t.Fatalf("a heap of 1,024 pages and its fork take %d bytes where each has changed 60 pages, want at most %d", taken, most)
			}
			f.Close()
			run(t, g, "some")
			commit(t, g)
			if taken, now := takenBy(t, e.file), e.file.InUse(); taken != space || now != used {
				t.Fatalf("after the fork is gone %d bytes are taken and %d in use, want %d and %d", taken, now, space, used)
			}
			if g.slot.base != nil {
				t.Fatal("a layer with one owner is left")
			}
		}
	})
}

// However forks write to their heaps, the mappings of all that are resident have a bound: heaps have fewer where it is
// near, and guests are evicted.
func TestForksKeepToTheMappingsThereAre(t *testing.T) {
	for _, kind := range mappedKinds() {
		e := newTestEngine(t, Config{Heaps: kind})
		e.heaps.room = 400
		g := newTestGuest(t, e, `(module (import "ic0" "note" (func $note (param i64))) (memory 64) (global $n (mut i32) (i32.const 0))
			(func (export "canister_update all") (memory.fill (i32.const 0) (i32.const 1) (i32.const 4194304)))
			(func (export "canister_update next") (global.set $n (i32.add (global.get $n) (i32.const 1)))
				(i32.store8 (i32.rem_u (i32.mul (global.get $n) (i32.const 77777)) (i32.const 4194304)) (i32.const 2)))
			(func (export "canister_update n") (call $note (i64.extend_i32_u (global.get $n)))))`)
		run(t, g, "all")
		commit(t, g)
		var forks []*Guest
		for range 50 {
			f := forkOf(g)
			t.Cleanup(f.Close)
			forks = append(forks, f)
		}
		most, one := int64(0), 2*e.heaps.maxRuns(64*WasmPageSize)+2
		next := func(times int) {
			for i := range times * len(forks) {
				f := forks[i*7%len(forks)]
				run(t, f, "next")
				commit(t, f)
				most = max(most, e.heaps.mappings.Load())
			}
		}
		next(20)
		for _, f := range forks {
			f.residency.Lock()
			f.evict()
			f.residency.Unlock()
		}
		next(5)
		if most > e.heaps.room+one {
			t.Errorf("%s: %d mappings where there is room for %d and one heap has at most %d", kind, most, e.heaps.room, one)
		}
		if n := e.Resident(); n == len(forks)+1 || n < 3 {
			t.Errorf("%s: %d of %d guests are resident", kind, n, len(forks)+1)
		}
		for i, f := range forks {
			want := make([]byte, 64*WasmPageSize)
			for at := range want {
				want[at] = 1
			}
			for n := range notes(t, f, "n") {
				want[(n+1)*77777%uint64(len(want))] = 2
			}
			f.Rollback()
			if !bytes.Equal(heapOf(t, f), want) {
				t.Fatalf("%s: fork %d is not what was written to it", kind, i)
			}
		}
	}
}
