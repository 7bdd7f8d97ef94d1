package wasm

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// marks writes runs of bytes and single bytes that lie apart, and grows.
const marks = `(module (import "ic0" "note" (func $note (param i64))) (memory 1 20)
	(global $at (mut i32) (i32.const 0)) (global $n (mut i32) (i32.const 0)) (global $v (mut i32) (i32.const 0))
	(func (export "canister_update fill") (memory.fill (global.get $at) (global.get $v) (global.get $n)))
	(func (export "canister_update scatter") (local $i i32)
		(loop
			(i32.store8 (i32.rem_u (i32.add (global.get $at) (i32.mul (local.get $i) (global.get $n))) (i32.mul (memory.size) (i32.const 65536))) (global.get $v))
			(br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 24)))))
	(func (export "canister_update grow") (drop (memory.grow (global.get $n)))))`

// relatives are guests forked from each other and images of them, with what each must be.
type relatives struct {
	e       *Engine
	code    *Code
	members []*relative
	images  []*picture
	roots   []*past
	read    []byte // see buffer
}

type relative struct {
	g    *Guest
	heap []byte
}

type picture struct {
	im   *Image
	heap []byte
}

type past struct {
	SnapshotRoot
	heap []byte
}

// set makes the globals of a guest those of its next message.
func (r *relative) set(at, n, v uint32) {
	r.g.begin()
	for i, value := range []uint32{at, n, v} {
		r.g.resident.globals[i].narrow.Set(uint64(value))
	}
}

func (r *relative) fill(heap []byte, at, n int, v byte) []byte {
	copy(heap[at:], bytes.Repeat([]byte{v}, n))
	return heap
}

func (r *relative) scatter(heap []byte, at, n int, v byte) []byte {
	for i := range 24 {
		heap[(at+i*n)%len(heap)] = v
	}
	return heap
}

// message runs a function and commits it or not; meanwhile does something in the middle.
func (r *relative) message(t *rapid.T, name string, meanwhile func()) {
	at := rapid.IntRange(0, len(r.heap)-1).Draw(t, "at")
	n := rapid.SampledFrom([]int{1, 4096, 8192, 40_000, 300_000}).Draw(t, "n")
	v := rapid.Byte().Draw(t, "v")
	after := bytes.Clone(r.heap)
	switch name {
	case "fill":
		n = min(n, len(r.heap)-at)
		after = r.fill(after, at, n, v)
	case "scatter":
		after = r.scatter(after, at, n, v)
	case "grow":
		if n = rapid.IntRange(0, 5).Draw(t, "pages"); len(after)/WasmPageSize+n <= 20 {
			after = append(after, make([]byte, n*WasmPageSize)...)
		}
	}
	r.set(uint32(at), uint32(n), uint32(v))
	if err := r.g.Run(method(name), nil, plenty); err != nil {
		t.Fatal(err)
	}
	if name == "grow" && len(after) > len(r.heap) {
		last := len(after) - 1 - at%WasmPageSize
		r.set(uint32(last), 1, uint32(v))
		if err := r.g.Run(method("fill"), nil, plenty); err != nil {
			t.Fatal(err)
		}
		after[last] = v
	}
	meanwhile()
	if rapid.IntRange(0, 3).Draw(t, "rolled back") == 0 {
		r.g.Rollback()
		return
	}
	if _, err := r.g.Commit(); err != nil {
		t.Fatal(err)
	}
	r.heap = after
}

func (r *relatives) draw(t *rapid.T) *relative {
	return r.members[rapid.IntRange(0, len(r.members)-1).Draw(t, "guest")]
}

func (r *relatives) actions() map[string]func(*rapid.T) {
	message := func(name string) func(*rapid.T) {
		return func(t *rapid.T) {
			m := r.draw(t)
			m.message(t, name, func() {
				if rapid.IntRange(0, 5).Draw(t, "forked meanwhile") == 0 {
					r.fork(m)
				}
			})
		}
	}
	return map[string]func(*rapid.T){
		"fill": message("fill"), "scatter": message("scatter"), "scatter more": message("scatter"), "grow": message("grow"),
		"fork": func(t *rapid.T) { r.fork(r.draw(t)) },
		"close": func(t *rapid.T) {
			if i := rapid.IntRange(0, len(r.members)-1).Draw(t, "closed"); len(r.members) > 1 {
				r.members[i].g.Close()
				r.members = append(r.members[:i], r.members[i+1:]...)
			}
		},
		"evict": func(t *rapid.T) {
			g := r.draw(t).g
			g.residency.Lock()
			g.evict()
			g.residency.Unlock()
		},
		"idle":    func(*rapid.T) { evictAllIdle(r.e) },
		"new":     r.install,
		"upgrade": func(t *rapid.T) { r.upgrade(t, r.draw(t)) },
		"image":   r.image,
		"root":    r.root,
		"query":   func(t *rapid.T) { r.query(t, r.draw(t)) },
		"":        r.check,
	}
}

// install adds a guest that has some pages in common with others that were installed.
func (r *relatives) install(t *rapid.T) {
	if len(r.members) >= 6 {
		return
	}
	g, err := r.e.NewGuest(r.code)
	if err != nil {
		t.Fatal(err)
	}
	m := &relative{g, make([]byte, WasmPageSize)}
	m.set(0, 30_000, 9)
	if err := g.Run(method("fill"), nil, plenty); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Commit(); err != nil {
		t.Fatal(err)
	}
	m.heap = m.fill(m.heap, 0, 30_000, 9)
	r.members = append(r.members, m)
}

func (r *relatives) fork(from *relative) {
	if len(r.members) < 6 {
		r.members = append(r.members, &relative{forkOf(from.g), bytes.Clone(from.heap)})
	}
}

// upgrade replaces the code of a guest in the middle of a message, or does not after all.
func (r *relatives) upgrade(t *rapid.T, m *relative) {
	m.set(0, 10_000, 200)
	if err := m.g.Run(method("fill"), nil, plenty); err != nil {
		t.Fatal(err)
	}
	next, err := m.g.Successor(r.code, true)
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "forked meanwhile") {
		r.fork(m)
	}
	if rapid.Bool().Draw(t, "given up") {
		next.Close()
		m.g.Rollback()
		return
	}
	if _, err := next.Commit(); err != nil {
		t.Fatal(err)
	}
	m.g, m.heap = next, m.fill(bytes.Clone(m.heap), 0, 10_000, 200)
}

// root takes a root, makes a guest of one or closes one.
func (r *relatives) root(t *rapid.T) {
	if len(r.roots) < 3 {
		m := r.draw(t)
		r.roots = append(r.roots, &past{m.g.SnapshotRoot(), bytes.Clone(m.heap)})
		return
	}
	i := rapid.IntRange(0, 2).Draw(t, "root")
	p := r.roots[i]
	if rapid.Bool().Draw(t, "forked") && len(r.members) < 6 {
		r.members = append(r.members, &relative{p.Guest(), bytes.Clone(p.heap)})
	}
	if rapid.Bool().Draw(t, "closed") {
		p.Close()
		r.roots = append(r.roots[:i], r.roots[i+1:]...)
	}
}

// image takes an image, loads one or closes one.
func (r *relatives) image(t *rapid.T) {
	m := r.draw(t)
	if len(r.images) < 3 {
		r.images = append(r.images, &picture{m.g.Freeze(), bytes.Clone(m.heap)})
		return
	}
	i := rapid.IntRange(0, 2).Draw(t, "image")
	p := r.images[i]
	if rapid.Bool().Draw(t, "loaded") {
		next := r.e.Restore(r.code, p.im, m.g.Globals())
		m.g.Close()
		m.g, m.heap = next, bytes.Clone(p.heap)
		return
	}
	p.im.Close()
	r.images = append(r.images[:i], r.images[i+1:]...)
}

// query holds a snapshot open, partly written, while its guest changes and is forked.
func (r *relatives) query(t *rapid.T, m *relative) {
	s, err := m.g.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := relative{s, bytes.Clone(m.heap)}
	q.set(9000, 5000, 3)
	if err := s.Run(method("fill"), nil, plenty); err != nil {
		t.Fatal(err)
	}
	q.heap = q.fill(q.heap, 9000, 5000, 3)
	var forks []*Guest
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		m.message(t, rapid.SampledFrom([]string{"fill", "scatter", "grow"}).Draw(t, "change"), func() {})
		if rapid.Bool().Draw(t, "forked") {
			forks = append(forks, forkOf(m.g))
		} else if n := len(forks); n > 0 {
			forks[n-1].Close()
			forks = forks[:n-1]
		}
		r.sees(t, s, q.heap)
	}
	s.Rollback()
	q.set(0, 0, 0)
	r.sees(t, s, m.heap)
	for _, f := range forks {
		f.Close()
	}
}

// buffer returns room for a read of so many bytes. It has what was read last, so a read must also write zeros.
func (r *relatives) buffer(size uint64) []byte {
	r.read = slices.Grow(r.read[:0], int(size))[:size]
	return r.read
}

func (r *relatives) sees(t *rapid.T, g *Guest, want []byte) {
	got := r.buffer(g.MemorySize())
	if err := g.ReadHeap(0, got); err != nil {
		t.Fatal(err)
	}
	if !checkpoint.Equal(got, want) {
		t.Fatalf("a heap of %d bytes is not what was written to it, %d bytes", len(got), len(want))
	}
}

// check compares what is committed and what resident guests see, and recounts.
func (r *relatives) check(t *rapid.T) {
	for _, m := range r.members {
		r.sees(t, m.g, m.heap)
		if m.g.resident != nil && !checkpoint.Equal(m.g.resident.heap.bytes(), m.heap) {
			t.Fatal("the heap of a resident guest is not the committed one")
		}
		recount(t, &m.g.slot.store, m.g.slot.size)
	}
	for _, p := range r.images {
		got := r.buffer(p.im.Size())
		if err := p.im.Read(0, got); err != nil || !checkpoint.Equal(got, p.heap) {
			t.Fatalf("an image is not the heap it was taken of (%v)", err)
		}
		recount(t, &p.im.store, p.im.size)
	}
}

func recount(t *rapid.T, s *store, size int64) {
	var own, covered, written, runs int64
	last := false
	for page := range size / PageSize {
		if s.present.has(page) {
			own++
			if s.base != nil && s.base.present.has(page) {
				covered++
			}
		}
		if s.holder(page) != nil {
			written++
		}
		here := s.base != nil && page < s.base.pages && s.here.has(page)
		if here && !last {
			runs++
		}
		last = here
	}
	if s.own != own || s.covered != covered || s.written != written || s.runs != runs {
		t.Fatalf("own %d, covered %d, written %d, runs %d; counted %d, %d, %d, %d", s.own, s.covered, s.written, s.runs, own, covered, written, runs)
	}
	depth := 0
	for s = s.below(); s != nil; s = s.below() {
		depth++
	}
	if depth > 9 { // as many as a number of 320 has bits
		t.Fatalf("%d layers under a heap of %d pages", depth, size/PageSize)
	}
}

// smallBlocks lets small heaps do what large ones do.
func smallBlocks(t *testing.T) {
	block, many, large, trim, patches := blockPages, manyPages, largeHeap, trimFaults, maxPatches
	t.Cleanup(func() { blockPages, manyPages, largeHeap, trimFaults, maxPatches = block, many, large, trim, patches })
	blockPages, manyPages, largeHeap, trimFaults, maxPatches = 64, 16, 2*WasmPageSize, 20, 8
}

func TestForksAreWhatWasWrittenToThem(t *testing.T) {
	smallBlocks(t)
	eachKind(t, func(t *testing.T, kind HeapKind) {
		t.Parallel() // beside the other kinds alone: the blocks are of the process
		e := newTestEngine(t, Config{Heaps: kind, MaxResident: 4})
		code := compiled(t, e, marks)
		rapid.Check(t, func(t *rapid.T) {
			r := &relatives{e: e, code: code}
			e.heaps.room = rapid.SampledFrom([]int64{0, maxMappings}).Draw(t, "room for mappings")
			defer func() {
				for _, m := range r.members {
					m.g.Close()
				}
				for _, p := range r.roots {
					p.Close()
				}
				for _, p := range r.images {
					p.im.Close()
				}
			}()
			g, err := e.NewGuest(code)
			if err != nil {
				t.Fatal(err)
			}
			r.members = append(r.members, &relative{g, make([]byte, WasmPageSize)})
			t.Repeat(r.actions())
		})
		if n := e.File().InUse(); n != 0 {
			t.Errorf("%d bytes of the checkpoint file are still in use", n)
		}
		if n := e.heaps.mappings.Load(); n != 0 {
			t.Errorf("%d mappings are still counted", n)
		}
	})
}

func TestForkingAgainAndAgainMakesFewLayers(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		g := newTestGuest(t, e, marks)
		m := &relative{g, nil}
		m.set(0, 19, 0)
		if err := g.Run(method("grow"), nil, plenty); err != nil {
			t.Fatal(err)
		}
		commit(t, g)
		deepest := 0
		for i := range 60 {
			im := g.Freeze()
			t.Cleanup(im.Close)
			m.set(uint32(i*i*PageSize%(8*WasmPageSize)), uint32((1+i/3)*PageSize), uint32(i))
			if err := g.Run(method("fill"), nil, plenty); err != nil {
				t.Fatal(err)
			}
			commit(t, g)
			depth := 0
			for s := g.slot.below(); s != nil; s = s.below() {
				depth++
			}
			deepest = max(deepest, depth)
		}
		if deepest > 9 || deepest < 2 {
			t.Errorf("sixty images of a heap of 320 pages lie on up to %d layers", deepest)
		}
	})
}

func TestForksCommitSideBySide(t *testing.T) {
	eachKind(t, func(t *testing.T, kind HeapKind) {
		e := newTestEngine(t, Config{Heaps: kind})
		g := newTestGuest(t, e, counter)
		all := []*Guest{g}
		for i := range 5 {
			f := forkOf(all[i])
			t.Cleanup(f.Close)
			all = append(all, f)
		}
		var wait sync.WaitGroup
		for _, g := range all {
			wait.Go(func() {
				for i := range 60 {
					run(t, g, "inc")
					commit(t, g)
					if i%20 == 7 {
						f := forkOf(g)
						run(t, f, "inc")
						commit(t, f)
						f.Close()
					}
				}
			})
		}
		wait.Wait()
		for i, g := range all {
			if got := notes(t, g, "heap"); got != 67 {
				t.Errorf("fork %d counts %d, want 67", i, got)
			}
			g.Rollback()
		}
	})
}

// forkOf is a second guest with the committed state of g.
func forkOf(g *Guest) *Guest {
	m := g.SnapshotRoot()
	defer m.Close()
	return m.Guest()
}
