package archive

import (
	"errors"
	"fmt"
)

// Records are values that the caller frames, checks and compresses: a journal has many small ones. A record begins with
// the version of the format.

// Recorder writes records. Its zero value is ready; it is not safe for concurrent use.
type Recorder struct{ coder Coder }

// Append appends a record to dst, with the values that write lists. The error is the one passed to Fail.
func (r *Recorder) Append(dst []byte, write func(*Coder)) ([]byte, error) {
	c := &r.coder
	c.version, c.record, c.err, c.buf = Version, true, nil, dst
	c.addNumber(Version)
	write(c)
	dst, c.buf = c.buf, nil
	return dst, c.err
}

// ReadRecord reads a whole record, which may be arbitrary bytes: read lists its values as write did. Bytes that are
// read are copies. The error is a *Fault.
func ReadRecord(record []byte, read func(*Coder)) error {
	c := &Coder{reading: true, record: true, section: "record", buf: record, content: int64(len(record))}
	version := c.readNumber()
	switch {
	case c.err != nil:
	case version == 0:
		c.Fail("a record of version 0 does not exist")
	case version > Version:
		c.broken(&NewerError{uint32(min(version, 1<<32-1))})
	default:
		c.version = uint32(version)
		read(c)
	}
	if c.err == nil && c.at < len(c.buf) {
		c.Fail("there is more than is known: %d bytes", len(c.buf)-c.at)
	}
	if c.err != nil {
		return fmt.Errorf("read a record of %d bytes: %w", len(record), c.err)
	}
	return nil
}

var errRecordEnds = errors.New("the record ends in the middle of a value")
