package wasm

import (
	"fmt"
	"math/bits"
	"slices"
)

// Image is the bytes of a heap at one moment. Taking one copies nothing: its pages are those of the slot it was taken of until that
// overwrites them, which puts the old ones into the image's own slot. Its methods may be called from anywhere, and while the guest runs;
// Write is for images that were made empty.
type Image struct {
	engine *Engine
	size   int64
	source *slot    // nil where the image was made empty
	was    []uint64 // the pages that source had
	kept   *slot    // the pages that source lost since, or all; guarded by source.mu where there is a source
}

// Freeze takes an image of the committed heap.
func (g *Guest) Freeze() *Image {
	s := g.slot
	s.mu.Lock()
	defer s.mu.Unlock()
	im := &Image{engine: g.engine, size: s.size, source: s, was: slices.Clone(s.present), kept: &slot{file: s.file, refs: 1}}
	s.refs++
	s.images = append(s.images, im)
	return im
}

// NewImage makes an image of zeros. It takes no space until it is written.
func (e *Engine) NewImage(size uint64) (*Image, error) {
	im := &Image{engine: e, size: int64(size), kept: &slot{file: e.file, refs: 1}}
	if err := im.kept.ensure(im.size); err != nil {
		return nil, fmt.Errorf("make a heap image of %d bytes: %w", size, err)
	}
	return im, nil
}

// Close gives the space of the image back.
func (im *Image) Close() {
	if s := im.source; s != nil {
		s.mu.Lock()
		s.images = slices.DeleteFunc(s.images, func(other *Image) bool { return other == im })
		s.mu.Unlock()
		s.release()
	}
	im.kept.release()
}

// Size is the size of the heap in bytes.
func (im *Image) Size() uint64 { return uint64(im.size) }

// Written is the number of pages that were ever written.
func (im *Image) Written() (pages uint64) {
	written := im.was
	if im.source == nil {
		written = im.kept.present
	}
	for _, word := range written {
		pages += uint64(bits.OnesCount64(word))
	}
	return pages
}

// Written is the number of pages of the committed heap that were ever written.
func (g *Guest) Written() (pages uint64) {
	g.slot.mu.Lock()
	defer g.slot.mu.Unlock()
	for _, word := range g.slot.present {
		pages += uint64(bits.OnesCount64(word))
	}
	return pages
}

func (im *Image) lock() func() {
	if im.source == nil {
		return func() {}
	}
	im.source.mu.Lock()
	return im.source.mu.Unlock
}

// holder is the slot that has the bytes of a page, nil where they are zero. Needs the lock.
func (im *Image) holder(page int64) *slot {
	switch {
	case im.kept.isPresent(page):
		return im.kept
	case im.source != nil && page>>6 < int64(len(im.was)) && im.was[page>>6]>>(page&63)&1 != 0:
		return im.source
	}
	return nil
}

func (im *Image) check(what string, off uint64, n int) error {
	if size := uint64(im.size); off > size || uint64(n) > size-off {
		return fmt.Errorf("%s %d bytes of a heap image at offset %d: it has %d bytes", what, n, off, size)
	}
	return nil
}

// Read fills dst with the bytes at off.
func (im *Image) Read(off uint64, dst []byte) error {
	if err := im.check("read", off, len(dst)); err != nil {
		return err
	}
	defer im.lock()()
	var buf [PageSize]byte
	for at := int64(off); len(dst) > 0; {
		in := at % PageSize
		n := min(PageSize-in, int64(len(dst)))
		if from := im.holder(at / PageSize); from == nil {
			clear(dst[:n])
		} else {
			content, err := from.page(at/PageSize, &buf)
			if err != nil {
				return err
			}
			copy(dst[:n], content[in:])
		}
		dst, at = dst[n:], at+n
	}
	return nil
}

// Write writes bytes at off. After an error some of them may be written.
func (im *Image) Write(off uint64, src []byte) error {
	if im.source != nil {
		panic("wasm: write to an image that was taken of a guest")
	}
	if err := im.check("write", off, len(src)); err != nil {
		return err
	}
	for at := int64(off); len(src) > 0; {
		page, in := at/PageSize, at%PageSize
		n := min(PageSize-in, int64(len(src)))
		if in == 0 && n == PageSize {
			_, room := im.kept.locate(page)
			n = min(room, int64(len(src))/PageSize) * PageSize
			if err := im.put(page, src[:n]); err != nil {
				return err
			}
		} else if err := im.patch(page, in, src[:n]); err != nil {
			return err
		}
		src, at = src[n:], at+n
	}
	return nil
}

// put writes whole pages that lie together in the file.
func (im *Image) put(page int64, src []byte) error {
	offset, _ := im.kept.locate(page)
	if err := im.engine.file.WriteAt(src, offset); err != nil {
		return err
	}
	for end := page + int64(len(src))/PageSize; page < end; page++ {
		im.kept.markPresent(page)
	}
	return nil
}

// patch writes a part of a page.
func (im *Image) patch(page, in int64, src []byte) error {
	b := im.engine.file.Borrow()
	defer im.engine.file.Return(b)
	if err := im.Read(uint64(page*PageSize), b[:]); err != nil {
		return err
	}
	copy(b[in:], src)
	return im.put(page, b[:])
}

// preserve copies what the image still has in common with its source in a run of pages that is about to be overwritten. On an error the
// image is what it was. Needs the source's lock.
func (im *Image) preserve(pages span) error {
	if err := im.kept.ensure(im.size); err != nil {
		return err
	}
	return im.eachRun(pages.first, min(pages.end, im.size/PageSize), func(from *slot, first, end int64) error {
		if from == im.kept {
			return nil
		}
		return im.kept.copyPages(from, first, end)
	})
}

// eachRun calls visit for the runs of pages that one slot holds. Needs the lock.
func (im *Image) eachRun(first, end int64, visit func(from *slot, first, end int64) error) error {
	for first < end {
		from, next := im.holder(first), first+1
		for next < end && im.holder(next) == from {
			next++
		}
		if from != nil {
			if err := visit(from, first, next); err != nil {
				return err
			}
		}
		first = next
	}
	return nil
}

// copyPages copies pages of another slot to the same place in this one, from file to file.
func (s *slot) copyPages(from *slot, first, end int64) error {
	var buf []byte
	for first < end {
		source, n := from.locate(first)
		target, m := s.locate(first)
		n = min(n, m, end-first, maxCopy)
		content := s.file.View(source, n*PageSize)
		if content == nil {
			if buf == nil {
				buf = make([]byte, min(maxCopy, end-first)*PageSize)
			}
			content = buf[:n*PageSize]
			if err := s.file.ReadAt(content, source); err != nil {
				return err
			}
		}
		if err := s.file.WriteAt(content, target); err != nil {
			return err
		}
		for ; n > 0; n-- {
			s.markPresent(first)
			first++
		}
	}
	return nil
}

// Restore makes a guest whose committed heap is that of an image, or as much more as the module asks for at least, and whose mutable
// globals have these values. Nothing runs: neither data segments nor the start function. The guest sleeps until it is used.
func (e *Engine) Restore(code *Code, im *Image, globals []GlobalValue) (*Guest, error) {
	s := &slot{file: e.file, refs: 1, size: max(im.size, int64(code.module.MemoryMin)*WasmPageSize), globals: code.layout.saved(globals), version: 1}
	g := &Guest{engine: e, code: code, slot: s}
	s.owner = g
	if err := im.fill(s); err != nil {
		g.Close()
		return nil, fmt.Errorf("restore a heap of %d bytes: %w", im.size, err)
	}
	return g, nil
}

func (im *Image) fill(s *slot) error {
	if err := s.ensure(s.size); err != nil {
		return err
	}
	defer im.lock()()
	return im.eachRun(0, im.size/PageSize, s.copyPages)
}
