package wasm

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// This file grows heaps: where they are, if no other mapping is in the way.

// grow takes the slot's lock itself: it runs in the middle of a message, while another goroutine may be preserving
// pages here.
func (h *mappedHeap) grow(size int64) error {
	h.slot.mu.Lock()
	defer h.slot.mu.Unlock()
	if h.reader || h.slot.volatile {
		return h.extendOrMove(size, true)
	}
	if err := h.slot.cover(size); err != nil {
		return err
	}
	if size > int64(len(h.memory)) {
		h.place(int64(len(h.memory)/PageSize), size/PageSize)
	}
	defer h.count()
	if len(h.mappings) == 1 && len(h.memory) > 0 {
		base, err := unix.MremapPtr(unsafe.Pointer(unsafe.SliceData(h.memory)), uintptr(len(h.memory)), nil, uintptr(size), unix.MREMAP_MAYMOVE)
		if err == nil {
			h.memory = unsafe.Slice((*byte)(base), size)
			return nil
		}
		if err != unix.EFAULT {
			return fmt.Errorf("grow mapping to %d bytes: %w", size, err)
		}
	}
	return h.extendOrMove(size, false)
}

// extendOrMove grows a heap of several mappings, where it is if it can.
func (h *mappedHeap) extendOrMove(size int64, anonymous bool) error {
	if extended, err := h.extend(size, anonymous); extended || err != nil {
		return err
	}
	return h.move(size, anonymous)
}

// extend maps the rest of size bytes after the heap, if nothing else has these addresses. A move costs more: it
// interrupts all processors, because they have to forget the old addresses.
func (h *mappedHeap) extend(size int64, anonymous bool) (extended bool, err error) {
	old := h.memory
	if len(old) == 0 {
		return false, nil
	}
	start := unsafe.Pointer(unsafe.SliceData(old))
	if !reserveAt(unsafe.Add(start, len(old)), size-int64(len(old))) {
		return false, nil
	}
	h.memory = unsafe.Slice((*byte)(start), size)
	if err := h.mapRest(len(old), anonymous); err != nil {
		_ = unmap(h.memory[len(old):])
		h.memory, h.mappings = old, h.mappings.cut(int64(len(old)/PageSize))
		return false, err
	}
	return true, nil
}

// mapRest maps the heap from an address on: the slot, or anonymous zeros.
func (h *mappedHeap) mapRest(from int, anonymous bool) error {
	if !anonymous {
		return h.mapFrom(int64(from / PageSize))
	}
	h.mappings = h.mappings.add(mapping{int64(from / PageSize), anonymousMapping})
	return mapAnonymous(h.memory[from:])
}

// move moves the heap, including private pages, to an address where size bytes fit, and maps the rest there: the slot,
// or anonymous zeros.
func (h *mappedHeap) move(size int64, anonymous bool) error {
	memory, err := reserve(size, roomAfterHeap)
	if err != nil {
		h.mappings = h.mappings.cut(int64(len(h.memory) / PageSize))
		return err
	}
	old := h.memory
	h.memory = memory
	rest, err := h.moveInto(memory, old, anonymous)
	if err != nil {
		// The compiled code must not continue: its memory is in pieces.
		h.memory, h.mappings = nil, nil
		_ = unmap(memory)
		_ = unmap(rest)
		return fmt.Errorf("%w: %w", errTorn, err)
	}
	return nil
}

// moveInto returns the part of the old memory that could not be moved; the rest of it may already be in use elsewhere.
func (h *mappedHeap) moveInto(memory, old []byte, anonymous bool) ([]byte, error) {
	pages := int64(len(old) / PageSize)
	for i, p := range h.mappings {
		if p.first >= pages {
			break
		}
		start, end := p.first*PageSize, h.mappings.end(i, pages)*PageSize
		if moved, err := movePages(memory[start:end], old[start:end]); err != nil {
			return old[start+int64(moved):], fmt.Errorf("move %d bytes of heap: %w", end-start, err)
		}
	}
	return nil, h.mapRest(len(old), anonymous)
}

// movePages moves mappings. The system may hold one as several, and moves one at a time. On an error,
// moved is how many bytes were moved.
func movePages(to, from []byte) (moved int, err error) {
	_, err = unix.MremapPtr(unsafe.Pointer(unsafe.SliceData(from)), uintptr(len(from)), unsafe.Pointer(unsafe.SliceData(to)), uintptr(len(to)),
		unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED)
	half := len(from) / PageSize / 2 * PageSize
	if err != unix.EFAULT || half == 0 {
		return 0, err
	}
	if moved, err = movePages(to[:half], from[:half]); err != nil {
		return moved, err
	}
	moved, err = movePages(to[half:], from[half:])
	return half + moved, err
}

// reserve returns addresses for a heap. As many bytes of addresses as there is room for are free after it, until something
// else takes them: a heap grows there in its first message, and again after it has grown before.
func reserve(size, room int64) ([]byte, error) {
	base, err := unix.MmapPtr(-1, 0, nil, uintptr(size+room), unix.PROT_NONE, reserving)
	if err != nil {
		return nil, fmt.Errorf("reserve %d bytes of heap: %w", size, err)
	}
	all := unsafe.Slice((*byte)(base), size+room)
	if err := unmap(all[size:]); err != nil {
		return nil, errors.Join(err, unmap(all))
	}
	return all[:size:size], nil
}

// reserveAt takes addresses, unless other mappings have some of them.
func reserveAt(at unsafe.Pointer, size int64) bool {
	base, err := unix.MmapPtr(-1, 0, at, uintptr(size), unix.PROT_NONE, reserving|unix.MAP_FIXED_NOREPLACE)
	if err == nil && base != at { // a kernel without the flag, before 4.17, chose others
		_ = unmap(unsafe.Slice((*byte)(base), size))
	}
	return err == nil && base == at
}
