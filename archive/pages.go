package archive

import (
	"bytes"
	"slices"
)

// Pages writes the existing pages of a memory in order, runs of zeros without their bytes. Close ends them.
type Pages struct {
	c       *Coder
	next    uint64   // the page after the last call of Put
	written uint64   // the page after the last in a record
	zeros   uint64   // pending pages of zeros
	run     []byte   // pending pages that are not zero
	segment *Segment // where the pages go; nil for the file itself
	omitted uint64   // pages of zeros in the segment
}

const (
	zeroRun = iota
	fullRun
)

var zeroPage [PageSize]byte

// NewPages begins the pages of a memory.
func NewPages(c *Coder) *Pages {
	p := &Pages{c: c}
	if c.pages != nil {
		p.segment = new(Segment)
		return p
	}
	beside := false
	c.Bool(&beside)
	return p
}

// Room returns PageSize bytes for the content of the next page, which Put then does not copy.
func (p *Pages) Room() []byte {
	p.run = slices.Grow(p.run, PageSize)
	return p.run[len(p.run):][:PageSize]
}

// Put writes a page after the previous ones. Its content is PageSize bytes, or nil for zeros.
func (p *Pages) Put(page uint64, content []byte) {
	omitted := &p.c.zeros
	if p.segment != nil { // the same memory gives the same runs, whatever precedes it
		omitted = &p.omitted
	}
	zero := (content == nil || bytes.Equal(content, zeroPage[:])) && *omitted < maxZeroPages
	if page != p.next || zero != (p.zeros > 0) || len(p.run) == runPages*PageSize {
		p.flush()
	}
	p.next = page + 1
	switch {
	case zero:
		p.zeros++
		*omitted++
	case content == nil:
		p.run = append(p.run, zeroPage[:]...)
	default:
		room := p.Room()
		if &room[0] != &content[0] {
			copy(room, content)
		}
		p.run = p.run[:len(p.run)+PageSize]
	}
}

func (p *Pages) flush() {
	count, kind := p.zeros, uint64(zeroRun)
	if len(p.run) > 0 {
		count, kind = uint64(len(p.run)/PageSize), fullRun
	}
	if count == 0 {
		return
	}
	if p.segment != nil {
		p.store()
	} else {
		p.c.addNumber(count<<1 | kind)
		p.c.addNumber(p.next - count - p.written)
		p.c.add(p.run)
	}
	p.written, p.zeros, p.run = p.next, 0, p.run[:0]
}

// Close ends the pages. It returns the segment in the store that has them, or nil if no file of a store has any.
func (p *Pages) Close() *Segment {
	p.flush()
	if p.segment == nil {
		p.c.addNumber(0)
		return nil
	}
	if p.c.err != nil {
		return nil
	}
	p.c.addSegment(p.segment)
	if p.segment.file == "" {
		return nil
	}
	return p.segment
}

// ReadPages reads the pages of a memory of a given size. put receives runs of existing pages and their contents, which
// are valid until it returns, and nil for zeros. put handles errors of the storage itself. If the pages are in a store,
// put is not called, and ReadPages returns their segment, otherwise nil. The segment can be loaded after Places.
func ReadPages(c *Coder, pages uint64, put func(first, count uint64, content []byte) error) *Segment {
	beside := false
	if c.Since(VersionPageFiles) {
		c.Bool(&beside)
	}
	r := pageReader{c: c, pages: pages, put: put}
	if beside {
		if !c.Check(c.pages != nil, "the pages of a memory are in another file, which an exported network does not have") {
			return nil
		}
		r.segment = new(Segment)
	}
	for c.err == nil && r.next() { // next does the work
	}
	if c.err != nil || !beside {
		return nil
	}
	c.addPlace(r.segment)
	return r.segment
}

// pageReader reads the pages of a memory.
type pageReader struct {
	c       *Coder
	pages   uint64 // of the memory
	at      uint64 // the page after the last that was read
	run     []byte
	put     func(first, count uint64, content []byte) error
	segment *Segment // nil: the pages are in the file itself
	omitted uint64   // pages of zeros in the segment
}

// next reads a run, and returns false if there is none.
func (r *pageReader) next() bool {
	c := r.c
	head := c.readNumber()
	if head == 0 || c.err != nil {
		return false
	}
	gap, count := c.readNumber(), head>>1
	full := head&1 == fullRun
	if !c.Check(gap <= r.pages-r.at && count > 0 && count <= r.pages-r.at-gap && (!full || count <= runPages), "%d pages after %d of %d", count, r.at, r.pages) {
		return false
	}
	r.at += gap
	var err error
	switch {
	case r.segment != nil:
		run := pageRun{first: r.at, count: count, zero: !full}
		if full {
			c.read(run.sum[:])
		} else {
			r.omitted += count
			c.checkZeros(r.omitted)
		}
		r.segment.runs = append(r.segment.runs, run)
	case full:
		if content := r.content(int(count) * PageSize); c.err == nil {
			err = r.put(r.at, count, content)
		}
	default:
		if c.zeros += count; c.checkZeros(c.zeros) {
			err = r.put(r.at, count, nil)
		}
	}
	if err != nil {
		c.Fail("keep pages: %w", err)
	}
	r.at += count
	return true
}

// content reads the next bytes: in place if the frame has all of them.
func (r *pageReader) content(size int) []byte {
	c := r.c
	if c.at+size <= len(c.buf) {
		c.at += size
		return c.buf[c.at-size : c.at]
	}
	r.run = grown(r.run, size)
	c.read(r.run)
	return r.run
}

func (c *Coder) checkZeros(pages uint64) bool {
	return c.Check(pages <= maxZeroPages, "more than %d pages of zeros", maxZeroPages)
}
