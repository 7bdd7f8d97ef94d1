package stable

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
)

// space is shared by a memory, its forks and their snapshots: the pages of the file.
type space struct {
	file *checkpoint.File
	lazy *lazyPages // pages that are loaded on first use; nil if all pages were present from the start

	mu      sync.Mutex // guards what follows, and head of each memory
	extents []checkpoint.Extent
	starts  []uint32 // first file page of each extent
	end     uint32   // file pages in all extents; page 0 is never used
	next    uint32   // first file page never used
	free    runs     // unused file pages that have space
	holes   runs     // unused file pages whose space was freed
	owners  owners
	users   int // memories, snapshot roots and snapshots
}

// head is the committed state of one memory.
type head struct {
	table   tree
	size    uint64 // in pages of 64 KiB
	written uint64 // pages of 4 KiB that the table has
}

// drop releases a tree, and frees the file pages that only this tree has. Needs mu.
func (s *space) drop(t *tree) {
	var old []uint32
	t.release(&s.owners, func(at uint32) { old = append(old, at) })
	if len(old) > 0 {
		s.give(old, maxFree)
	}
}

// take returns up to most adjacent file pages to write, their offset, and whether they already have space. Needs mu.
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
	if room < r.pages { // the rest is in another extent
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

var errTooManyPages = errors.New("a stable memory, its snapshots and its forks use more than 16 TiB")

// maxExtent is the largest extent that is allocated at a time: its unused part takes no space.
const maxExtent = 64 << 20

// extend adds an extent as big as all before it, up to maxExtent. Needs mu.
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

// locate returns where a file page is, and how many adjacent pages begin there. Needs mu.
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

// give frees unreferenced file pages, in any order, and keeps the space of a few; it sorts pages. Needs mu.
func (s *space) give(pages []uint32, keep int) {
	slices.Sort(pages)
	for _, page := range pages {
		s.free.push(run{page, 1})
	}
	s.trim(keep)
}

// trim frees the space of unused pages, except keep of them. Needs mu.
func (s *space) trim(keep int) {
	for s.free.pages > keep {
		s.empty(s.free.pop(uint32(s.free.pages - keep)))
	}
	s.holes.merge()
}

// empty frees the space of unused pages. Needs mu.
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

// enter makes a snapshot see the newest committed state. Needs mu.
func (s *space) enter(m *Memory) { m.table, m.size = m.head.table.share(), m.head.size }

// leave removes a memory, whose tree this is, from the users of the space; the last one frees everything. Needs mu.
func (s *space) leave(t *tree) {
	if s.users--; s.users > 0 {
		s.drop(t)
		return
	}
	*t = tree{}
	s.lazy.close()
	for _, e := range s.extents {
		s.file.Free(e)
	}
	s.extents, s.starts, s.free, s.holes, s.owners = nil, nil, runs{}, runs{}, owners{}
}
