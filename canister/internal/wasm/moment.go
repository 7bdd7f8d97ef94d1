package wasm

import "slices"

// Moment is the committed state of a guest at one time: what guests are made of that go their own way from there. It takes a few words, however
// big the heap; guests that were made of it share the bytes with it until they change them. It never changes and may be used on any goroutine
// until whoever has it closes it.
type Moment struct {
	engine  *Engine
	code    *Code
	base    *layer // the heap, nil where all of it is zero
	size    int64  // bytes of heap
	globals []uint64
}

// Moment is that of the committed state of g. Nothing is copied. A message may be open, even paused: the moment is the one before it.
func (g *Guest) Moment() Moment {
	s := g.slot
	s.mu.Lock()
	defer s.mu.Unlock()
	return Moment{g.engine, g.code, s.freeze(), s.size, slices.Clone(s.globals)}
}

// Guest makes a guest, which sleeps until it is used.
func (m *Moment) Guest() *Guest {
	both := new(struct {
		guest Guest
		slot  slot
	})
	g, s := &both.guest, &both.slot
	g.engine, g.code, g.slot = m.engine, m.code, s
	s.file, s.refs, s.owner, s.version = m.engine.file, 1, g, 1
	s.store = s.over(m.base.share())
	s.size, s.globals = m.size, slices.Clone(m.globals)
	return g
}

// Close gives everything back; the guests stay.
func (m *Moment) Close() { m.base.release() }
