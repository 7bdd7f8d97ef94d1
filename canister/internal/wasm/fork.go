package wasm

import "slices"

// Fork makes a second guest with the committed state of g, which from here on goes its own way, on a goroutine of its own. Nothing is copied:
// the two share the bytes of the heap until one of them changes them. A message of g may be open, even paused: the fork is as before it.
// The fork sleeps until it is used.
func (g *Guest) Fork() *Guest {
	s := g.slot
	s.mu.Lock()
	defer s.mu.Unlock()
	both := new(struct {
		guest Guest
		slot  slot
	})
	f, to := &both.guest, &both.slot
	f.engine, f.code, f.slot = g.engine, g.code, to
	to.store, to.refs, to.owner, to.version = s.over(s.freeze()), 1, f, 1
	to.size, to.globals = s.size, slices.Clone(s.globals)
	return f
}
