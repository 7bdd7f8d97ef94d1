package wasm

import "testing"

func TestAHeldSnapshotIsRevertedAfterAnyWritesInBetween(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), counter)
		s, err := g.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		see := func(when string, heap, global uint64) {
			t.Helper()
			for name, want := range map[string]uint64{"heap": heap, "global": global} {
				if got := notes(t, s, name); got != want {
					t.Errorf("%s: %s is %d, want %d", when, name, got, want)
				}
			}
		}
		hold := func() {
			t.Helper()
			if err := s.Hold(); err != nil {
				t.Fatal(err)
			}
		}
		revert := func() {
			t.Helper()
			if err := s.Revert(); err != nil {
				t.Fatal(err)
			}
		}
		hold() // nothing was written yet
		run(t, s, "inc")
		run(t, g, "inc")
		commit(t, g) // the page both wrote: what was there is needed after this
		revert()
		see("a clean page that a commit overwrote", 7, 5)
		run(t, s, "inc")
		hold()
		run(t, s, "inc")
		run(t, g, "inc")
		commit(t, g)
		revert()
		see("a page written before and after", 8, 6)
		hold()
		see("held and not written", 8, 6)
		run(t, s, "grow")
		run(t, s, "inc")
		revert()
		see("a heap that grew", 8, 6)
		if n := notes(t, s, "big"); n != 0 {
			t.Errorf("what it grew by has %d", n)
		}
		s.Rollback()
		see("after rollback", 9, 7)
		hold()
		s.Rollback()
		see("held and rolled back", 9, 7)
	})
}

func TestHeldSegmentsAreNotDropped(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), `(module (import "ic0" "note" (func $note (param i64))) (memory 1)
			(data $d "\2a")
			(func (export "canister_update drop") (data.drop $d))
			(func (export "canister_update init") (memory.init $d (i32.const 0) (i32.const 0) (i32.const 1))
				(call $note (i64.load8_u (i32.const 0)))))`)
		s, err := g.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Hold(); err != nil {
			t.Fatal(err)
		}
		run(t, s, "drop")
		if err := s.Revert(); err != nil {
			t.Fatal(err)
		}
		if n := notes(t, s, "init"); n != 42 {
			t.Errorf("the segment begins with %d", n)
		}
	})
}
