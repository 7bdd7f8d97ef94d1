package stable

import (
	"fmt"
	"math"

	"github.com/canisterd/canisterd/archive"
)

// lazyPages are the pages of a space that are loaded on first use. No page table of the space changes before that: it
// would free file pages that are still to be written.
type lazyPages struct {
	segment *archive.LazySegment
	places  []run // file pages of the segment's pages, in order
}

// attach makes a segment the content of a new memory. No other goroutine knows the memory yet.
func (m *Memory) attach(segment *archive.Segment) (err error) {
	s, h := m.space, m.head
	s.lazy = &lazyPages{segment: segment.Lazy()}
	segment.EachRun(func(first, count uint64) {
		for count > 0 && err == nil {
			var r run
			if r, _, _, err = s.take(uint32(min(count, math.MaxUint32))); err != nil {
				return
			}
			s.lazy.places = append(s.lazy.places, r)
			for i := range r.pages {
				h.table.set(&s.owners, first+uint64(i), r.first+i)
			}
			h.written += uint64(r.pages)
			first, count = first+uint64(r.pages), count-uint64(r.pages)
		}
	})
	if h.table.root != nil {
		h.table.root.saved = new(archive.Segments)
		h.table.root.saved.Add(segment)
	}
	return err
}

// load loads the pages of the space if they are not loaded yet. It takes mu.
func (s *space) load() error {
	if s.lazy == nil || s.lazy.segment.Loaded() {
		return nil
	}
	err := s.lazy.segment.Load(func(_, count uint64, content []byte) error { return s.lazy.write(s, count, content) })
	if err != nil {
		return fmt.Errorf("load a stable memory: %w", err)
	}
	return nil
}

// close releases pages that were never loaded.
func (p *lazyPages) close() {
	if p != nil {
		p.segment.Close()
	}
}

// write writes the next pages to their places. nil content means zeros, which exist already if the file punches holes.
func (p *lazyPages) write(s *space, count uint64, content []byte) error {
	for count > 0 {
		next := &p.places[0]
		s.mu.Lock()
		offset, room := s.locate(next.first)
		s.mu.Unlock()
		n := min(count, uint64(next.pages), uint64(room))
		var err error
		switch {
		case content != nil:
			err = s.file.WriteAt(content[:n*OSPageSize], offset)
			content = content[n*OSPageSize:]
		case !s.file.Punches():
			n = 1
			err = s.file.WriteAt(zeros[:], offset)
		}
		if err != nil {
			return fmt.Errorf("write %d pages of stable memory: %w", n, err)
		}
		if next.first, next.pages = next.first+uint32(n), next.pages-uint32(n); next.pages == 0 {
			p.places = p.places[1:]
		}
		count -= n
	}
	return nil
}
