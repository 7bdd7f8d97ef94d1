package wasm

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where the pages of a heap are mapped from. A block that was never written is anonymous memory: through a private mapping of the file, a write to
// a hole would take a page of the file beside the private one. Once one of its pages is committed, all of the block is mapped from the file.

// place adds pieces for pages at the end.
func (h *mappedHeap) place(first, end int64) {
	add := func(first, _, offset int64) error {
		h.pieces = h.pieces.add(piece{first, offset})
		return nil
	}
	scarce := h.space.scarce()
	for first < end {
		next, blank := h.slot.blanks(first, end)
		if blank && !scarce {
			_ = add(first, next, anonymousPiece)
		} else {
			_ = h.slot.eachPlace(first, next, add)
		}
		first = next
	}
}

// anonymous says that some pages are mapped from nowhere.
func (ps pieces) anonymous() bool {
	for _, p := range ps {
		if p.offset == anonymousPiece {
			return true
		}
	}
	return false
}

// mapAnonymous maps zeros over memory. Its pages are never huge ones: a byte that is written would make hundreds of pages private.
func mapAnonymous(memory []byte) error {
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(unsafe.SliceData(memory)), uintptr(len(memory)), protection, reserving|unix.MAP_FIXED)
	if err != nil {
		return fmt.Errorf("map %d bytes of heap: %w", len(memory), err)
	}
	_ = unix.Madvise(memory, unix.MADV_NOHUGEPAGE) // not every kernel has huge pages
	return nil
}

// follow maps pages from where they are now; drop says that those which have not moved are to be dropped. Private pages that are in a block which
// moved are dropped in any case: all of them must be committed or given up.
func (h *mappedHeap) follow(pages span, drop bool) error {
	defer h.count()
	for pages.first < pages.end {
		i := h.pieces.find(pages.first)
		part := span{pages.first, h.pieces.end(i, pages.end)}
		var err error
		if h.pieces[i].offset == anonymousPiece {
			part.end, err = h.followBlock(i, part, drop)
		} else {
			err = h.slot.eachPlace(part.first, part.end, func(first, end, offset int64) error {
				return h.followTo(span{first, end}, offset, drop)
			})
		}
		if err != nil {
			return err
		}
		pages.first = part.end
	}
	return nil
}

// followTo is follow for pages of the file that lie together there now.
func (h *mappedHeap) followTo(pages span, offset int64, drop bool) error {
	for pages.first < pages.end {
		i := h.pieces.find(pages.first)
		part := span{pages.first, h.pieces.end(i, pages.end)}
		var err error
		if was := h.pieces[i]; was.offset == anonymousPiece || was.at(part.first) != offset {
			if err = h.mapPages(part, offset); err == nil {
				h.pieces = h.pieces.put(part, offset, int64(len(h.memory)/PageSize))
			}
		} else if drop {
			err = h.drop(part)
		}
		if err != nil {
			return err
		}
		offset += (part.end - part.first) * PageSize
		pages.first = part.end
	}
	return nil
}

// followBlock is follow for the first of some pages in an anonymous piece and those after it for which the same is to be done. It returns the page
// after them. Where mappings are scarce, the whole piece becomes one of the file.
func (h *mappedHeap) followBlock(i int, pages span, drop bool) (end int64, err error) {
	all := span{h.pieces[i].first, h.pieces.end(i, int64(len(h.memory)/PageSize))}
	blank := h.slot.blank(pages.first)
	for end = pages.first; end < pages.end && h.slot.blank(end) == blank; {
		end = end/blockPages*blockPages + blockPages
	}
	if blank {
		if end = min(end, pages.end); drop {
			err = h.drop(span{pages.first, end})
		}
		return end, err
	}
	moved := span{max(pages.first/blockPages*blockPages, all.first), min(end, all.end)}
	if h.space.scarce() {
		moved = all
	}
	return moved.end, h.slot.eachPlace(moved.first, moved.end, func(first, end, offset int64) error {
		return h.followTo(span{first, end}, offset, false)
	})
}

// ofTheFile is those pages that are mapped from the file.
func (h *mappedHeap) ofTheFile(pages []span) (all []span) {
	for _, p := range pages {
		for p.first < p.end {
			i := h.pieces.find(p.first)
			end := h.pieces.end(i, p.end)
			if h.pieces[i].offset != anonymousPiece {
				all = append(all, span{p.first, end})
			}
			p.first = end
		}
	}
	return all
}

func (h *mappedHeap) dropAll() error {
	err := h.dropPages(h.private)
	h.private, h.unknown = h.private[:0], err != nil
	h.flushed = h.flushed && err != nil
	return err
}

// dropPages drops private pages, all of which must be committed or given up. What lies between two of them is dropped with them where that is little:
// a call takes longer than reading some pages again.
func (h *mappedHeap) dropPages(pages []span) error {
	for i := 0; i < len(pages); {
		p := pages[i]
		for i++; i < len(pages) && pages[i].first-p.end <= dropGap; i++ {
			p.end = pages[i].end
		}
		var err error
		if h.moves == h.slot.moves {
			err = h.drop(p)
		} else {
			err = h.follow(p, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drop gives up private pages, in parts: the whole process waits for each where it maps memory.
func (h *mappedHeap) drop(p span) error {
	for first := p.first; first < p.end; first += dropPart {
		end := min(first+dropPart, p.end)
		if err := unix.Madvise(h.memory[first*PageSize:end*PageSize], unix.MADV_DONTNEED); err != nil {
			return fmt.Errorf("drop %d private pages: %w", end-first, err)
		}
	}
	return nil
}

// written gives up private pages whose bytes are in the file, where a message changed many: else a commit would take their space twice.
func (h *mappedHeap) written(pages span) {
	if !h.flushed && countPages(h.private) <= manyPages {
		return
	}
	h.flushed = true
	_ = h.drop(pages) // they take space for a while
}

// dropFlushed drops all private pages, some of which were given up already: until they are mapped from the file they read as zero.
func (h *mappedHeap) dropFlushed() error {
	synced := h.slot.base == nil
	if err := h.dropAll(); err != nil {
		return err
	}
	if synced {
		h.moves = h.slot.moves
	}
	return nil
}
