package archive

import (
	"bufio"
	"fmt"
	"io"
)

// Verify reads a whole file and checks its frames, sections and checksums. What the sections mean is not checked. The
// error is a *Fault.
func Verify(from io.Reader) error {
	c := NewReader(bufio.NewReaderSize(from, frameBytes))
	for c.err == nil {
		mark := c.mark()
		if c.err == nil && mark == endMark {
			c.finish()
			break
		}
		c.verifySection(mark)
	}
	return c.err
}

// verifySection reads the section that begins with a mark.
func (c *Coder) verifySection(mark byte) {
	if c.err == nil && mark != sectionMark {
		c.broken(fmt.Errorf("a section begins with %#x", mark))
	}
	if name := c.name(); c.err == nil {
		c.begin(name)
	}
	for c.err == nil && c.next() {
	}
	c.section = ""
}
