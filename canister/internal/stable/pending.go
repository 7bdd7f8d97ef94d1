package stable

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/canisterd/canisterd/archive"
)

// pending is the bytes of a space that are in a page file of a state directory as yet. They are read when a page is read
// or written first. Until then no page table changes: a file page would be used for something else.
type pending struct {
	once    sync.Once
	segment *archive.Segment
	places  []run // file pages of the segment's pages, in their order
	err     error
}

// errGivenUp is the error of bytes that nobody can need any more.
var errGivenUp = errors.New("the stable memory was given up")

// fetch reads the bytes that are pending. An error stays. It takes mu.
func (s *space) fetch() error {
	p := s.pending
	if p == nil {
		return nil
	}
	p.once.Do(func() {
		p.err = p.segment.Read(func(_, count uint64, content []byte) error { return p.fill(s, count, content) })
		if p.err != nil {
			p.err = fmt.Errorf("read a stable memory that was kept: %w", p.err)
		}
		p.segment, p.places = nil, nil
	})
	return p.err
}

// abandon gives up bytes that are pending.
func (s *space) abandon() {
	if p := s.pending; p != nil {
		p.once.Do(func() {
			p.err = errors.Join(errGivenUp, p.segment.Close())
			p.segment, p.places = nil, nil
		})
	}
}

// fill writes the content of the next pages; nil: zeros, which a file that can punch has there.
func (p *pending) fill(s *space, count uint64, content []byte) error {
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
		next.first, next.pages = next.first+uint32(n), next.pages-uint32(n)
		if next.pages == 0 {
			p.places = p.places[1:]
		}
		count -= n
	}
	return nil
}

// suspend makes a new memory one whose bytes are in a segment. No other goroutine knows the memory.
func (m *Memory) suspend(segment *archive.Segment) (err error) {
	s, h := m.space, m.head
	s.pending = &pending{segment: segment}
	segment.EachRun(func(first, count uint64) {
		for count > 0 && err == nil {
			var r run
			if r, _, _, err = s.take(uint32(min(count, math.MaxUint32))); err != nil {
				return
			}
			s.pending.places = append(s.pending.places, r)
			for i := range r.pages {
				h.table.set(&s.owners, first+uint64(i), r.first+i)
			}
			h.written += uint64(r.pages)
			first, count = first+uint64(r.pages), count-uint64(r.pages)
		}
	})
	if h.table.root != nil {
		h.table.root.saved = new(archive.Saved)
		h.table.root.saved.Add(segment)
	}
	return err
}
