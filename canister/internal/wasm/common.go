package wasm

import "sync"

// Guests of one code have many equal pages: data segments, and what start functions and initializers write. An idle guest
// is compared with another one, and the equal pages become a layer under both. Guests that become idle later are compared
// with the layer, and keep only the pages in which they differ:
//
//	slots   A B c      A B d      A B e
//	        idle       idle
//
//	slots   . . c      . . d      . . e
//	           \         |          /
//	layer              [ A B . ]
//
// A guest that runs again writes to its own extents, as a fork does.

// commonPages finds the pages that guests of one code have in common.
type commonPages struct {
	mu sync.Mutex // guards what follows
	// layer is nil if there is none. It is not counted as a user: the layer ends with the last guest on it.
	layer *layer
	// first is the slot of an idle guest with which the next one is compared, nil if there is none.
	first *slot
}

// acquire returns the layer with a reference for the caller, nil if there is none.
func (c *commonPages) acquire() *layer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.layer == nil || !c.layer.shareUsed() {
		c.layer = nil
	}
	return c.layer
}

// partner returns the slot to compare with, and makes s the partner of the next guest.
func (c *commonPages) partner(s *slot) *slot {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.first
	c.first = s
	return was
}

// publish makes a layer the one that guests find. It has one user.
func (c *commonPages) publish(l *layer) {
	l.common = c
	c.mu.Lock()
	defer c.mu.Unlock()
	c.layer, c.first = l, nil
}

// shareUsed adds a reference to a layer that has one.
func (l *layer) shareUsed() bool {
	for n := l.users.Load(); n > 0; n = l.users.Load() {
		if l.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

// alone reports whether the caller's reference to the layer is the only one. If so, no guest finds the layer from then on,
// and the caller may change it.
func (l *layer) alone() bool {
	if l.users.Load() != 1 {
		return false
	}
	c := l.common
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.users.Load() != 1 {
		return false
	}
	if c.layer == l {
		c.layer = nil
	}
	return true
}

// shareCommon moves pages of an evicted guest to the layer that the guests of its code have in common. Needs residency. An
// error of the file leaves everything as it was.
func (g *Guest) shareCommon() {
	s, c := g.slot, &g.code.common
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mayShare() || s.owner != g {
		return
	}
	l := c.acquire()
	if l == nil {
		if l = s.commonWith(c.partner(s)); l == nil {
			return
		}
		c.publish(l)
	}
	if !s.shareLayer(l, g.engine.heaps.maxRuns(s.size)) {
		l.release()
	}
}

// mayShare reports whether the pages of a slot can move: it owns all of them, and no reader has one. Needs mu.
func (s *slot) mayShare() bool {
	return s.refs > 0 && s.base == nil && !s.volatile && len(s.readers) == 0 && s.own > 0
}

// commonWith returns a layer with the pages that are equal in two slots, nil if there are none. The caller gets a
// reference. Needs mu.
func (s *slot) commonWith(o *slot) *layer {
	if o == nil || o == s || !o.mu.TryLock() { // both are locked: waiting might never end
		return nil
	}
	defer o.mu.Unlock()
	if !o.mayShare() {
		return nil
	}
	limit := min(s.size, o.size) / PageSize
	l := &layer{store: store{file: s.file}, pages: min(limit, maxCommonPages)}
	l.users.Store(1)
	for page := s.present.next(0, l.pages); page < l.pages; page = s.present.next(page+1, l.pages) {
		equal, err := s.equalPage(&o.store, page)
		if err == nil && equal {
			if err = l.ensure(l.pages * PageSize); err == nil {
				err = l.take(&s.store, page, page+1)
			}
		}
		if err != nil {
			l.release()
			return nil
		}
	}
	if l.own == 0 {
		l.release()
		return nil
	}
	return l
}

// equalPage reports whether another store has the same bytes in a page of the extents of both.
func (s *store) equalPage(o *store, page int64) (bool, error) {
	if !o.present.has(page) {
		return false, nil
	}
	mine, theirs := s.file.Borrow(), s.file.Borrow()
	defer s.file.Return(mine)
	defer s.file.Return(theirs)
	at, _ := s.locate(page)
	if err := s.file.ReadAt(mine[:], at); err != nil {
		return false, err
	}
	at, _ = o.locate(page)
	if err := s.file.ReadAt(theirs[:], at); err != nil {
		return false, err
	}
	return *mine == *theirs, nil
}

// shareLayer puts the slot on a layer, and frees the pages that are equal there. It reports whether it did: not if the slot
// lacks a page of the layer, or needs more than a number of runs of pages. It takes the caller's reference if so. No heap
// may be mapped, except of snapshots that no message runs. Needs mu.
func (s *slot) shareLayer(l *layer, maxRuns int64) bool {
	if l.pages > s.size/PageSize {
		return false
	}
	var equal bitmap
	for page := l.present.next(0, l.pages); page < l.pages; page = l.present.next(page+1, l.pages) {
		same, err := l.equalPage(&s.store, page)
		if err != nil || !s.present.has(page) {
			return false
		}
		if same {
			equal.set(page)
		}
	}
	rest := s.present.without(equal)
	if len(equal) == 0 || rest.runsUpTo(l.pages) > maxRuns {
		return false
	}
	for first := equal.next(0, l.pages); first < l.pages; {
		end := equal.end(first, l.pages)
		s.punch(first, end, nil)
		first = equal.next(end, l.pages)
	}
	s.present, s.own = rest, rest.count()
	s.base, s.covered = l, rest.both(l.present)
	s.here = rest.upTo(l.pages)
	s.runs = s.here.runsUpTo(l.pages)
	s.moves++
	s.version++ // snapshots load the slot again before they run
	return true
}
