package cow

import "slices"

// Pages are pages of equal size that forks share until one of them writes a page. P is the content of a page, an array.
// The zero value has no pages. A list that is read and written very often uses pages directly; List is for the others.
type Pages[P any] struct {
	pages []page[P]
	mark  Mark // set while a fork shares pages, the list of them
	spare *P   // a page that was dropped, for reuse
	// generation counts the forks. A page of an earlier generation belongs to several forks and is copied before it is
	// written.
	generation uint64
}

type page[P any] struct {
	content    *P
	generation uint64
}

// Len returns the number of pages.
func (s *Pages[P]) Len() int { return len(s.pages) }

// Read returns a page, which must not be written.
func (s *Pages[P]) Read(at uint) *P { return s.pages[at].content }

// Write returns a page that may be written until the next fork.
func (s *Pages[P]) Write(at uint) *P {
	if s.pages[at].generation != s.generation {
		s.own(at)
	}
	return s.pages[at].content
}

// own copies a page that a fork shares.
func (s *Pages[P]) own(at uint) {
	s.ownList()
	copied := *s.pages[at].content
	s.pages[at] = page[P]{&copied, s.generation}
}

// ownList copies the list of pages if a fork shares it.
func (s *Pages[P]) ownList() {
	if s.mark.Own() {
		s.pages = slices.Clone(s.pages)
	}
}

// Owns reports whether no fork shares a page: a write does not copy it.
func (s *Pages[P]) Owns(at uint) bool { return s.pages[at].generation == s.generation }

// Add adds a page of zero values at the end.
func (s *Pages[P]) Add() { s.Insert(len(s.pages)) }

// Insert inserts a page of zero values before the page at a place, or at the end.
func (s *Pages[P]) Insert(at int) {
	content := s.spare
	if content == nil {
		content = new(P)
	}
	s.spare = nil
	s.ownList()
	s.pages = slices.Insert(s.pages, at, page[P]{content, s.generation})
}

// Drop removes a page, and keeps it for reuse if no fork shares it.
func (s *Pages[P]) Drop(at int) {
	s.ownList()
	if p := &s.pages[at]; p.generation == s.generation {
		var none P
		*p.content = none
		s.spare = p.content
	}
	s.pages = slices.Delete(s.pages, at, at+1)
}

// Fork returns a second list with the same pages. Both share them and the list of them: the first write of a side
// copies two words for every page, and the page.
func (s *Pages[P]) Fork() Pages[P] {
	s.generation++
	s.mark.Share()
	f := *s
	f.spare = nil
	return f
}
