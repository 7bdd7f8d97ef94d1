package wasm

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

const successor = `(module
	(import "ic0" "note" (func $note (param i64)))
	(memory 3)
	(global $n (mut i64) (i64.const 100))
	(data (i32.const 8) "\ff")
	(func (export "canister_update heap") (call $note (i64.load (i32.const 8))))
	(func (export "canister_update global") (call $note (global.get $n)))
	(func (export "canister_update size") (call $note (i64.extend_i32_u (memory.size))))
	(func (export "canister_update set") (i64.store (i32.const 8) (i64.const 1)) (i64.store (i32.const 90000) (i64.const 1))))`

func TestAnUpgradeKeepsTheHeapOrNot(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		old, next := compiled(t, e, counter), compiled(t, e, successor)
		for _, keep := range []bool{true, false} {
			g, err := e.NewGuest(old)
			if err != nil {
				t.Fatal(err)
			}
			run(t, g, "inc")
			commit(t, g)
			run(t, g, "inc") // what pre_upgrade does: not committed
			for _, end := range []string{"close", "commit"} {
				s, err := g.Successor(next, keep)
				if err != nil {
					t.Fatal(err)
				}
				if n := s.DirtyPages(); n != 0 {
					t.Errorf("keep %v: a new successor has %d dirty pages", keep, n)
				}
				want := map[string]uint64{"heap": 9, "global": 100, "size": 3}
				if !keep {
					want["heap"] = 255
				}
				for name, n := range want {
					if got := notes(t, s, name); got != n {
						t.Errorf("keep %v: %s is %d, want %d", keep, name, got, n)
					}
				}
				run(t, s, "set")
				if n := s.DirtyPages(); n != 2 {
					t.Errorf("keep %v: post_upgrade dirtied %d pages, want 2", keep, n)
				}
				if end == "close" {
					s.Close()
					if got := notes(t, g, "heap"); got != 9 {
						t.Errorf("keep %v: a closed successor changed the heap to %d", keep, got)
					}
					continue
				}
				commit(t, s)
				g.Close()
				if got := notes(t, s, "heap"); got != 1 {
					t.Errorf("keep %v: committed heap has %d", keep, got)
				}
				s.Rollback()
				if got := notes(t, s, "global"); got != 100 {
					t.Errorf("keep %v: committed global has %d", keep, got)
				}
				s.Close()
			}
		}
		if n := e.File().InUse(); n != 0 {
			t.Errorf("%d bytes of the checkpoint file are still in use", n)
		}
	})
}

func TestMarkRestartsTheCount(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), counter)
	run(t, g, "inc")
	if err := g.Mark(); err != nil {
		t.Fatal(err)
	}
	if n := g.DirtyPages(); n != 0 {
		t.Errorf("%d dirty pages after Mark", n)
	}
	run(t, g, "inc")
	if n := g.DirtyPages(); n != 1 {
		t.Errorf("%d dirty pages after one more", n)
	}
	g.Rollback()
	if n := g.DirtyPages(); n != 0 {
		t.Errorf("%d dirty pages after rollback", n)
	}
}

func TestAPageWrittenWithTheSameBytesIsNotDirty(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), `(module (memory 2)
			(func (export "canister_update same") (memory.fill (i32.const 0) (i32.const 0) (i32.const 131072)))
			(func (export "canister_update cross") (i64.store (i32.const 4092) (i64.const -1)))
			(func (export "canister_update back") (i64.store (i32.const 4092) (i64.const 0))))`)
		for _, c := range []struct {
			name string
			want int
		}{{"same", 0}, {"cross", 2}, {"cross", 0}, {"back", 2}, {"same", 0}} {
			run(t, g, c.name)
			if n := g.DirtyPages(); n != c.want {
				t.Errorf("%s dirtied %d pages, want %d", c.name, n, c.want)
			}
			if got := commit(t, g); got.DirtyPages != c.want {
				t.Errorf("%s committed %d pages, want %d", c.name, got.DirtyPages, c.want)
			}
		}
	})
}

func TestASnapshotSeesOneStateUntilItIsRolledBack(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), counter)
		run(t, g, "inc") // the owner is in the middle of a message
		s, err := g.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		see := func(when string, heap, global, size uint64) {
			t.Helper()
			for name, want := range map[string]uint64{"heap": heap, "global": global, "size": size} {
				if got := notes(t, s, name); got != want {
					t.Errorf("%s: %s is %d, want %d", when, name, got, want)
				}
			}
		}
		see("at first", 7, 5, 1)
		run(t, g, "grow")
		commit(t, g)
		run(t, g, "inc")
		commit(t, g)
		see("after two commits", 7, 5, 1)
		run(t, s, "grow")
		run(t, s, "inc")
		see("after its own changes", 8, 6, 21)
		s.Rollback()
		see("after rollback", 9, 7, 21)
		if n := notes(t, s, "big"); n != 99 {
			t.Errorf("grown memory has %d", n)
		}
		run(t, s, "inc")
		s.Rollback()
		see("after another", 9, 7, 21)
		s.Rollback()
		run(t, g, "inc")
		commit(t, g)
		see("after another commit", 10, 8, 21)
		g.Close()
		see("after its origin is closed", 10, 8, 21)
		s.Rollback()
		if err := s.tryBegin(); err != errGone {
			t.Errorf("a snapshot of a closed guest began again: %v", err)
		}
	})
}

func TestQueriesRunWhileTheOwnerIsSuspendedAndCommits(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		g := newTestGuest(t, e, `(module (import "ic0" "note" (func $note (param i64))) (memory 16)
			(global $n (mut i32) (i32.const 0))
			(func (export "canister_update set") (global.set $n (i32.add (global.get $n) (i32.const 1)))
				(memory.fill (i32.const 0) (global.get $n) (i32.const 1048576)))
			(func (export "canister_update look") (local $i i32)
				(loop
					(if (i32.ne (i32.load8_u (local.get $i)) (i32.and (global.get $n) (i32.const 255))) (then (unreachable)))
					(br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 509))) (i32.const 1048000))))
				(memory.fill (i32.const 0) (i32.const 77) (i32.const 100000)))
			(func (export "canister_update deep") (drop (memory.grow (i32.const 3)))))`)
		suspended, queried := make(chan struct{}), make(chan struct{})
		var group sync.WaitGroup
		for i := range 2 {
			group.Go(func() {
				<-suspended
				s, err := g.Snapshot()
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				for n := range 60 {
					if n == 10 && i == 0 {
						close(queried)
					}
					for _, name := range []string{"look", "deep"} {
						if err := s.Run(method(name), nil, Budget{Limit: 1e9, Slice: 20000}); err != nil {
							t.Errorf("query %d: %v", n, err)
							return
						}
					}
					s.Rollback()
				}
			})
		}
		once := false
		for range 100 {
			if err := g.Run(method("set"), nil, Budget{Limit: 1e9, Slice: 1000, Pause: func(uint64) {
				if !once {
					once = true
					close(suspended)
					<-queried
				}
			}}); err != nil {
				t.Fatal(err)
			}
			commit(t, g)
		}
		group.Wait()
	})
}

func TestSleepingGuestsKeepTheirState(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind, MaxResident: 4})
		guests := make([]*Guest, 20)
		for i := range guests {
			guests[i] = newTestGuest(t, e, counter)
		}
		for round := range 5 {
			for i, g := range guests {
				if i%2 == 0 || round == 3 {
					run(t, g, "inc")
					commit(t, g)
				} else {
					run(t, g, "grow")
					g.Rollback()
				}
				if n := e.Resident(); n > 4 {
					t.Fatalf("%d guests are resident", n)
				}
			}
		}
		for i, g := range guests {
			want := uint64(7 + 1)
			if i%2 == 0 {
				want = 7 + 5
			}
			if values := g.Globals(); values[0].Low != want-2 {
				t.Errorf("guest %d: global is %d, want %d", i, values[0].Low, want-2)
			}
			var word [8]byte
			if err := g.ReadHeap(8, word[:]); err != nil || binary.LittleEndian.Uint64(word[:]) != want {
				t.Errorf("guest %d: heap has %v, want %d (%v)", i, word, want, err)
			}
			if got := notes(t, g, "heap"); got != want {
				t.Errorf("guest %d: heap has %d, want %d", i, got, want)
			}
			g.Rollback()
		}
	})
}

func TestVectorGlobalsAreSavedWhole(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), `(module (import "ic0" "note" (func $note (param i64)))
		(global $v (mut v128) (v128.const i64x2 1 2)) (global $f (mut f64) (f64.const 1.5))
		(func (export "canister_update set") (global.set $v (v128.const i64x2 3 4)) (global.set $f (f64.const 2)))
		(func (export "canister_update low") (call $note (i64x2.extract_lane 0 (global.get $v))))
		(func (export "canister_update high") (call $note (i64x2.extract_lane 1 (global.get $v)))))`)
	run(t, g, "set")
	g.Rollback()
	if low, high := notes(t, g, "low"), notes(t, g, "high"); low != 1 || high != 2 {
		t.Errorf("rolled back to %d, %d", low, high)
	}
	run(t, g, "set")
	commit(t, g)
	g.residency.Lock()
	g.evict()
	g.residency.Unlock()
	if low, high := notes(t, g, "low"), notes(t, g, "high"); low != 3 || high != 4 {
		t.Errorf("woke up with %d, %d", low, high)
	}
	g.Rollback()
	if v := g.Globals(); v[0].High != 4 || v[0].Type != valueTypeV128 || v[1].Low != 0x4000000000000000 {
		t.Errorf("globals are %+v", v)
	}
}

func TestGuestsOfOneCodeRunInParallel(t *testing.T) {
	e := newTestEngine(t, Config{MaxResident: 3})
	code := compiled(t, e, counter)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			g, err := e.NewGuest(code)
			if err != nil {
				t.Error(err)
				return
			}
			defer g.Close()
			for range 200 {
				if err := g.Run(method("inc"), nil, plenty); err != nil {
					t.Error(err)
				}
				if _, err := g.Commit(); err != nil {
					t.Error(err)
				}
			}
			if v := g.Globals()[0].Low; v != 205 {
				t.Errorf("counted to %d", v)
			}
		})
	}
	group.Wait()
}

func TestEverythingIsGivenBack(t *testing.T) {
	defer goleak.VerifyNone(t)
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return 0
		}
		return len(entries)
	}
	mappings := func() int {
		maps, _ := os.ReadFile("/proc/self/maps")
		return strings.Count(string(maps), "checkpoint")
	}
	eachKind(t, func(t *testing.T, kind HeapKind) {
		files := descriptors()
		e, err := NewEngine(Config{Heaps: kind, CacheDir: t.TempDir(), HeapDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Link(testAPI()); err != nil {
			t.Fatal(err)
		}
		code := compiled(t, e, counter)
		for i := range 10 {
			g, err := e.NewGuest(code)
			if err != nil {
				t.Fatal(err)
			}
			run(t, g, "grow")
			if i%2 == 0 {
				commit(t, g)
			}
			if i%3 == 0 {
				g.Close()
			} else if i%2 == 0 {
				if _, err := g.Snapshot(); err != nil { // left open
					t.Fatal(err)
				}
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if n := descriptors(); n != files {
			t.Errorf("%d files are open, %d before", n, files)
		}
		if n := mappings(); n != 0 {
			t.Errorf("%d mappings are left", n)
		}
	})
}

func TestEveryMessageBeginsWithAllPassiveSegments(t *testing.T) {
	g := newTestGuest(t, newTestEngine(t, Config{}), `(module (memory 1) (data $d "abc")
		(func (export "canister_update use") (memory.init $d (i32.const 0) (i32.const 0) (i32.const 3)) (data.drop $d))
		(func (export "canister_update drop") (data.drop $d)))`)
	for _, end := range []func(){func() { commit(t, g) }, g.Rollback, func() { commit(t, g) }} {
		run(t, g, "use")
		if err := g.Run(method("use"), nil, plenty); !isTrap(err, HeapOutOfBounds) {
			t.Errorf("a segment dropped in the same message: %v", err)
		}
		end()
	}
}

func TestAReinstalledGuestMaySleepBeforeItIsCommitted(t *testing.T) {
	e := newTestEngine(t, Config{MaxResident: 1})
	g := newTestGuest(t, e, counter)
	s, err := g.Successor(g.code, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run(t, s, "inc")
	s.Rollback()
	run(t, newTestGuest(t, e, counter), "inc")
	for name, want := range map[string]uint64{"heap": 7, "global": 5} {
		if got := notes(t, s, name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	commit(t, s)
}

func TestAStartFunctionRunsWhenAsked(t *testing.T) {
	e := newTestEngine(t, Config{})
	const text = `(module (import "ic0" "note" (func $note (param i64))) (memory 1) (start $s)
		(func $s (i64.store (i32.const 0) (i64.add (i64.load (i32.const 0)) (i64.const 1))) %s)
		(func (export "canister_update look") (call $note (i64.load (i32.const 0)))))`
	g := newTestGuest(t, e, fmt.Sprintf(text, ""))
	if got := notes(t, g, "look"); got != 0 {
		t.Errorf("started by itself: %d", got)
	}
	if err := g.Run(Entry{Export: g.Code().Module().Start}, nil, plenty); err != nil {
		t.Fatal(err)
	}
	commit(t, g)
	if got := notes(t, g, "look"); got != 1 {
		t.Errorf("started %d times", got)
	}
	bad := newTestGuest(t, e, fmt.Sprintf(text, "unreachable"))
	if err := bad.Run(Entry{Export: bad.Code().Module().Start}, nil, plenty); !isTrap(err, Unreachable) {
		t.Errorf("start ended with %v", err)
	}
	bad.Rollback()
	if got := notes(t, bad, "look"); got != 0 {
		t.Errorf("a start that trapped left %d", got)
	}
}
