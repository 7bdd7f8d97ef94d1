package wasm

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mappedHeap maps the places of the slot's pages privately. A page that is written becomes a private copy; all others
// are the committed bytes themselves. A page whose place has changed since it was mapped is private as well, until it
// is dropped and mapped from its new place.
type mappedHeap struct {
	space    *heapSpace
	slot     *slot
	reader   bool
	memory   []byte
	mappings mappings
	moves    uint64 // slot.moves when all mappings were last up to date
	counted  int    // mappings included in the count of all heaps
	private  []span // private pages found last
	// unknown says that there may be more private pages than those. A thread that took no page fault made none, and
	// counting faults is cheaper than listing pages, which walks the page tables of the whole heap.
	unknown bool
	// fresh is an upper bound of the number of pages that became private since the last listing.
	fresh     int64
	usage     unix.Rusage
	asked     int64
	faults    int64
	counting  bool
	commits   uint
	untrimmed int64 // page faults since the last trim that did something
	// mapped counts page faults since all page tables were dropped, walks counts the walks of the tables since then.
	mapped int64
	walks  uint
	// flushed is set if private pages were dropped before their commit was complete, see written.
	flushed bool
	// preserved is unknown as set by the goroutine that preserves pages. Guarded by the slot's lock.
	preserved bool
	pages     privatePages
	content   [PageSize]byte // committed bytes that are not in the file's window
	held      heldPages
}

const (
	protection = unix.PROT_READ | unix.PROT_WRITE
	reserving  = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
)

func newMappedHeap(hs *heapSpace, s *slot, size int64, reader bool) (heap, error) {
	h := &mappedHeap{space: hs, slot: s, reader: reader, unknown: true, moves: s.moves}
	known := size
	if s.volatile {
		known = min(size, s.reach()*PageSize)
	} else if err := s.cover(size); err != nil {
		return nil, err
	}
	if size == 0 {
		return h, nil
	}
	h.place(0, known/PageSize)
	if known < size {
		h.mappings = h.mappings.add(mapping{known / PageSize, anonymousMapping})
	}
	defer h.count()
	if len(h.mappings) == 1 && h.mappings[0].offset != anonymousMapping {
		base, err := unix.MmapPtr(s.file.Descriptor(), h.mappings[0].offset, nil, uintptr(size), protection, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
		if err != nil {
			h.mappings = nil
			return nil, fmt.Errorf("map %d bytes of heap: %w", size, err)
		}
		h.memory = unsafe.Slice((*byte)(base), size)
		return h, nil
	}
	room := int64(0)
	if s.version == 0 {
		room = roomAfterHeap
	}
	memory, err := reserve(size, room)
	if err != nil {
		h.mappings = nil
		return nil, err
	}
	h.memory = memory
	if err := h.mapFrom(0); err != nil {
		_ = unmap(h.memory)
		h.mappings = nil
		return nil, err
	}
	return h, nil
}

// count updates the number of mappings of all heaps.
func (h *mappedHeap) count() {
	h.space.mappings.Add(int64(len(h.mappings) - h.counted))
	h.counted = len(h.mappings)
}

// mapFrom maps the mappings over memory, from a page on.
func (h *mappedHeap) mapFrom(page int64) error {
	end := int64(len(h.memory) / PageSize)
	for i, p := range h.mappings {
		stop := h.mappings.end(i, end)
		if stop <= page {
			continue
		}
		first := max(p.first, page)
		var err error
		if p.offset == anonymousMapping {
			err = mapAnonymous(h.memory[first*PageSize : stop*PageSize])
		} else {
			err = h.mapPages(span{first, stop}, p.at(first))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mapPages maps a part of the file over pages of memory.
func (h *mappedHeap) mapPages(pages span, offset int64) error {
	size := (pages.end - pages.first) * PageSize
	if _, err := unix.MmapPtr(h.slot.file.Descriptor(), offset, unsafe.Pointer(&h.memory[pages.first*PageSize]), uintptr(size), protection,
		unix.MAP_PRIVATE|unix.MAP_NORESERVE|unix.MAP_FIXED); err != nil {
		return fmt.Errorf("map %d bytes of heap: %w", size, err)
	}
	return nil
}

func (h *mappedHeap) bytes() []byte { return h.memory }

// list updates h.private, the list of private pages.
func (h *mappedHeap) list() error {
	if !h.unknown && !h.preserved {
		return nil
	}
	var err error
	if h.private, err = h.pages.list(h.space, h.memory, h.private[:0]); err != nil {
		return err
	}
	h.unknown, h.preserved, h.fresh = false, false, 0
	h.walks++
	return nil
}

// load drops every private page.
func (h *mappedHeap) load() error {
	if h.moves != h.slot.moves {
		if err := h.remap(); err != nil {
			return err
		}
	}
	if err := h.list(); err != nil {
		return err
	}
	if err := h.dropAll(); err != nil {
		return err
	}
	h.patch()
	return nil
}

// patch copies the patches of the slot into the heap, after private pages were dropped.
func (h *mappedHeap) patch() {
	for _, p := range h.slot.patches {
		if p.page < int64(len(h.memory)/PageSize) {
			copy(h.page(p.page), p.bytes[:])
			h.lost()
		}
	}
}

// moveTo copies the bytes of the other slot, so that the pages stay private.
func (h *mappedHeap) moveTo(s *slot, differing []int64) error {
	h.slot, h.moves = s, s.moves
	if slices.ContainsFunc(differing, func(n int64) bool { return !contains(h.private, n) }) {
		h.watch()
		defer h.unwatch()
	}
	for _, n := range differing {
		content, err := s.page(n, &h.content)
		if err != nil {
			return err
		}
		fillPage(h.page(n), content)
	}
	return nil
}

func (h *mappedHeap) remap() error {
	h.unknown = true
	if err := h.follow(span{0, int64(len(h.memory) / PageSize)}, false); err != nil {
		return err
	}
	h.moves = h.slot.moves
	return nil
}

func (h *mappedHeap) page(n int64) []byte { return h.memory[n*PageSize : (n+1)*PageSize] }

func (h *mappedHeap) changed(spans []span) ([]span, error) {
	if err := h.list(); err != nil {
		return spans, err
	}
	for _, p := range h.private {
		for n := p.first; n < p.end; n++ {
			content, err := h.slot.page(n, &h.content)
			if err != nil {
				return spans, err
			}
			if !samePage(h.page(n), content) {
				spans = appendPage(spans, n)
			}
		}
	}
	return spans, nil
}

func (h *mappedHeap) changedMany(pages int) (bool, error) {
	if !h.preserved && int64(countPages(h.private))+h.fresh < int64(pages) {
		return false, nil
	}
	if err := h.list(); err != nil {
		return false, err
	}
	for _, p := range h.private {
		for n := p.first; n < p.end; n++ {
			content, err := h.slot.page(n, &h.content)
			if err != nil {
				return false, err
			}
			if samePage(h.page(n), content) {
				continue
			}
			if pages--; pages <= 0 {
				return true, nil
			}
		}
	}
	return false, nil
}

// committed keeps a few private pages, the changed ones: they are the hot ones. From time to time it drops all others,
// because each commit compares every one that stays. After an error the heap is lost, but the slot has all of its
// bytes.
func (h *mappedHeap) committed(changed []span) error {
	h.commits++
	if h.slot.volatile {
		return nil // the file does not have the committed bytes
	}
	if h.flushed {
		return h.dropFlushed()
	}
	if h.walksCost() {
		return h.dropTables()
	}
	private := countPages(h.private)
	if private > stickyPages || h.commits%stickyCommits == 0 && private != countPages(changed) {
		_ = h.dropPages(h.cold(changed)) // a page that stays is only compared again
		h.unknown = true
	}
	if h.moves != h.slot.moves && h.slot.base == nil && !h.mappings.anonymous() {
		h.moves = h.slot.moves
	}
	return nil
}

// cold returns the private pages except a few of the changed ones.
func (h *mappedHeap) cold(changed []span) (cold []span) {
	kept := int64(0)
	for _, p := range h.private {
		for first := p.first; first < p.end; {
			hot := contains(changed, first)
			end := first + 1
			for end < p.end && contains(changed, end) == hot {
				end++
			}
			keep := first
			if hot {
				keep = min(end, first+stickyPages-kept)
				kept += keep - first
			}
			if keep < end {
				cold = append(cold, span{keep, end})
			}
			first = end
		}
	}
	return cold
}

// restore copies over few pages and drops many: a dropped page has to be faulted in again.
func (h *mappedHeap) restore(changed []span, compared bool) error {
	if err := h.list(); err != nil {
		return err
	}
	kept := int(stickyPages)
	if h.slot.volatile {
		kept = maxPatches // patches cannot be mapped: dropped ones are copied back
	}
	if h.flushed || countPages(h.private) > kept {
		dropped := h.ofTheFile(h.private)
		err := h.dropAll()
		h.slot.trim(dropped)
		h.patch()
		return err
	}
	if !compared {
		var err error
		if changed, err = h.changed(changed[:0]); err != nil {
			return err
		}
	}
	for _, c := range changed {
		for n := c.first; n < c.end; n++ {
			content, err := h.slot.page(n, &h.content)
			if err != nil {
				return err
			}
			fillPage(h.page(n), content)
		}
	}
	return nil
}

func (h *mappedHeap) watch() {
	h.counting = h.space.countFaults
	if h.counting {
		runtime.LockOSThread()
		h.faults = countFaults(&h.usage)
		h.asked = h.faults
	}
}

func (h *mappedHeap) unwatch() {
	if !h.counting {
		h.lost()
		return
	}
	faults := countFaults(&h.usage) - h.faults
	runtime.UnlockOSThread()
	if faults > 0 {
		h.unknown = true
		h.fresh += faults
		h.mapped += faults
		h.trim(faults)
	}
}

func (h *mappedHeap) faulted() int64 {
	if !h.counting {
		return 0
	}
	before := h.asked
	h.asked = countFaults(&h.usage)
	return h.asked - before
}

// lost is called when pages may have become private without a fault of the thread.
func (h *mappedHeap) lost() { h.unknown, h.fresh = true, math.MaxInt32 }

// countFaults returns the number of page faults of the current thread.
func countFaults(u *unix.Rusage) int64 {
	if _, _, errno := unix.RawSyscall(unix.SYS_GETRUSAGE, unix.RUSAGE_THREAD, uintptr(unsafe.Pointer(u)), 0); errno != 0 {
		panic(fmt.Errorf("wasm: count page faults: %w", errno))
	}
	return u.Minflt + u.Majflt
}

// preserve writes to each page without changing it: the kernel makes a private copy of its content. Anonymous pages do
// not change with the file.
//
//go:norace
func (h *mappedHeap) preserve(pages span) {
	h.preserved = true
	if h.held.active {
		h.keep(pages)
	}
	for end := min(pages.end, int64(len(h.memory)/PageSize)); pages.first < end; {
		i := h.mappings.find(pages.first)
		stop := h.mappings.end(i, end)
		for n := pages.first; n < stop && h.mappings[i].offset != anonymousMapping; n++ {
			atomic.AddUint32((*uint32)(unsafe.Pointer(&h.memory[n*PageSize])), 0)
		}
		pages.first = stop
	}
}

func (h *mappedHeap) free() error {
	if pages := int64(len(h.memory) / PageSize); pages > 0 && !h.reader {
		defer h.slot.trimAll(pages)
	}
	err := unmap(h.memory)
	h.memory, h.mappings, h.private = nil, nil, nil
	h.count()
	return err
}

func unmap(memory []byte) error {
	if len(memory) == 0 {
		return nil
	}
	if err := unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(memory)), uintptr(len(memory))); err != nil {
		return fmt.Errorf("unmap %d bytes of heap: %w", len(memory), err)
	}
	return nil
}
