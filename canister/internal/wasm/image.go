package wasm

import (
	"bytes"
	"fmt"
	"math"
	"sync"
)

// Image has the bytes of a heap at one time. Taking one copies nothing: image and heap share the bytes as a layer. Its
// methods may be called from anywhere, and while the guest runs; Write is for images that were made empty.
type Image struct {
	engine *Engine
	size   int64
	empty  bool // it was made empty

	mu sync.Mutex // guards store
	store
}

// Freeze takes an image of the committed heap.
func (g *Guest) Freeze() *Image {
	s := g.slot
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustPersist()
	return &Image{engine: g.engine, size: s.size, store: s.over(s.freeze())}
}

// NewImage makes an image of zeros. It takes no space until it is written.
func (e *Engine) NewImage(size uint64) (*Image, error) {
	im := &Image{engine: e, size: int64(size), empty: true, store: store{file: e.file}}
	if err := im.ensure(im.size); err != nil {
		return nil, fmt.Errorf("make a heap image of %d bytes: %w", size, err)
	}
	return im, nil
}

// Fork makes a second image with the same bytes.
func (im *Image) Fork() *Image {
	im.mu.Lock()
	defer im.mu.Unlock()
	return &Image{engine: im.engine, size: im.size, empty: im.empty, store: im.over(im.freeze(im.size))}
}

// Close releases the space of the image.
func (im *Image) Close() { im.close() }

// Size returns the size of the heap in bytes.
func (im *Image) Size() uint64 { return uint64(im.size) }

// Written returns the number of pages that were ever written.
func (im *Image) Written() uint64 {
	im.mu.Lock()
	defer im.mu.Unlock()
	return uint64(im.written)
}

// Written returns the number of pages of the committed heap that were ever written.
func (g *Guest) Written() uint64 {
	g.slot.mu.Lock()
	defer g.slot.mu.Unlock()
	g.slot.mustPersist()
	return uint64(g.slot.written)
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
	im.mu.Lock()
	defer im.mu.Unlock()
	return im.read(dst, int64(off))
}

// HasPrefix reports whether the image begins with these bytes.
func (im *Image) HasPrefix(content []byte) (bool, error) {
	if err := im.check("compare", 0, len(content)); err != nil {
		return false, err
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	var buf [PageSize]byte
	for page := int64(0); len(content) > 0; page++ {
		committed, err := im.page(page, &buf)
		if err != nil {
			return false, err
		}
		if committed == nil {
			committed = zeroPage[:]
		}
		n := min(len(content), PageSize)
		if !bytes.Equal(committed[:n], content[:n]) {
			return false, nil
		}
		content = content[n:]
	}
	return true, nil
}

// Write writes bytes at off. After an error some of them may be written.
func (im *Image) Write(off uint64, src []byte) error {
	if !im.empty {
		panic("wasm: write to an image that was taken of a guest")
	}
	if err := im.check("write", off, len(src)); err != nil {
		return err
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	if err := im.ensure(im.size); err != nil {
		return err
	}
	for at := int64(off); len(src) > 0; {
		page, in := at/PageSize, at%PageSize
		n := min(PageSize-in, int64(len(src)))
		if in == 0 && n == PageSize {
			_, room := im.locate(page)
			n = min(room, int64(len(src))/PageSize) * PageSize
			if err := im.put(page, src[:n]); err != nil {
				return err
			}
		} else if err := im.patch(page, in, src[:n]); err != nil {
			return err
		}
		src, at = src[n:], at+n
	}
	im.settle(im.size, math.MaxInt64, func() error { return nil })
	return nil
}

// put writes whole pages that are contiguous in the file.
func (im *Image) put(page int64, src []byte) error {
	offset, _ := im.locate(page)
	if err := im.file.WriteAt(src, offset); err != nil {
		return err
	}
	for end := page + int64(len(src))/PageSize; page < end; page++ {
		im.enter(page)
	}
	return nil
}

// patch writes a part of a page.
func (im *Image) patch(page, in int64, src []byte) error {
	b := im.file.Borrow()
	defer im.file.Return(b)
	if err := im.read(b[:], page*PageSize); err != nil {
		return err
	}
	copy(b[in:], src)
	return im.put(page, b[:])
}

// Restore makes a guest whose committed heap is the heap of an image, grown to the minimum of the module, and whose
// mutable globals have these values. Nothing runs, neither data segments nor the start function, and nothing is copied.
// The guest is evicted until it is used.
func (e *Engine) Restore(code *Code, im *Image, globals []GlobalValue) *Guest {
	im.mu.Lock()
	defer im.mu.Unlock()
	s := &slot{
		store: im.over(im.freeze(im.size)), refs: 1, size: max(im.size, int64(code.module.MemoryMin)*WasmPageSize),
		globals: code.layout.saved(globals), version: 1,
	}
	g := &Guest{engine: e, code: code, slot: s}
	s.owner = g
	return g
}
