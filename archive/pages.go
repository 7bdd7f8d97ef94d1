package archive

import "bytes"

// Pages writes the pages of a memory that are there, in their order, runs of zeros
// without their bytes. Close ends them.
type Pages struct {
	c       *Coder
	next    uint64 // the page after the last that was put
	written uint64 // the page after the last in a record
	zeros   uint64 // pages of zeros that wait to be written
	run     []byte // pages with something in them that wait
}

const (
	zeroRun = iota
	fullRun
)

var zeroPage [PageSize]byte

// NewPages begins the pages of a memory.
func NewPages(c *Coder) *Pages { return &Pages{c: c} }

// Put writes a page, which comes after those before. Its content is PageSize bytes, nil
// for zeros.
func (p *Pages) Put(page uint64, content []byte) {
	zero := (content == nil || bytes.Equal(content, zeroPage[:])) && p.c.zeros < maxZeroPages
	if page != p.next || zero != (p.zeros > 0) || len(p.run) == runPages*PageSize {
		p.flush()
	}
	p.next = page + 1
	switch {
	case zero:
		p.zeros++
		p.c.zeros++
	case content == nil:
		p.run = append(p.run, zeroPage[:]...)
	default:
		p.run = append(p.run, content...)
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
	p.c.addNumber(count<<1 | kind)
	p.c.addNumber(p.next - count - p.written)
	p.c.add(p.run)
	p.written, p.zeros, p.run = p.next, 0, p.run[:0]
}

// Close ends the pages.
func (p *Pages) Close() {
	p.flush()
	p.c.addNumber(0)
}

// ReadPages reads the pages of a memory of a given size. put gets runs of existing pages and their contents, which are
// valid until it returns, and nil for zeros. put handles errors of the storage itself.
func ReadPages(c *Coder, pages uint64, put func(first, count uint64, content []byte) error) {
	next := uint64(0)
	var run []byte
	for {
		head := c.readNumber()
		if head == 0 || c.err != nil {
			return
		}
		gap, count := c.readNumber(), head>>1
		full := head&1 == fullRun
		if !c.Check(gap <= pages-next && count > 0 && count <= pages-next-gap && (!full || count <= runPages), "%d pages after %d of %d", count, next, pages) {
			return
		}
		next += gap
		if !full {
			if c.zeros += count; !c.Check(c.zeros <= maxZeroPages, "more than %d pages of zeros", maxZeroPages) {
				return
			}
		}
		var content []byte
		if full {
			run = grown(run, int(count)*PageSize)
			if c.read(run); c.err != nil {
				return
			}
			content = run
		}
		if err := put(next, count, content); err != nil {
			c.Fail("keep pages: %w", err)
			return
		}
		next += count
	}
}
