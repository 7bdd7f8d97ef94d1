package wasm

import (
	"testing"
)

// A fork takes no space, changed pages take theirs, and when the fork is gone the next commits of its source give back what was its own.
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
			f := g.Fork()
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
				t.Fatal("a layer is left that nobody else has")
			}
		}
	})
}
