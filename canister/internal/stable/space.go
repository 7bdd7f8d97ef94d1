package stable

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// space is what a memory, its forks and their snapshots share: the pages of the file.
type space struct {
	file *checkpoint.File

	mu      sync.Mutex
	extents []checkpoint.Extent
	starts  []uint32 // first file page of each extent
	end     uint32   // file pages in all extents; page 0 is never used
	next    uint32   // first file page never used
	free    runs     // unused file pages that have space
	holes   runs     // unused file pages whose space was given back
	limbo   []retired
	readers map[*Memory]uint64 // the epoch each snapshot sees
	epoch   uint64
	heads   []*head
	owners  int
}

// head is the committed state of one memory. A file page belongs to every head whose table has it.
type head struct {
	table tree
	size  uint64 // in pages of 64 KiB
}

// shared reports whether a head besides h has this file page at this page. Needs mu.
func (s *space) shared(h *head, page uint64, at uint32) bool {
	for _, other := range s.heads {
		if other != h && other.table.get(page) == at {
			return true
		}
	}
	return false
}

// drop forgets a head and gives back the file pages that were its own. Needs mu.
func (s *space) drop(h *head) {
	s.heads = slices.DeleteFunc(s.heads, func(other *head) bool { return other == h })
	if len(s.heads) == 0 {
		return // all pages go with the last owner
	}
	var old []uint32
	others := make([]*tree, len(s.heads))
	for i, other := range s.heads {
		others[i] = &other.table
	}
	h.table.only(others, func(at uint32) { old = append(old, at) })
	s.retire(old)
}

// retired is file pages that snapshots older than epoch may see.
type retired struct {
	run
	epoch uint64
}

// take returns up to most file pages to write, where they are, and whether they have space already. Needs mu.
func (s *space) take(most uint32) (r run, offset int64, old bool, err error) {
	switch {
	case s.free.pages > 0:
		r, old = s.free.pop(most), true
	case s.holes.pages > 0:
		r = s.holes.pop(most)
	default:
		if s.next >= s.end {
			if err := s.extend(); err != nil {
				return run{}, 0, false, err
			}
		}
		r = run{s.next, min(most, s.end-s.next)}
		s.next += r.pages
	}
	offset, room := s.locate(r.first)
	if room < r.pages { // the rest lies in another extent
		rest := run{r.first + room, r.pages - room}
		r.pages = room
		if old {
			s.free.push(rest)
		} else {
			s.holes.push(rest)
		}
	}
	return r, offset, old, nil
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

// locate returns where a file page is and how many lie there in a row, itself included. Needs mu.
func (s *space) locate(page uint32) (offset int64, pages uint32) {
	low, high := 0, len(s.starts)
	for high-low > 1 {
		if mid := (low + high) / 2; s.starts[mid] <= page {
			low = mid
		} else {
			high = mid
		}
	}
	e, in := s.extents[low], int64(page-s.starts[low])*OSPageSize
	return e.Offset + in, uint32((e.Size - in) / OSPageSize)
}

// give takes back file pages that nobody sees, in any order, and keeps the space of a few; it changes the order. Needs mu.
func (s *space) give(pages []uint32, keep int) {
	slices.Sort(pages)
	for _, page := range pages {
		s.free.push(run{page, 1})
	}
	s.trim(keep)
}

// trim gives back the space of all unused pages but keep. Needs mu.
func (s *space) trim(keep int) {
	for s.free.pages > keep {
		s.empty(s.free.pop(uint32(s.free.pages - keep)))
	}
	s.holes.merge()
}

// empty gives back the space of unused pages. Needs mu.
func (s *space) empty(r run) {
	for rest := r; rest.pages > 0; {
		offset, pages := s.locate(rest.first)
		pages = min(pages, rest.pages)
		s.file.Punch(offset, int64(pages)*OSPageSize)
		rest.first += pages
		rest.pages -= pages
	}
	s.holes.push(r)
}

// retire takes back file pages that left the tree: at once if no snapshot is open. It changes their order. Needs mu.
func (s *space) retire(pages []uint32) {
	if len(s.readers) == 0 {
		s.give(pages, maxFree)
		return
	}
	slices.Sort(pages)
	for _, page := range pages {
		if n := len(s.limbo); n > 0 && s.limbo[n-1].epoch == s.epoch && s.limbo[n-1].first+s.limbo[n-1].pages == page {
			s.limbo[n-1].pages++
			continue
		}
		s.limbo = append(s.limbo, retired{run{page, 1}, s.epoch})
	}
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
		s.free.push(s.limbo[kept].run)
		kept++
	}
	s.trim(maxFree)
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
	m.table, m.size = m.head.table, m.head.size
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
	s.extents, s.starts, s.free, s.holes, s.limbo = nil, nil, runs{}, runs{}, nil
}
