package stable

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// space is what a memory and its snapshots share: the pages of the file and the committed state.
type space struct {
	file *checkpoint.File

	mu      sync.Mutex
	extents []checkpoint.Extent
	starts  []uint32 // first file page of each extent
	end     uint32   // file pages in all extents; page 0 is never used
	next    uint32   // first file page never used
	free    []uint32 // unused file pages that have space
	holes   []uint32 // unused file pages whose space was given back
	limbo   []retired
	readers map[*Memory]uint64 // the epoch each snapshot sees
	epoch   uint64
	table   tree   // committed
	size    uint64 // committed, in pages of 64 KiB
	owners  int
}

// retired is a file page that snapshots older than epoch may see.
type retired struct {
	page  uint32
	epoch uint64
}

// take returns a file page to write, and whether it has space already. Needs mu.
func (s *space) take() (page uint32, old bool, err error) {
	if n := len(s.free); n > 0 {
		page := s.free[n-1]
		s.free = s.free[:n-1]
		return page, true, nil
	}
	if n := len(s.holes); n > 0 {
		page := s.holes[n-1]
		s.holes = s.holes[:n-1]
		return page, false, nil
	}
	if s.next >= s.end {
		if err := s.extend(); err != nil {
			return 0, false, err
		}
	}
	page = s.next
	s.next++
	return page, false, nil
}

var errTooManyPages = errors.New("a stable memory and its snapshots use more than 16 TiB")

// extend adds an extent as big as all before it, within bounds. Needs mu.
func (s *space) extend() error {
	e, err := s.file.Allocate(min(max(int64(s.end)*OSPageSize, checkpoint.MinExtent), maxExtent))
	if err != nil {
		return fmt.Errorf("extend stable memory: %w", err)
	}
	pages := e.Size / OSPageSize
	if int64(s.end)+pages > math.MaxUint32 {
		s.file.Free(e)
		return errTooManyPages
	}
	s.extents = append(s.extents, e)
	s.starts = append(s.starts, s.end)
	s.end += uint32(pages)
	s.next = max(s.next, 1)
	return nil
}

// offset is where a file page is. Needs mu.
func (s *space) offset(page uint32) int64 {
	low, high := 0, len(s.starts)
	for high-low > 1 {
		if mid := (low + high) / 2; s.starts[mid] <= page {
			low = mid
		} else {
			high = mid
		}
	}
	return s.extents[low].Offset + int64(page-s.starts[low])*OSPageSize
}

// give takes back file pages that nobody sees. Needs mu.
func (s *space) give(pages ...uint32) {
	s.free = append(s.free, pages...)
	for len(s.free) > maxFree {
		page := s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
		s.file.Punch(s.offset(page), OSPageSize)
		s.holes = append(s.holes, page)
	}
}

// retire takes back a file page that left the tree: at once if no snapshot is open. Needs mu.
func (s *space) retire(page uint32) {
	if len(s.readers) == 0 {
		s.give(page)
		return
	}
	s.limbo = append(s.limbo, retired{page, s.epoch})
}

// leave ends the reading of a snapshot and frees what only it could see. Needs mu.
func (s *space) leave(m *Memory) {
	delete(s.readers, m)
	oldest := uint64(math.MaxUint64)
	for _, epoch := range s.readers {
		oldest = min(oldest, epoch)
	}
	kept := 0 // limbo is in the order of epochs
	for kept < len(s.limbo) && s.limbo[kept].epoch <= oldest {
		s.give(s.limbo[kept].page)
		kept++
	}
	if s.limbo = s.limbo[kept:]; len(s.limbo) == 0 {
		s.limbo = nil
	}
}

// enter makes m see the newest committed state. Needs mu.
func (s *space) enter(m *Memory) {
	if s.readers == nil {
		s.readers = map[*Memory]uint64{}
	}
	s.readers[m] = s.epoch
	s.epoch++
	m.table, m.size = s.table, s.size
}

// close frees everything with the last owner. Needs mu.
func (s *space) close() {
	s.owners--
	if s.owners > 0 {
		return
	}
	for _, e := range s.extents {
		s.file.Free(e)
	}
	s.extents, s.starts, s.free, s.holes, s.limbo, s.table = nil, nil, nil, nil, nil, tree{}
}
