package wasm

import (
	"fmt"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// slot is the committed state of one canister's Wasm: heap bytes in the checkpoint file and globals. The owner alone changes it, under
// mu; snapshots read it under mu.
type slot struct {
	file *checkpoint.File

	mu      sync.Mutex
	extents []checkpoint.Extent
	present []uint64 // one bit per page that was ever written; the others read as zero and take no space
	size    int64    // bytes of heap
	globals []uint64 // two words for a v128, one for the rest
	version uint64   // counts commits
	owner   *Guest   // nil once closed
	readers []heap   // heaps of open snapshots: they keep their version of a page before it is overwritten
	images  []*Image // taken of this slot: they keep a page before it is overwritten
	refs    int
}

// span is a run of pages, [first, end).
type span struct{ first, end int64 }

func (s *slot) retain() {
	s.mu.Lock()
	s.refs++
	s.mu.Unlock()
}

// release gives the extents back with the last reference. The mappings over them are gone by then.
func (s *slot) release() {
	s.mu.Lock()
	s.refs--
	last := s.refs == 0
	s.mu.Unlock()
	if last {
		for _, e := range s.extents {
			s.file.Free(e)
		}
		s.extents, s.present = nil, nil
	}
}

// ensure makes the extents hold size bytes. A new extent is at least as big as all before it, so there are few. Needs mu.
func (s *slot) ensure(size int64) error {
	capacity := int64(0)
	for _, e := range s.extents {
		capacity += e.Size
	}
	if size <= capacity {
		return nil
	}
	e, err := s.file.Allocate(max(size-capacity, capacity))
	if err != nil {
		return err
	}
	s.extents = append(s.extents, e)
	return nil
}

// locate returns the file offset of a page and how many pages follow it there, itself included.
func (s *slot) locate(page int64) (offset, pages int64) {
	at := page * PageSize
	for _, e := range s.extents {
		if at < e.Size {
			return e.Offset + at, (e.Size - at) / PageSize
		}
		at -= e.Size
	}
	panic("wasm: page outside of its slot")
}

func (s *slot) isPresent(page int64) bool {
	return page>>6 < int64(len(s.present)) && s.present[page>>6]>>(page&63)&1 != 0
}

func (s *slot) markPresent(page int64) {
	if need := int(page>>6) + 1; need > len(s.present) {
		s.present = append(s.present, make([]uint64, need-len(s.present))...)
	}
	s.present[page>>6] |= 1 << (page & 63)
}

// page returns the committed bytes of a page, in place or in buf; nil means all zero.
func (s *slot) page(page int64, buf *[PageSize]byte) ([]byte, error) {
	if !s.isPresent(page) {
		return nil, nil
	}
	offset, _ := s.locate(page)
	if v := s.file.View(offset, PageSize); v != nil {
		return v, nil
	}
	return buf[:], s.file.ReadAt(buf[:], offset)
}

// read fills dst with committed heap bytes at offset; bytes past the committed size are the caller's mistake. Needs mu.
func (s *slot) read(dst []byte, offset int64) error {
	var buf [PageSize]byte
	for len(dst) > 0 {
		in := offset % PageSize
		n := min(PageSize-in, int64(len(dst)))
		content, err := s.page(offset/PageSize, &buf)
		if err != nil {
			return err
		}
		if content == nil {
			clear(dst[:n])
		} else {
			copy(dst[:n], content[in:])
		}
		dst, offset = dst[n:], offset+n
	}
	return nil
}

// reserve makes sure that writing the pages cannot run out of space half-way, where the system can promise that. Needs mu.
func (s *slot) reserve(changed []span) error {
	return s.eachRun(changed, false, func(first, end, offset int64) error {
		return s.file.Reserve(offset, (end-first)*PageSize)
	})
}

// write makes the changed pages of memory committed bytes, after open snapshots have taken over what they still need. On an error
// nothing has changed. Needs mu.
func (s *slot) write(memory []byte, changed []span) error {
	if err := s.tryWrite(memory, changed); err != nil {
		_ = s.eachRun(changed, false, func(first, end, offset int64) error {
			s.file.Punch(offset, (end-first)*PageSize)
			return nil
		})
		return err
	}
	for _, c := range changed {
		for page := c.first; page < c.end; page++ {
			s.markPresent(page)
		}
	}
	return nil
}

// tryWrite writes the new pages first: they are the ones for which there may be no space, and they are easily given up. On an error the pages
// that were present are what they were, the others anything.
func (s *slot) tryWrite(memory []byte, changed []span) error {
	if err := s.reserve(changed); err != nil {
		return err
	}
	for _, r := range s.readers {
		for _, c := range changed {
			r.preserve(c)
		}
	}
	for _, im := range s.images {
		for _, c := range changed {
			if err := im.preserve(c); err != nil {
				return err
			}
		}
	}
	if err := s.eachRun(changed, false, func(first, end, offset int64) error {
		return s.file.WriteAt(memory[first*PageSize:end*PageSize], offset)
	}); err != nil {
		return err
	}
	return s.overwrite(memory, changed)
}

// undo is the committed bytes of a page that is being overwritten.
type undo struct {
	offset int64
	bytes  *checkpoint.Page
}

// overwrite replaces the changed pages that are present. If the file fails at one of them, those before are put back.
func (s *slot) overwrite(memory []byte, changed []span) error {
	var few [stickyPages]undo
	done := few[:0]
	err := s.eachRun(changed, true, func(first, end, offset int64) error {
		for at := offset; !s.file.InMemory() && len(done) < maxUndo && at < offset+(end-first)*PageSize; at += PageSize {
			old := s.file.Borrow()
			if err := s.file.ReadAt(old[:], at); err != nil {
				s.file.Return(old)
				return err
			}
			done = append(done, undo{at, old})
		}
		return s.file.Overwrite(memory[first*PageSize:end*PageSize], offset)
	})
	if err != nil {
		s.putBack(done, err)
	}
	for _, u := range done {
		s.file.Return(u.bytes)
	}
	return err
}

// putBack writes the old bytes of pages again after a commit failed. If that fails too, there is no state to go on with.
func (s *slot) putBack(done []undo, cause error) {
	if len(done) >= maxUndo {
		panic(fmt.Errorf("wasm: commit failed after %d pages were overwritten, the heap is lost: %w", len(done), cause))
	}
	for _, u := range done {
		if err := s.file.WriteAt(u.bytes[:], u.offset); err != nil {
			panic(fmt.Errorf("wasm: commit failed and cannot be undone, the heap is lost: %w: %w", cause, err))
		}
	}
}

// eachRun calls visit for the runs of changed pages that lie together in the file and are all present or all not.
func (s *slot) eachRun(changed []span, present bool, visit func(first, end, offset int64) error) error {
	for _, c := range changed {
		for first := c.first; first < c.end; {
			offset, pages := s.locate(first)
			limit, is := min(c.end, first+pages), s.isPresent(first)
			end := first + 1
			for end < limit && s.isPresent(end) == is {
				end++
			}
			if is == present {
				if err := visit(first, end, offset); err != nil {
					return err
				}
			}
			first = end
		}
	}
	return nil
}

// trim gives back what reading or rolled-back writes of never committed pages took: through a mapping of a file in memory, both allocate.
// Needs mu.
func (s *slot) trim(pages []span) {
	if !s.file.InMemory() {
		return
	}
	_ = s.eachRun(pages, false, func(first, end, offset int64) error {
		s.file.Punch(offset, (end-first)*PageSize)
		return nil
	})
}

// trimAll is trim for the first pages of the slot, once they are not mapped by the owner any more.
func (s *slot) trimAll(pages int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trim([]span{{0, pages}})
}

// subscribe and unsubscribe keep the list of open snapshots. Need mu.
func (s *slot) subscribe(h heap) { s.readers = append(s.readers, h) }

func (s *slot) unsubscribe(h heap) {
	if i := slices.Index(s.readers, h); i >= 0 {
		s.readers = slices.Delete(s.readers, i, i+1)
	}
}
