package archive

import (
	"errors"
	"fmt"
	"hash"
	"io"
)

// Coder writes or reads a file: the same calls in the same order do both. After the first error it does nothing; values
// that are read are then zero. It is not safe for concurrent use.
type Coder struct {
	reading bool
	record  bool // there are no frames
	version uint32
	err     error

	section  string // current section; empty between sections
	sections uint64
	content  int64 // of the section, in completed frames
	offset   int64 // bytes of the file so far
	frame    int64 // offset of the frame that is read
	sum      hash.Hash
	zeros    uint64     // pages of zeros that were left out
	pages    PageStore  // nil: pages are in the file itself
	places   []*Segment // segments of the memories so far, in order

	buf []byte // content of the frame
	at  int    // reading: position in buf; the bytes before it were read

	to       io.Writer
	hashOnly bool
	contents hash.Hash   // of names and contents of sections; nil: not needed
	ahead    []*outgoing // frames that are compressed on other goroutines, in order
	spare    []*outgoing // frames for reuse

	from     io.Reader
	inflater io.ReadCloser
	stored   []byte // the frame as stored
}

// Reading reports whether the Coder reads values, not writes them.
func (c *Coder) Reading() bool { return c.reading }

// Since reports whether the file has what a version of the format added.
func (c *Coder) Since(version uint32) bool { return c.version >= version }

// Err returns the first error: of the writer or reader, a *Fault of the file, or the error of Fail.
func (c *Coder) Err() error { return c.err }

// Failed reports whether there was an error: values read since then are invalid.
func (c *Coder) Failed() bool { return c.err != nil }

// Fail records that something is wrong with what was read or is to be written. Only the first fault counts.
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

// Check calls Fail with a text unless the condition holds. It reports whether there was no error so far.
func (c *Coder) Check(holds bool, format string, args ...any) bool {
	if !holds {
		c.Fail(format, args...)
	}
	return c.err == nil
}

// Section is a named part of the file; body writes or reads its content. A file that is read must have the sections in
// the order of the calls.
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

// Close ends the file: it is complete, and nothing follows it. It returns the first error.
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
