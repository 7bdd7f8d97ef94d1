package wasm

import "slices"

// SnapshotRoot is the committed state of a guest at one time, from which independent guests are made. It takes a few
// words, however big the heap is: guests made from it share its bytes until they change them (copy-on-write). It is
// immutable and may be used on any goroutine until its owner closes it.
type SnapshotRoot struct {
	engine  *Engine
	code    *Code
	base    *layer // the heap, nil if all of it is zero
	size    int64  // bytes of heap
	globals []uint64
	// volatile says that the guests are volatile; patches are over the base.
	volatile bool
	patches  patches
	pool     *pool // of the volatile guests made from it
}

// SnapshotRoot returns the root of the committed state of g. Nothing is copied. A message may be open, even paused: the
// root has the state before it.
func (g *Guest) SnapshotRoot() SnapshotRoot {
	s := g.slot
	if s.volatile && !g.open { // the next guest continues from here
		g.residency.Lock()
		if has := s.patches.share(); g.resident == nil || !g.lend(has) {
			has.recycle(g.engine.file)
		}
		g.residency.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	root := SnapshotRoot{engine: g.engine, code: g.code, base: s.freeze(), size: s.size, globals: slices.Clone(s.globals)}
	if s.volatile {
		root.volatile, root.patches, root.pool = true, s.patches.share(), s.pool.share()
	} else {
		root.pool = &pool{users: 1}
	}
	return root
}

// Guest makes a guest, which becomes resident on first use. If the root is of a volatile guest, it is volatile.
func (m *SnapshotRoot) Guest() *Guest {
	both := new(struct {
		guest Guest
		slot  slot
	})
	g, s := &both.guest, &both.slot
	g.engine, g.code, g.slot = m.engine, m.code, s
	s.file, s.refs, s.owner, s.version = m.engine.file, 1, g, 1
	s.store = s.over(m.base.share())
	s.size, s.globals = m.size, slices.Clone(m.globals)
	if m.volatile {
		s.volatile, s.pool, s.patches = true, m.pool.share(), m.patches.share()
	}
	return g
}

// Close releases the root; the guests stay.
func (m *SnapshotRoot) Close() {
	m.patches.recycle(m.engine.file)
	m.pool.release()
	m.base.release()
}
