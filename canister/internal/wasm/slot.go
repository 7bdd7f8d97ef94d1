package wasm

import (
	"slices"
	"sync"

	"github.com/canisterd/canisterd/canister/internal/wasm/checkpoint"
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

// reserve makes sure that writing the pages cannot run out of space half-way. Needs mu.
func (s *slot) reserve(changed []span) error {
	for _, c := range changed {
		for page := c.first; page < c.end; {
			if s.isPresent(page) {
				page++
				continue
			}
			offset, pages := s.locate(page)
			end := page + 1
			for end < c.end && end < page+pages && !s.isPresent(end) {
				end++
			}
			if err := s.file.Reserve(offset, (end-page)*PageSize); err != nil {
				return err
			}
			page = end
		}
	}
	return nil
}

// write makes the changed pages of memory committed bytes, after open snapshots have taken over what they still need. Needs mu.
func (s *slot) write(memory []byte, changed []span) error {
	if err := s.reserve(changed); err != nil {
		return err
	}
	for _, r := range s.readers {
		for _, c := range changed {
			r.preserve(c)
		}
	}
	for _, c := range changed {
		for page := c.first; page < c.end; {
			end, err := s.writeRun(memory, page, c.end)
			if err != nil {
				return err
			}
			page = end
		}
	}
	return nil
}

// writeRun writes the pages from first on that lie together and are all present or all not, and returns where they end.
func (s *slot) writeRun(memory []byte, first, end int64) (int64, error) {
	offset, pages := s.locate(first)
	end = min(end, first+pages)
	old := s.isPresent(first)
	page := first + 1
	for page < end && s.isPresent(page) == old {
		page++
	}
	bytes := memory[first*PageSize : page*PageSize]
	if old {
		return page, s.file.Overwrite(bytes, offset)
	}
	if err := s.file.WriteAt(bytes, offset); err != nil {
		return first, err
	}
	for p := first; p < page; p++ {
		s.markPresent(p)
	}
	return page, nil
}

// subscribe and unsubscribe keep the list of open snapshots. Need mu.
func (s *slot) subscribe(h heap) { s.readers = append(s.readers, h) }

func (s *slot) unsubscribe(h heap) {
	if i := slices.Index(s.readers, h); i >= 0 {
		s.readers = slices.Delete(s.readers, i, i+1)
	}
}
