package wasm

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// This file chooses where the pages of a heap are mapped from. A block that was never written is anonymous memory:
// through a private mapping of the file, a write to a hole would take a page of the file in addition to the private
// one. Once one of its pages is committed, the whole block is mapped from the file.

// place appends mappings for pages at the end.
func (h *mappedHeap) place(first, end int64) {
	add := func(first, _, offset int64) error {
		h.mappings = h.mappings.add(mapping{first, offset})
		return nil
	}
	scarce := h.space.nearMappingLimit()
	for first < end {
		next, blank := h.slot.blanks(first, end)
		if blank && !scarce {
			_ = add(first, next, anonymousMapping)
		} else {
			_ = h.slot.eachPlace(first, next, add)
		}
		first = next
	}
}

// anonymous reports whether some pages are anonymous memory.
func (ps mappings) anonymous() bool {
	for _, p := range ps {
		if p.offset == anonymousMapping {
			return true
		}
	}
	return false
}

// mapAnonymous maps zeros over memory. Its pages are never huge: a byte that is written would make hundreds of pages
// private.
func mapAnonymous(memory []byte) error {
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(unsafe.SliceData(memory)), uintptr(len(memory)), protection, reserving|unix.MAP_FIXED)
	if err != nil {
		return fmt.Errorf("map %d bytes of heap: %w", len(memory), err)
	}
	_ = unix.Madvise(memory, unix.MADV_NOHUGEPAGE) // not every kernel has huge pages
	return nil
}

// follow maps pages from their current places; drop says whether to drop the others as well. Private pages in a block
// that moved are dropped in any case: all of them must be committed or discarded.
func (h *mappedHeap) follow(pages span, drop bool) error {
	defer h.count()
	for pages.first < pages.end {
		i := h.mappings.find(pages.first)
		part := span{pages.first, h.mappings.end(i, pages.end)}
		var err error
		if h.mappings[i].offset == anonymousMapping {
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

// followTo is follow for pages of the file that are now contiguous there.
func (h *mappedHeap) followTo(pages span, offset int64, drop bool) error {
	for pages.first < pages.end {
		i := h.mappings.find(pages.first)
		part := span{pages.first, h.mappings.end(i, pages.end)}
		var err error
		if was := h.mappings[i]; was.offset == anonymousMapping || was.at(part.first) != offset {
			if err = h.mapPages(part, offset); err == nil {
				h.mappings = h.mappings.put(part, offset, int64(len(h.memory)/PageSize))
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

// followBlock is follow for the first of some pages in an anonymous mapping, and the following pages that need the same
// treatment. It returns the page after them. If mappings are scarce, the whole mapping becomes one of the file.
func (h *mappedHeap) followBlock(i int, pages span, drop bool) (end int64, err error) {
	all := span{h.mappings[i].first, h.mappings.end(i, int64(len(h.memory)/PageSize))}
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
	if h.space.nearMappingLimit() {
		moved = all
	}
	return moved.end, h.slot.eachPlace(moved.first, moved.end, func(first, end, offset int64) error {
		return h.followTo(span{first, end}, offset, false)
	})
}

// ofTheFile returns those of the pages that are mapped from the file.
func (h *mappedHeap) ofTheFile(pages []span) (all []span) {
	for _, p := range pages {
		for p.first < p.end {
			i := h.mappings.find(p.first)
			end := h.mappings.end(i, p.end)
			if h.mappings[i].offset != anonymousMapping {
				all = append(all, span{p.first, end})
			}
			p.first = end
		}
	}
	return all
}

func (h *mappedHeap) dropAll() error {
	err := h.dropPages(h.withTables(h.private))
	h.private, h.unknown = h.private[:0], false
	if err != nil {
		h.lost()
	}
	h.flushed = h.flushed && err != nil
	return err
}

// withTables returns the private pages of a large heap with all others that share their page tables: the kernel frees a
// table that is dropped as a whole (since Linux 6.14). Listing private pages then walks only the tables of what was
// touched since.
func (h *mappedHeap) withTables(private []span) (tables []span) {
	if len(h.memory) < largeHeap || h.moves != h.slot.moves {
		return private
	}
	base, last := h.firstPage(), int64(len(h.memory)/PageSize)
	for _, p := range private {
		t := span{max((base+p.first)/tablePages*tablePages-base, 0), min((base+p.end+tablePages-1)/tablePages*tablePages-base, last)}
		if n := len(tables); n > 0 && t.first <= tables[n-1].end {
			tables[n-1].end = t.end
		} else {
			tables = append(tables, t)
		}
	}
	return tables
}

// walksCost reports whether the page tables of a large heap have been walked so often that reading its pages again
// costs less than more walks. A walk takes as long as a page fault for each 16 faults that made the tables: one of them
// maps up to 16 pages of the file. This is the ski rental rule: it costs at most twice the optimum.
func (h *mappedHeap) walksCost() bool {
	return len(h.memory) >= largeHeap && h.walks >= maxWalks && h.mapped >= maxWalks
}

// dropTables drops all pages, which must be committed, with their page tables: the next walk visits only those that
// were touched since.
func (h *mappedHeap) dropTables() error {
	h.walks, h.mapped = 0, 0
	all := []span{{0, int64(len(h.memory) / PageSize)}}
	if err := h.dropPages(all); err != nil {
		h.lost()
		return err
	}
	h.private, h.unknown, h.moves = h.private[:0], false, h.slot.moves
	h.patch()
	return nil
}

// firstPage returns the number of the first page in the address space.
func (h *mappedHeap) firstPage() int64 {
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(h.memory)))) / PageSize
}

// dropPages drops private pages, all of which must be committed or discarded. Small gaps between them are dropped with
// them: a call takes longer than reading some pages again.
func (h *mappedHeap) dropPages(pages []span) error {
	var together drops
	for i := 0; i < len(pages); {
		p := pages[i]
		for i++; i < len(pages) && pages[i].first-p.end <= dropGap; i++ {
			p.end = pages[i].end
		}
		var err error
		if h.moves == h.slot.moves {
			err = together.add(h, p)
		} else {
			err = h.follow(p, true)
		}
		if err != nil {
			return err
		}
	}
	return together.flush(h)
}

// drop discards private pages, in parts that end at the end of a page table: the whole process waits for each part when
// it maps memory.
func (h *mappedHeap) drop(p span) error {
	for base := h.firstPage(); p.first < p.end; {
		end := min((base+p.first)/tablePages*tablePages+dropTables*tablePages-base, p.end)
		if err := unix.Madvise(h.memory[p.first*PageSize:end*PageSize], unix.MADV_DONTNEED); err != nil {
			return fmt.Errorf("drop %d private pages: %w", end-p.first, err)
		}
		p.first = end
	}
	return nil
}

// trim counts page faults. After a number of them, it frees the uncommitted pages of the file in blocks with committed
// pages: there is one for each such page that was written or read.
func (h *mappedHeap) trim(faults int64) {
	if h.untrimmed += faults; h.untrimmed < trimFaults {
		return
	}
	h.untrimmed = 0
	h.slot.mu.Lock()
	defer h.slot.mu.Unlock()
	h.slot.trim(h.ofTheFile([]span{{0, min(int64(len(h.memory)/PageSize), h.slot.reach())}}))
}

// written drops private pages whose bytes are in the file, if a message changed many: otherwise a commit would take
// their space twice.
func (h *mappedHeap) written(pages span) {
	if !h.flushed && countPages(h.private) <= manyPages {
		return
	}
	h.flushed = true
	_ = h.drop(pages) // on an error they take space for a while
}

// dropFlushed drops all private pages, some of which were dropped before: until they are mapped from the file they read
// as zero.
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
