package archive

import (
	"compress/flate"
	"errors"
	"fmt"
	"hash"
	"io"
)

// Coder writes a file, or reads one: the same calls in the same order do both. After the
// first error it does nothing; values that are read are zero then. Not safe for concurrent
// use.
type Coder struct {
	reading bool
	record  bool // there are no frames
	version uint32
	err     error

	section  string // under way; empty between sections
	sections uint64
	content  int64 // of the section, in frames that are over
	offset   int64 // bytes of the file so far
	frame    int64 // where the frame begins that is read
	sum      hash.Hash
	zeros    uint64     // pages of zeros that are left out
	pages    PageStore  // nil: pages are in the file itself
	places   []*Segment // segments of the memories so far, in order

	buf []byte // content of the frame
	at  int    // reading: of buf; what is before was read

	to       io.Writer
	deflater *flate.Writer
	squeezed squeezed

	from     io.Reader
	inflater io.ReadCloser
	stored   []byte
}

// Reading reports whether values are read, and not written.
func (c *Coder) Reading() bool { return c.reading }

// Since reports whether the file has what came with a version of the format.
func (c *Coder) Since(version uint32) bool { return c.version >= version }

// Err is the first error: of the writer or reader, a *Fault of the file, or what Fail said.
func (c *Coder) Err() error { return c.err }

// Failed reports whether there was an error: what was read since is worth nothing.
func (c *Coder) Failed() bool { return c.err != nil }

// Fail says that something is wrong with what was read or is to be written. Only the
// first fault counts.
func (c *Coder) Fail(format string, args ...any) {
	if c.err != nil {
		return
	}
	err := fmt.Errorf(format, args...)
	if c.reading {
		err = &Fault{Section: c.section, Offset: c.frame, Inside: c.content - int64(len(c.buf)) + int64(c.at), Err: err}
	}
	c.err = err
}

// Check fails with a text unless the condition holds. It reports whether all is well so
// far.
func (c *Coder) Check(holds bool, format string, args ...any) bool {
	if !holds {
		c.Fail(format, args...)
	}
	return c.err == nil
}

// Section is a part of the file under a name; body writes or reads what is in it. A file
// that is read must have the sections in the order in which they are asked for.
func (c *Coder) Section(name string, body func()) {
	if c.err != nil {
		return
	}
	if name == "" || len(name) > maxName {
		panic("archive: a section is called " + name)
	}
	if c.reading {
		c.enter(name)
	} else {
		c.open(name)
	}
	if c.err == nil {
		body()
	}
	if c.reading {
		c.leave()
	} else {
		c.close()
	}
	c.section = ""
}

// Close ends the file: it is whole, and nothing comes after it. It gives the first error.
func (c *Coder) Close() error {
	if c.err == nil {
		if c.reading {
			c.readEnd()
		} else {
			c.writeEnd()
		}
	}
	if c.err == nil {
		c.err = errClosed
		return nil
	}
	return c.err
}

var errClosed = errors.New("the archive is closed")
