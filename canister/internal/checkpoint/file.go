package checkpoint

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Extent is a range of the file, in bytes. Size is a power of two and at least MinExtent.
type Extent struct {
	Offset int64
	Size   int64
}

// File is one sparse file. Its methods may be called from several goroutines; two callers never own the same extent.
type File struct {
	file   *os.File
	folder string // where the file is, for errors
	remove string // path to remove when closing, "" once unlinked
	window []byte // shared mapping of the beginning of the file; nil if there is none
	memory bool   // the file is memory: the window can overwrite a written page without a fault that fails
	punch  bool
	pages  sync.Pool // of *Page
	chunks sync.Pool // of *chunk

	mu   sync.Mutex // guards what follows
	end  int64      // first offset never allocated
	size int64      // length of the file
	free [64][]int64
	used int64
}

// Page is a buffer for the smallest unit that the users of the file write.
type Page [pageSize]byte

// Sizes of system calls. They change only the duration of calls.
const (
	// chunkPages is how many pages are written with one system call.
	chunkPages = 64
	// punchPart is how many bytes are freed at a time.
	punchPart = 8 << 20
	// growStep is by how much the length of the file grows at a time; the new bytes are a hole.
	growStep = 1 << 30
)

// chunk is the unit of WritePages.
type chunk [chunkPages * pageSize]byte

// Borrow lends a page with any content; Return takes it back. All memories of an engine share the few that are in use
// at a time.
func (c *File) Borrow() *Page {
	if p, ok := c.pages.Get().(*Page); ok {
		return p
	}
	return new(Page)
}

// Return takes a borrowed page back.
func (c *File) Return(p *Page) { c.pages.Put(p) }

// Open makes an empty checkpoint file in dir; with an empty dir it is in memory on Linux, and in the temporary folder
// elsewhere.
func Open(dir string) (*File, error) {
	f, remove, memory, err := create(dir)
	if err != nil {
		return nil, fmt.Errorf("create checkpoint file: %w", err)
	}
	c := &File{file: f, folder: filepath.Dir(f.Name()), remove: remove, memory: memory}
	if err := prepare(f); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare checkpoint file: %w", err), c.Close())
	}
	c.punch = punch(f, 0, MinExtent) == nil
	c.window = mapWindow(f, memory)
	return c, nil
}

// Close releases everything. The mappings that others made of the file must be gone.
func (c *File) Close() error {
	err := errors.Join(unmapWindow(c.window), c.file.Close())
	c.window = nil
	if c.remove != "" {
		err = errors.Join(err, os.Remove(c.remove))
	}
	return err
}

// Descriptor returns the file descriptor, for mappings of the file.
func (c *File) Descriptor() int { return int(c.file.Fd()) }

// Punches reports whether freed extents read as zero. If not, their owner must remember what it wrote.
func (c *File) Punches() bool { return c.punch }

// InMemory reports whether the file is memory: overwriting written bytes then cannot fail.
func (c *File) InMemory() bool { return c.memory }

// InUse returns the number of bytes of all allocated extents. Not all of them take space.
func (c *File) InUse() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

// Allocate returns an extent of at least size bytes, all zero (see Punches). It takes no space until it is written.
func (c *File) Allocate(size int64) (Extent, error) {
	class := bits.Len64(uint64(max(size, MinExtent) - 1))
	size = 1 << class
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.free[class]); n > 0 {
		offset := c.free[class][n-1]
		c.free[class] = c.free[class][:n-1]
		c.used += size
		return Extent{offset, size}, nil
	}
	if c.end > MaxFile-size {
		return Extent{}, fmt.Errorf("%w: no room for %d bytes, %d of at most %d are taken", ErrFull, size, c.end, int64(MaxFile))
	}
	if c.end+size > c.size {
		want := (c.end + size + growStep - 1) / growStep * growStep
		if err := c.file.Truncate(want); err != nil {
			return Extent{}, c.full(size, err)
		}
		c.size = want
	}
	e := Extent{c.end, size}
	c.end += size
	c.used += size
	return e, nil
}

// Free takes an extent back and returns its space to the file system.
func (c *File) Free(e Extent) {
	if c.punch && c.punchParts(e.Offset, e.Size) != nil {
		return // never allocate bytes that might not read as zero
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	class := bits.Len64(uint64(e.Size - 1))
	c.free[class] = append(c.free[class], e.Offset)
	c.used -= e.Size
}

// Punch frees the space of [offset, offset+size). The range then reads as zero if Punches returns true.
func (c *File) Punch(offset, size int64) {
	if c.punch {
		_ = c.punchParts(offset, size) // a failure only loses space
	}
}

// punchParts punches a range in parts: all writers of the file wait for each.
func (c *File) punchParts(offset, size int64) error {
	for ; size > 0; offset, size = offset+punchPart, size-punchPart {
		if err := punch(c.file, offset, min(size, punchPart)); err != nil {
			return err
		}
	}
	return nil
}

// Reserve ensures that writing [offset, offset+size) cannot run out of space, if the system can guarantee that.
func (c *File) Reserve(offset, size int64) error {
	if c.memory {
		return nil // the system does not report a lack of memory as an error
	}
	if err := reserve(c.file, offset, size); err != nil {
		return c.full(size, err)
	}
	return nil
}

// ReadAt fills dst with the bytes at offset, all in allocated extents.
func (c *File) ReadAt(dst []byte, offset int64) error {
	if v := c.View(offset, int64(len(dst))); v != nil {
		Copy(dst, v)
		return nil
	}
	if _, err := c.file.ReadAt(dst, offset); err != nil {
		return fmt.Errorf("read %d bytes at offset %d of the checkpoint file: %w", len(dst), offset, err)
	}
	return nil
}

// WriteAt writes src at offset, in allocated extents.
func (c *File) WriteAt(src []byte, offset int64) error {
	if _, err := c.file.WriteAt(src, offset); err != nil {
		return c.full(int64(len(src)), err)
	}
	return nil
}

// Overwrite is WriteAt for a range that was written before and not punched since. It is much faster if the file is
// memory.
func (c *File) Overwrite(src []byte, offset int64) error {
	if c.memory {
		if v := c.View(offset, int64(len(src))); v != nil {
			Copy(v, src)
			return nil
		}
	}
	return c.WriteAt(src, offset)
}

// WritePages writes contiguous pages at offset, in few system calls. written says that the whole range was written
// before and not punched since, as for Overwrite.
func (c *File) WritePages(pages []*Page, offset int64, written bool) error {
	if v := c.View(offset, int64(len(pages))*pageSize); written && c.memory && v != nil {
		for i, p := range pages {
			copy(v[i*pageSize:], p[:])
		}
		return nil
	}
	if len(pages) == 1 {
		return c.WriteAt(pages[0][:], offset)
	}
	buffer, ok := c.chunks.Get().(*chunk)
	if !ok {
		buffer = new(chunk)
	}
	defer c.chunks.Put(buffer)
	for part := range slices.Chunk(pages, chunkPages) {
		for i, p := range part {
			copy(buffer[i*pageSize:], p[:])
		}
		if err := c.WriteAt(buffer[:len(part)*pageSize], offset); err != nil {
			return err
		}
		offset += int64(len(part)) * pageSize
	}
	return nil
}

// View returns the bytes of [offset, offset+size) in place, read only, or nil if the file is not mapped there. Reading
// a range that was never written may allocate space for it.
func (c *File) View(offset, size int64) []byte {
	if offset+size > int64(len(c.window)) {
		return nil
	}
	return c.window[offset : offset+size : offset+size]
}
