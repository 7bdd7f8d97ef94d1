package wasm

import (
	"bytes"
	"testing"
)

// filling writes to 32 MiB of a heap of 64 MiB that was never written, or to one of 16 pages of it, or reads all.
const filling = `(module (import "ic0" "note" (func $note (param i64))) (memory 1024)
	(func (export "canister_update fill") (memory.fill (i32.const 0x100000) (i32.const 7) (i32.const 0x2000000)))
	(func (export "canister_update again") (memory.fill (i32.const 0x100000) (i32.const 8) (i32.const 0x2000000)))
	(func (export "canister_update scatter") (local $i i32)
		(loop (i32.store8 (local.get $i) (i32.const 9))
			(br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 65536))) (i32.const 0x2000000)))))
	(func (export "canister_update look") (local $i i32) (local $sum i64)
		(loop (local.set $sum (i64.add (local.get $sum) (i64.load8_u (local.get $i))))
			(br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4096))) (i32.const 0x4000000))))
		(call $note (local.get $sum))))`

const filled = 0x2000000

// sampled is a heap that measures what it and the file take together while a commit is under way.
type sampled struct {
	*mappedHeap
	sample func(private int64)
}

func (s *sampled) written(pages span) {
	s.mappedHeap.written(pages)
	s.sample(s.taken())
}

// taken is the bytes of private pages.
func (h *mappedHeap) taken() int64 {
	spans, err := new(privatePages).list(h.space, h.memory, nil)
	if err != nil {
		panic(err)
	}
	return int64(countPages(spans)) * PageSize
}

func TestAMessageTakesMemoryForEachPageOnce(t *testing.T) {
	for _, kind := range mappedKinds() {
		e := newTestEngine(t, Config{Heaps: kind})
		g := newTestGuest(t, e, filling)
		before := takenBy(t, e.file)
		run(t, g, "fill")
		if taken := takenBy(t, e.file) - before; taken > 0 {
			t.Errorf("%s: the file takes %d bytes for pages that are not committed", kind, taken)
		}
		g.Rollback()
		if n := notes(t, g, "look"); n != 0 {
			t.Errorf("%s: pages that were never committed have something", kind)
		}
		if taken := takenBy(t, e.file) - before; taken > 0 {
			t.Errorf("%s: reading takes %d bytes of the file", kind, taken)
		}
		g.Rollback()
		run(t, g, "fill")
		heap, most := g.resident.heap.(*mappedHeap), int64(0)
		g.resident.heap = &sampled{heap, func(private int64) { most = max(most, private+takenBy(t, e.file)-before) }}
		commit(t, g)
		g.resident.heap = heap
		if most == 0 || most > filled+writtenPart*PageSize {
			t.Errorf("%s: a commit of %d bytes took %d meanwhile", kind, filled, most)
		}
		if left := heap.taken(); left > stickyPages*PageSize {
			t.Errorf("%s: %d bytes of private pages are left after the commit", kind, left)
		}
		want := make([]byte, 64<<20)
		copy(want[1<<20:], bytes.Repeat([]byte{7}, filled))
		if !bytes.Equal(heapOf(t, g), want) || !bytes.Equal(heap.bytes(), want) {
			t.Errorf("%s: the heap is not what was committed", kind)
		}
	}
}

// Listing private pages walks the page tables of all pages that were touched. A large heap drops them from time to time,
// and is read again from what was committed.
func TestALargeHeapDropsItsPageTablesAfterSomeCommits(t *testing.T) {
	for _, kind := range mappedKinds() {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), `(module (memory 1024) (global $n (mut i32) (i32.const 0))
			(func (export "canister_update next")
				(i32.store8 (i32.mul (global.get $n) (i32.const 0x100000)) (i32.add (global.get $n) (i32.const 1)))
				(global.set $n (i32.add (global.get $n) (i32.const 1)))))`)
		want := make([]byte, 64<<20)
		heap := g.resident.heap.(*mappedHeap)
		var drops []int
		for n := range 64 {
			run(t, g, "next")
			commit(t, g)
			want[n<<20] = byte(n + 1)
			if heap.walks == 0 {
				drops = append(drops, n)
				if taken := heap.taken(); taken > 0 {
					t.Errorf("%s: %d bytes of private pages are left when all were dropped", kind, taken)
				}
			}
		}
		if len(drops) != 4 || drops[1]-drops[0] != 16 || drops[3]-drops[2] != 16 {
			t.Errorf("%s: page tables were dropped after the commits %v", kind, drops)
		}
		if !bytes.Equal(heap.bytes(), want) || !bytes.Equal(heapOf(t, g), want) {
			t.Errorf("%s: the heap is not what was committed", kind)
		}
	}
}

// Queries keep the bytes they began with. Of pages that were never written they need no copies for that.
func TestAQueryKeepsZerosWithoutACopy(t *testing.T) {
	for _, kind := range mappedKinds() {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), filling)
		query, err := g.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		run(t, g, "fill")
		commit(t, g)
		if taken := query.resident.heap.(*mappedHeap).taken(); taken > 0 {
			t.Errorf("%s: a query that did nothing takes %d bytes", kind, taken)
		}
		if n := notes(t, query, "look"); n != 0 {
			t.Errorf("%s: the query sees what was committed after it began", kind)
		}
		query.Rollback()
		if n := notes(t, query, "look"); n != 7*filled/PageSize {
			t.Errorf("%s: after it the query does not see what was committed", kind)
		}
		query.Close()
	}
}

func TestScatteredPagesMakeFewMappings(t *testing.T) {
	for _, kind := range mappedKinds() {
		e := newTestEngine(t, Config{Heaps: kind})
		g := newTestGuest(t, e, filling)
		run(t, g, "scatter")
		commit(t, g)
		if n := e.heaps.mappings.Load(); n > 3 {
			t.Errorf("%s: a heap of which one half was written to has %d mappings", kind, n)
		}
		e.heaps.room = 0 // mappings are scarce
		evicted := newTestGuest(t, e, filling)
		run(t, evicted, "scatter")
		if n := len(evicted.resident.heap.(*mappedHeap).mappings); n != 1 {
			t.Errorf("%s: a heap has %d mappings where they are scarce", kind, n)
		}
		if n := notes(t, evicted, "look"); n != 9*filled/WasmPageSize {
			t.Errorf("%s: the sum of the pages is %d", kind, n)
		}
	}
}

func TestPagesBetweenCommittedOnesTakeMemoryOnce(t *testing.T) {
	often := trimFaults
	t.Cleanup(func() { trimFaults = often })
	trimFaults = 2048
	for _, kind := range mappedKinds() {
		e := newTestEngine(t, Config{Heaps: kind})
		g := newTestGuest(t, e, filling)
		run(t, g, "scatter") // 16 pages of each block
		commit(t, g)
		before := takenBy(t, e.file)
		most := int64(0)
		budget := plenty
		budget.Slice = 10_000
		budget.Pause = func(uint64) { most = max(most, takenBy(t, e.file)-before) }
		for _, name := range []string{"fill", "look"} {
			if err := g.Run(method(name), &testHost{}, budget); err != nil {
				t.Fatal(err)
			}
			most = max(most, takenBy(t, e.file)-before)
			g.Rollback()
		}
		if most > trimFaults*PageSize*3/2 {
			t.Errorf("%s: pages that are not committed take %d bytes of the file", kind, most)
		}
		if n := notes(t, g, "look"); n != 9*filled/WasmPageSize {
			t.Errorf("%s: the sum of the pages is %d", kind, n)
		}
	}
}

// losing is a heap that a commit leaves without its mappings.
type losing struct{ *mappedHeap }

func (l *losing) committed(changed []span) error {
	_ = l.mappedHeap.committed(changed)
	clear(l.memory)
	return errTorn
}

func TestAHeapThatACommitLosesIsThatOfTheFileAgain(t *testing.T) {
	for _, kind := range mappedKinds() {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), filling)
		run(t, g, "fill")
		g.resident.heap = &losing{g.resident.heap.(*mappedHeap)}
		if c := commit(t, g); c.DirtyPages != filled/PageSize {
			t.Errorf("%s: the commit says %d pages", kind, c.DirtyPages)
		}
		if n := notes(t, g, "look"); n != 7*filled/PageSize {
			t.Errorf("%s: the next message does not see what was committed", kind)
		}
	}
}

// Compiled code cannot be interrupted before what it was granted is used up.
func TestCodeThatTakesManyPageFaultsIsGrantedLittle(t *testing.T) {
	for _, kind := range mappedKinds() {
		g := newTestGuest(t, newTestEngine(t, Config{Heaps: kind}), `(module (memory 1024)
			(func (export "canister_update scatter") (local $i i32)
				(loop (i32.store8 (local.get $i) (i32.const 9))
					(br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4096))) (i32.const 0x4000000)))))
			(func (export "canister_update spin") (local $i i32)
				(loop (br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 1000000))))))`)
		for name, want := range map[string]uint64{"scatter": 5_000, "spin": 50_000} {
			run(t, g, name)
			if g.part != want {
				t.Errorf("%s: %s is granted %d instructions at a time, want %d", kind, name, g.part, want)
			}
			g.Rollback()
		}
	}
}
