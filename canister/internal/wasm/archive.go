package wasm

import (
	"fmt"
	"sync"

	"github.com/canisterd/canisterd/archive"
)

// maxArchivedWords limits the globals of a state that is read.
const maxArchivedWords = 1 << 16

// Archive writes the committed state of a guest: the pages of its heap that were ever written, and its globals. No
// message may be open. The guest does not become resident.
func (g *Guest) Archive(c *archive.Coder) {
	s := g.slot
	s.mu.Lock()
	s.mustPersist()
	size, words := uint64(s.size), append([]uint64{}, s.globals...)
	s.mu.Unlock()
	archive.Number(c, &size)
	archive.Slice(c, &words, maxArchivedWords, func(w *uint64) { archive.Number(c, w) })
	s.archive(c, &s.mu, int64(size/PageSize))
}

// Archive writes the pages of an image that were ever written.
func (im *Image) Archive(c *archive.Coder) {
	size := im.Size()
	archive.Number(c, &size)
	im.archive(c, &im.mu, im.size/PageSize)
}

// archive writes the pages that exist below a page number. It locks for one page at a time, so that readers continue.
func (s *store) archive(c *archive.Coder, mu sync.Locker, pages int64) {
	mu.Lock()
	base := s.base
	if s.own > 0 || base != nil && base.pages > pages {
		base = nil // the layer has fewer pages than the store, or more
	}
	mu.Unlock()
	if base != nil && c.KeepPages(&base.saved) {
		return
	}
	all := archive.NewPages(c)
	next := func(at int64, page []byte) (int64, bool, error) {
		mu.Lock()
		defer mu.Unlock()
		for at < pages && s.any(at)>>(at&63) == 0 {
			at = at&^63 + 64
		}
		exists := at < pages && s.any(at)>>(at&63)&1 == 1
		if !exists {
			return at, false, nil
		}
		return at, true, s.readPage((*[PageSize]byte)(page), at)
	}
	for at := int64(0); at < pages && !c.Failed(); at++ {
		page := all.Room()
		found, exists, err := next(at, page)
		switch at = found; {
		case err != nil:
			c.Fail("read page %d of a heap: %w", at, err)
		case exists:
			all.Put(uint64(at), page)
		}
	}
	if segment := all.Close(); base != nil {
		base.saved.Add(segment)
	}
}

// ReadGuest makes a guest from what Archive has written. Nothing runs, and the guest is not resident. Content that does
// not fit the code, or the disk, is a fault; the guest is then nil.
func (e *Engine) ReadGuest(c *archive.Coder, code *Code) *Guest {
	m := code.module
	var size uint64
	var words []uint64
	archive.Number(c, &size)
	archive.Slice(c, &words, maxArchivedWords, func(w *uint64) { archive.Number(c, w) })
	fits := size%WasmPageSize == 0 && size >= uint64(m.MemoryMin)*WasmPageSize && size <= uint64(m.MemoryMax)*WasmPageSize
	if !m.HasMemory {
		fits = size == 0
	}
	if !c.Check(fits && len(words) == code.layout.words, "a heap of %d bytes and %d words of globals do not fit module %x", size, len(words), m.Hash[:8]) {
		return nil
	}
	g := &Guest{engine: e, code: code, slot: &slot{store: store{file: e.file}, refs: 1, size: int64(size), globals: append([]uint64{}, words...), version: 1}}
	g.slot.owner = g
	if g.slot.unarchive(c, g.slot.size); c.Failed() {
		g.Close()
		return nil
	}
	return g
}

// ReadImage makes an image from what Image.Archive has written, up to a number of bytes; empty allows writes to it, as
// to one that was made empty. Content that does not fit is a fault; the image is then nil.
func (e *Engine) ReadImage(c *archive.Coder, most uint64, empty bool) *Image {
	var size uint64
	archive.AtMost(c, &size, most)
	if !c.Check(size%PageSize == 0, "a heap image of %d bytes", size) {
		return nil
	}
	im := &Image{engine: e, size: int64(size), empty: empty, store: store{file: e.file}}
	if im.unarchive(c, im.size); c.Failed() {
		im.Close()
		return nil
	}
	return im
}

// unarchive reads the pages of a heap of size bytes into a new store.
func (s *store) unarchive(c *archive.Coder, size int64) {
	segment := archive.ReadPages(c, uint64(size/PageSize), func(first, count uint64, content []byte) error {
		if err := s.ensure(size); err != nil {
			return fmt.Errorf("make room for a heap of %d bytes: %w", size, err)
		}
		err := s.writePages(int64(first), int64(count), content)
		if err == nil {
			s.enterRun(int64(first), int64(count))
		}
		return err
	})
	if segment == nil {
		return
	}
	if err := s.attach(segment, size); err != nil {
		c.Fail("make room for a heap of %d bytes: %w", size, err)
	}
}
