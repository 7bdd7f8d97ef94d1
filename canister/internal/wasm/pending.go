package wasm

import (
	"errors"
	"fmt"
	"sync"

	"github.com/canisterd/canisterd/archive"
)

// pending is the bytes of a layer that are in a page file of a state directory as yet. They are read when one of them is
// needed first: most canisters of a network that was started again are not used for a long time.
type pending struct {
	once    sync.Once
	segment *archive.Segment
	err     error
}

// errGivenUp is the error of bytes that nobody can need any more.
var errGivenUp = errors.New("the heap was given up")

// fetch reads the bytes of a layer that are pending. An error stays.
func (s *store) fetch() error {
	p := s.pending
	if p == nil {
		return nil
	}
	p.once.Do(func() {
		p.err = p.segment.Read(func(first, count uint64, content []byte) error {
			return s.writePages(int64(first), int64(count), content)
		})
		if p.err != nil {
			p.err = fmt.Errorf("read a heap that was kept: %w", p.err)
		}
		p.segment = nil
	})
	return p.err
}

// fetchAll is fetch for all layers under a store.
func (s *store) fetchAll() error {
	for b := s.below(); b != nil; b = b.below() {
		if err := b.fetch(); err != nil {
			return err
		}
	}
	return nil
}

// abandon gives up bytes that are pending.
func (s *store) abandon() {
	if p := s.pending; p != nil {
		p.once.Do(func() {
			p.err = errors.Join(errGivenUp, p.segment.Close())
			p.segment = nil
		})
	}
}

// writePages writes the content of pages that are entered already; nil: zeros, which a file that can punch has there.
func (s *store) writePages(page, count int64, content []byte) error {
	for count > 0 {
		offset, room := s.locate(page)
		n := min(room, count)
		var err error
		switch {
		case content != nil:
			err = s.file.WriteAt(content[:n*PageSize], offset)
			content = content[n*PageSize:]
		case !s.file.Punches():
			n = 1
			err = s.file.WriteAt(zeroPage[:], offset)
		}
		if err != nil {
			return fmt.Errorf("write %d pages of a heap: %w", n, err)
		}
		page, count = page+n, count-n
	}
	return nil
}

// suspend makes a new store one whose bytes are in a segment.
func (s *store) suspend(segment *archive.Segment, size int64) error {
	l := &layer{store: store{file: s.file, pending: &pending{segment: segment}}, pages: size / PageSize}
	l.users.Store(1)
	s.base = l
	if err := l.ensure(size); err != nil {
		return err
	}
	segment.EachRun(func(first, count uint64) {
		for page := first; page < first+count; page++ {
			l.enter(int64(page))
		}
	})
	l.saved.Add(segment)
	s.written = l.written
	return nil
}
