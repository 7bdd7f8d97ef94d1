package wasm

import "slices"

// Fork makes a second guest with the committed state of g, which from here on goes its own way, on a goroutine of its own. Nothing is copied:
// the two share the bytes of the heap until one of them changes them. A message of g may be open, even paused: the fork is as before it.
// The fork sleeps until it is used.
func (g *Guest) Fork() *Guest {
	s := g.slot
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &Guest{engine: g.engine, code: g.code}
	f.slot = &slot{store: s.over(s.freeze()), refs: 1, size: s.size, globals: slices.Clone(s.globals), version: 1, owner: f}
	return f
}
