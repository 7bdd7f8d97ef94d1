package wasm

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// A volatile guest writes nothing to the checkpoint file: the pages that it commits are patches in memory over the
// layers that it was made on. It is for networks that live for a few messages (explorations), many of which are forked
// from one state. An instance of such a guest outlives it: it waits in a pool, and the next guest on the same layers
// takes it and corrects the few pages in which the two heaps differ:
//
//	root     A B C D          layer
//	guest 1  A B'C D'         its patches B' D', and so the heap of its instance
//	guest 2  A B C"D          takes the instance: B and D are copied from the layer, C" from its own patches
//
// The pages stay private to the instance, so nothing is mapped and no page fault is taken.

// patch is a committed page that is not in the file.
type patch struct {
	page  int64
	bytes *checkpoint.Page
	// users counts the lists that have the patch, nil for one. The bytes change only in a patch of one list, and are
	// reused when the last list releases the patch.
	users *atomic.Int32
}

// shared reports whether another list has the patch.
func (p *patch) shared() bool { return p.users != nil && p.users.Load() > 1 }

// patches are sorted by page.
type patches []patch

func (p patches) search(page int64) (int, bool) {
	return slices.BinarySearchFunc(p, page, func(x patch, page int64) int { return int(x.page - page) })
}

// share returns the same patches for a second owner. Lists that came from a share may be shared on several goroutines.
func (p patches) share() patches {
	for i := range p {
		if p[i].users == nil {
			p[i].users = new(atomic.Int32)
			p[i].users.Store(1)
		}
		p[i].users.Add(1)
	}
	return slices.Clone(p)
}

// page returns the committed content of a page, in place or in buf; nil means all zero. Needs mu.
func (s *slot) page(page int64, buf *[PageSize]byte) ([]byte, error) {
	if i, patched := s.patches.search(page); patched {
		return s.patches[i].bytes[:], nil
	}
	return s.store.page(page, buf)
}

// read fills dst with committed bytes at offset. Needs mu.
func (s *slot) read(dst []byte, offset int64) error {
	if err := s.store.read(dst, offset); err != nil {
		return err
	}
	for i := range s.patches {
		p := &s.patches[i]
		begin, end := max(offset, p.page*PageSize), min(offset+int64(len(dst)), (p.page+1)*PageSize)
		if begin < end {
			copy(dst[begin-offset:end-offset], p.bytes[begin-p.page*PageSize:])
		}
	}
	return nil
}

// keep stores the changed pages of memory as patches. Needs mu.
func (s *slot) keep(memory []byte, changed []span) {
	for _, c := range changed {
		for _, r := range s.readers {
			r.heap.preserve(c)
		}
		for page := c.first; page < c.end; page++ {
			i, patched := s.patches.search(page)
			switch {
			case !patched:
				s.patches = slices.Insert(s.patches, i, patch{page: page, bytes: s.file.Borrow()})
			case s.patches[i].shared():
				s.patches[i : i+1].recycle(s.file)
				s.patches[i] = patch{page: page, bytes: s.file.Borrow()}
			}
			copy(s.patches[i].bytes[:], memory[page*PageSize:(page+1)*PageSize])
		}
	}
}

// persist writes the patches to the file: from then on the guest is like any other. On an error it is still volatile.
// Needs mu.
func (s *slot) persist() error {
	if !s.volatile {
		return nil
	}
	if err := s.ensure(s.size); err != nil {
		return err
	}
	for _, p := range s.patches {
		offset, _ := s.locate(p.page)
		if err := s.file.WriteAt(p.bytes[:], offset); err != nil {
			return err
		}
	}
	for _, p := range s.patches {
		s.enter(p.page)
	}
	s.dropPatches()
	s.volatile = false // the slot's release drops the reference to the pool
	return nil
}

// mustPersist persists for operations that need the bytes in one place. If there is no space for them, execution cannot
// continue. Needs mu.
func (s *slot) mustPersist() {
	if err := s.persist(); err != nil {
		panic(fmt.Errorf("wasm: write the pages of a volatile guest: %w", err))
	}
}

func (s *slot) dropPatches() {
	s.patches.recycle(s.file)
	s.patches = nil
}

// recycle releases the patches, and returns the pages that no other list has to the file.
func (p patches) recycle(file *checkpoint.File) {
	for _, x := range p {
		if x.users == nil || x.users.Add(-1) == 0 {
			file.Return(x.bytes)
		}
	}
}

// differ appends the pages whose bytes may differ between two lists of patches over the same layers.
func (p patches) differ(o patches, pages []int64) []int64 {
	for len(p) > 0 || len(o) > 0 {
		switch {
		case len(o) == 0 || len(p) > 0 && p[0].page < o[0].page:
			pages = append(pages, p[0].page)
			p = p[1:]
		case len(p) == 0 || o[0].page < p[0].page:
			pages = append(pages, o[0].page)
			o = o[1:]
		default:
			if p[0].bytes != o[0].bytes {
				pages = append(pages, p[0].page)
			}
			p, o = p[1:], o[1:]
		}
	}
	return pages
}

// pool holds the idle instances for guests over the layers of a snapshot root. The root and the guests made from it
// share it; it ends with the last of them.
type pool struct {
	mu    sync.Mutex // guards what follows
	users int
	idle  []*resident
}

func (p *pool) share() *pool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users++
	return p
}

// release drops a reference. The last one closes the instances.
func (p *pool) release() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.users--
	var idle []*resident
	if p.users == 0 {
		idle, p.idle = p.idle, nil
	}
	p.mu.Unlock()
	for _, l := range idle {
		l.endIdle()
	}
}

// endIdle closes an idle instance. What cannot be returned to the system is lost until the process ends.
func (r *resident) endIdle() {
	e := r.guest.engine
	r.patches.recycle(e.file)
	e.idle.Add(-1)
	_ = r.close()
}

// take returns an instance of the code with a heap of size bytes, nil if none is idle.
func (p *pool) take(code *Code, size int64) *resident {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		if l := p.idle[i]; l.code == code && int64(len(l.heap.bytes())) == size {
			p.idle = slices.Delete(p.idle, i, i+1)
			return l
		}
	}
	return nil
}

// lend puts the instance of a volatile guest into its pool, if another guest can use it. Patches are the content of the
// heap; the pool takes them. It reports whether it took the instance. Needs residency.
func (g *Guest) lend(has patches) bool {
	l, s, e := g.resident, g.slot, g.engine
	if l == nil || !s.volatile || g.open || g.origin != nil || g.code.module.MutatesTable || e.idle.Load() >= int64(e.config.MaxResident) || l.outdated() {
		return false
	}
	l.patches, l.changed = has, g.changed[:0]
	g.resident, g.compared, g.changed = nil, false, nil
	e.leave(g)
	e.idle.Add(1)
	s.pool.mu.Lock()
	s.pool.idle = append(s.pool.idle, l)
	s.pool.mu.Unlock()
	return true
}

// leaveInstance lends the instance of a guest that is about to be closed, with its patches, unless another guest shares
// its slot. Needs residency.
func (g *Guest) leaveInstance() {
	s := g.slot
	s.mu.Lock()
	alone := s.refs == 1
	s.mu.Unlock()
	if alone && g.lend(s.patches) {
		s.mu.Lock()
		s.patches = nil
		s.mu.Unlock()
	}
}

// adopt makes a volatile guest resident with an instance of its pool, and reports if there was one. Needs residency.
func (g *Guest) adopt() (bool, error) {
	s := g.slot
	if !s.volatile || g.origin != nil || s.owner != g {
		return false, nil
	}
	l := s.pool.take(g.code, s.size)
	if l == nil {
		return false, nil
	}
	g.engine.idle.Add(-1)
	l.guest, l.context.guest = g, g
	l.differing = l.patches.differ(s.patches, l.differing[:0])
	err := l.heap.moveTo(s, l.differing)
	l.patches.recycle(g.engine.file)
	l.patches = nil
	if err != nil {
		_ = l.close()
		return false, err
	}
	writeGlobals(l.globals, s.globals)
	g.version, g.changed = s.version, l.changed
	g.resident = l
	g.engine.admit(g)
	return true, nil
}

// Volatile makes a guest that commits to memory, see the beginning of this file. Its owner calls its methods on one
// goroutine at a time, as for any guest; guests of one root may be on several.
func (m *SnapshotRoot) Volatile() *Guest {
	v := *m
	v.volatile = true
	return v.Guest()
}

// Volatile reports whether the guest commits to memory.
func (g *Guest) Volatile() bool { return g.slot.volatile }
