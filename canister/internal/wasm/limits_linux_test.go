package wasm

import (
	"slices"
	"testing"
)

// writesPages has functions that write to a number of pages, some with others between them.
const writesPages = `(module (memory 64)
	(global $value (mut i32) (i32.const 1))
	(func $write (param $pages i32) (param $step i32) (local $at i32)
		(global.set $value (i32.add (global.get $value) (i32.const 1)))
		(loop (i32.store8 (local.get $at) (global.get $value))
			(local.set $at (i32.add (local.get $at) (local.get $step)))
			(br_if 0 (local.tee $pages (i32.sub (local.get $pages) (i32.const 1))))))
	(func (export "canister_update all") (call $write (i32.const 1024) (i32.const 4096)))
	(func (export "canister_update 1") (call $write (i32.const 1) (i32.const 4096)))
	(func (export "canister_update 10") (call $write (i32.const 10) (i32.const 4096)))
	(func (export "canister_update 70") (call $write (i32.const 70) (i32.const 4096)))
	(func (export "canister_update 12 apart") (call $write (i32.const 12) (i32.const 8192)))
	(func (export "canister_update 13 apart") (call $write (i32.const 13) (i32.const 8192)))
	(func (export "canister_update 80 apart") (call $write (i32.const 80) (i32.const 8192)))
	(func (export "canister_update 81 apart") (call $write (i32.const 81) (i32.const 8192))))`

// More are joined to three quarters of the most.
func TestAForkHasAMostRunsOfPagesOfItsOwn(t *testing.T) {
	for _, kind := range mappedKinds() {
		e := newTestEngine(t, Config{Heaps: kind})
		g := newTestGuest(t, e, writesPages)
		run(t, g, "all")
		commit(t, g)
		for _, c := range []struct {
			name  string
			inUse int64 // mappings of other guests
			runs  int64
		}{
			{"80 apart", 0, 80},
			{"81 apart", 0, 60},
			{"12 apart", 45_000, 12},
			{"13 apart", 45_000, 9},
		} {
			f := forkOf(g)
			run(t, f, c.name)
			e.heaps.mappings.Add(c.inUse)
			commit(t, f)
			e.heaps.mappings.Add(-c.inUse)
			if f.slot.runs != c.runs {
				t.Errorf("%s: with %d mappings in use, a fork that wrote %s pages has %d runs of pages, want %d", kind, c.inUse, c.name, f.slot.runs, c.runs)
			}
			f.Close()
		}
	}
}

func TestAHeapKeepsSixtyFourPrivatePagesBetweenMessages(t *testing.T) {
	for _, kind := range mappedKinds() {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), writesPages)
		run(t, g, "all")
		commit(t, g)
		run(t, g, "70")
		commit(t, g)
		if taken := g.resident.heap.(*mappedHeap).taken(); taken != 64*4096 {
			t.Errorf("%s: after a commit of 70 pages %d bytes stay private, want those of 64 pages", kind, taken)
		}
	}
}

// What the last message did not change goes.
func TestEveryThirtySecondCommitGivesUpPrivatePages(t *testing.T) {
	for _, kind := range mappedKinds() {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), writesPages)
		run(t, g, "all")
		commit(t, g)
		run(t, g, "10")
		commit(t, g)
		for commits := 4; commits <= 33; commits++ { // one of the installation, two above
			run(t, g, "1")
			commit(t, g)
			want := int64(10 * 4096)
			if commits >= 32 {
				want = 4096
			}
			if taken := g.resident.heap.(*mappedHeap).taken(); taken != want {
				t.Fatalf("%s: after %d commits %d bytes are private, want %d", kind, commits, taken, want)
			}
		}
	}
}

// parts is a heap that notes how many pages a commit has written each time.
type parts struct {
	*mappedHeap
	pages []int64
}

func (p *parts) written(pages span) {
	p.mappedHeap.written(pages)
	p.pages = append(p.pages, pages.end-pages.first)
}

// What is written is given up before more is: it takes memory twice for so long.
func TestACommitWrites1MiBAtATime(t *testing.T) {
	for _, kind := range mappedKinds() {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), writesPages)
		run(t, g, "all")
		whole := g.resident.heap.(*mappedHeap)
		noting := &parts{mappedHeap: whole}
		g.resident.heap = noting
		commit(t, g)
		g.resident.heap = whole
		if want := []int64{256, 256, 256, 256}; !slices.Equal(noting.pages, want) {
			t.Errorf("%s: a commit of 4 MiB is written in parts of %d pages, want %d", kind, noting.pages, want)
		}
	}
}
