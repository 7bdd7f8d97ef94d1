package wasm

import (
	"fmt"

	"github.com/canisterd/canisterd/archive"
)

// attach makes a segment the content of a new store: a layer under it is loaded on first use. After a restart most
// canisters are not used for a long time.
func (s *store) attach(segment *archive.Segment, size int64) error {
	l := &layer{store: store{file: s.file, lazy: segment.Lazy()}, pages: size / PageSize}
	l.users.Store(1)
	s.base = l
	if err := l.ensure(size); err != nil {
		return err
	}
	segment.EachRun(func(first, count uint64) { l.enterRun(int64(first), int64(count)) })
	l.saved.Add(segment)
	s.written = l.written
	return nil
}

// load loads the bytes of a layer if they are not loaded yet.
func (s *store) load() error {
	if s.lazy.Loaded() {
		return nil
	}
	err := s.lazy.Load(func(first, count uint64, content []byte) error {
		return s.writePages(int64(first), int64(count), content)
	})
	if err != nil {
		return fmt.Errorf("load a heap: %w", err)
	}
	return nil
}

// loadLayers loads all layers under a store.
func (s *store) loadLayers() error {
	for b := s.below(); b != nil; b = b.below() {
		if err := b.load(); err != nil {
			return err
		}
	}
	return nil
}

// enterRun calls enter for a run of pages.
func (s *store) enterRun(page, count int64) {
	for end := page + count; page < end; page++ {
		s.enter(page)
	}
}

// writePages writes pages into new extents. nil content means zeros, which are already there if the file punches holes.
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
