package wasm

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/canisterd/canisterd/archive"
)

// layer holds a part of the bytes of one or more heaps. It is immutable.
type layer struct {
	store
	pages int64 // size of the heap when it was frozen; later pages have their places above
	users atomic.Int64
	saved archive.Segments // archived bytes of the layer and of those under it
	// common finds the layer for guests of one code, nil if it was not made for that.
	common *commonPages
}

// freeze turns all bytes of a heap of size bytes into a layer that others can share, or returns nil if all of them are
// zero. The caller gets a reference. No page changes its place.
func (s *store) freeze(size int64) *layer {
	if s.own > 0 {
		l := &layer{store: *s, pages: size / PageSize}
		l.users.Store(1)
		*s = store{file: s.file, base: l, written: s.written, moves: s.moves}
	}
	return s.base.share()
}

// over returns a store with the bytes of a layer.
func (s *store) over(l *layer) store {
	o := store{file: s.file, base: l}
	if l != nil {
		o.written = l.written
	}
	return o
}

func (l *layer) share() *layer {
	if l != nil {
		l.users.Add(1)
	}
	return l
}

// release drops a reference; the last one frees the space.
func (l *layer) release() {
	for l != nil && l.users.Add(-1) == 0 {
		l.free()
		l = l.base
	}
}

func (s *store) free() {
	s.lazy.Close()
	for _, e := range s.extents {
		s.file.Free(e)
	}
	s.extents = nil
}

// close releases everything.
func (s *store) close() {
	s.free()
	s.base.release()
	*s = store{file: s.file}
}

// settle keeps what is under a heap of size bytes small: it merges an unshared layer with the layer above it, and also
// a layer whose visible pages are at most twice the pages written above it. Thus the number of layers is at most the
// number of bits of the page count, and the copying is proportional to the writing. Above a number of runs of pages
// here, which take mappings, it joins runs. remap updates an existing mapping. A step that fails for lack of space is
// tried again after the next commit; until then nothing visible has changed.
func (s *store) settle(size, runs int64, remap func() error) {
	for s.base != nil {
		rest := s.base.own - s.covered
		alone := s.base.alone()
		var err error
		switch {
		case alone && s.own <= rest:
			err = s.sink(size, remap)
		case alone || 2*s.own >= rest:
			err = s.absorb(size, remap)
		case s.runs > runs:
			s.join(size, runs*3/4)
			return
		default:
			return
		}
		if err != nil {
			return
		}
	}
}

// sink copies the store's pages to the unshared layer under it, and takes over that layer's extents.
func (s *store) sink(size int64, remap func() error) error {
	l := s.base
	err := l.load()
	if err == nil {
		err = l.ensure(size)
	}
	for first := int64(0); err == nil && first < size/PageSize; {
		first = s.present.next(first, size/PageSize)
		end := s.present.end(first, size/PageSize)
		err = l.take(s, first, end)
		first = end
	}
	s.covered = s.present.both(l.present)
	if err != nil {
		return err
	}
	was := *s
	*s = l.store
	s.lazy = nil // it is loaded
	s.written, s.moves = was.written, was.moves+1
	if err := remap(); err != nil {
		was.moves = s.moves + 1
		*s = was
		return err
	}
	was.free()
	return nil
}

// absorb copies the visible pages of the layer under the store, and releases the layer.
func (s *store) absorb(size int64, remap func() error) error {
	if err := s.ensure(size); err != nil {
		return err
	}
	l := s.base
	for first := int64(0); first < l.pages; {
		first = l.present.next(first, l.pages)
		end := first
		for end < l.pages && l.present.has(end) && !s.present.has(end) {
			end++
		}
		if err := s.take(&l.store, first, end); err != nil {
			return err
		}
		first = max(end, first+1)
	}
	was := *s
	s.rest(l.base.share())
	if err := remap(); err != nil {
		s.base.release()
		was.moves = s.moves + 1
		*s = was
		return err
	}
	l.release()
	return nil
}

// rest puts the store on another layer.
func (s *store) rest(l *layer) {
	s.base, s.covered, s.runs = l, 0, 0
	s.moves++
	if l == nil {
		s.here = nil
		return
	}
	s.covered = s.present.both(l.present)
	s.runs = s.here.runsUpTo(l.pages)
}

// gap is the pages between two runs; cost is how many of them must be copied to fill it.
type gap struct {
	span
	cost int64
}

// join fills the smallest gaps between the runs of pages here, until there are few enough.
func (s *store) join(size, enough int64) {
	if s.ensure(size) != nil {
		return
	}
	gaps := s.gaps()
	slices.SortFunc(gaps, func(a, b gap) int { return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.first, b.first)) })
	for _, g := range gaps {
		if s.runs <= enough || s.fill(g.span) != nil {
			return
		}
	}
}

// gaps returns the gaps between the runs of pages that are here.
func (s *store) gaps() []gap {
	var all []gap
	limit := s.base.pages
	for first := s.here.end(s.here.next(0, limit), limit); first < limit; {
		end := s.here.next(first, limit)
		if end == limit {
			break
		}
		g := gap{span: span{first, end}, cost: end - first}
		s.eachAbsent(first, end, func(first, end int64) { g.cost -= end - first })
		all = append(all, g)
		first = s.here.end(end, limit)
	}
	return all
}

// fill makes the extents the place of all these pages.
func (s *store) fill(pages span) error {
	for first := pages.first; first < pages.end; {
		from, end := s.holder(first), first+1
		for end < pages.end && s.holder(end) == from {
			end++
		}
		if from != nil && from != s {
			if err := s.take(from, first, end); err != nil {
				return err
			}
		}
		for ; first < end; first++ {
			s.claim(first)
		}
	}
	return nil
}
