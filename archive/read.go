package archive

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// NewReader returns a Coder that reads a file. The reader must make small reads cheap.
func NewReader(from io.Reader) *Coder {
	c := &Coder{reading: true, from: from, sum: sha256.New()}
	var head [len(magic) + 4]byte
	switch c.get(head[:]); {
	case c.err != nil:
	case string(head[:len(magic)]) != magic:
		c.broken(ErrNoArchive)
	default:
		if c.version = binary.BigEndian.Uint32(head[len(magic):]); c.version == 0 {
			c.broken(ErrNoArchive)
		} else if c.version > Version {
			c.broken(&NewerError{c.version})
		}
	}
	return c
}

// VersionOf returns the version of a file, which may be newer than Version.
func VersionOf(from io.Reader) (uint32, error) {
	var head [len(magic) + 4]byte
	if _, err := io.ReadFull(from, head[:]); err != nil || string(head[:len(magic)]) != magic {
		return 0, ErrNoArchive
	}
	return binary.BigEndian.Uint32(head[len(magic):]), nil
}

// broken records a fault of the file itself.
func (c *Coder) broken(err error) {
	if c.err == nil {
		c.err = &Fault{Section: c.section, Offset: c.frame, Inside: -1, Err: err}
	}
}

// get reads bytes of the file itself.
func (c *Coder) get(b []byte) {
	if c.err != nil {
		return
	}
	n, err := io.ReadFull(c.from, b)
	c.sum.Write(b[:n])
	c.offset += int64(n)
	switch {
	case err == nil:
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		c.broken(fmt.Errorf("the file ends at byte %d, in the middle", c.offset))
	default:
		c.broken(fmt.Errorf("read the file: %w", err))
	}
}

// getNumber reads a number of the file itself and appends its bytes to dst.
func (c *Coder) getNumber(dst []byte) (uint64, []byte) {
	first := len(dst)
	var one [1]byte
	for c.err == nil {
		c.get(one[:])
		if dst = append(dst, one[0]); one[0] < 0x80 || len(dst)-first == binary.MaxVarintLen64 {
			break
		}
	}
	n, size := binary.Uvarint(dst[first:])
	if c.err == nil && (size != len(dst)-first || size > 1 && dst[len(dst)-1] == 0) {
		c.broken(errors.New("a number is not in its shortest form"))
	}
	return n, dst
}

// enter begins the section that must come next.
func (c *Coder) enter(name string) {
	switch mark := c.mark(); {
	case c.err != nil:
		return
	case mark != sectionMark:
		c.broken(fmt.Errorf("section %q is missing", name))
		return
	}
	found := c.name()
	if c.err == nil && found != name {
		c.broken(fmt.Errorf("there is section %q where %q must be", found, name))
	}
	if c.err == nil {
		c.begin(name)
	}
}

// mark reads what comes next: sectionMark, or endMark.
func (c *Coder) mark() byte {
	c.frame = c.offset
	var mark [1]byte
	c.get(mark[:])
	return mark[0]
}

// name reads the name of a section.
func (c *Coder) name() string {
	var length [1]byte
	c.get(length[:])
	name := make([]byte, length[0])
	c.get(name)
	return string(name)
}

// begin begins a section whose name was read.
func (c *Coder) begin(name string) {
	c.section, c.content, c.buf, c.at = name, 0, c.buf[:0], 0
	c.sections++
}

// leave ends the section. All of its content must have been read.
func (c *Coder) leave() {
	switch {
	case c.err != nil:
	case c.at < len(c.buf):
		c.Fail("there is more than is known: %d bytes", len(c.buf)-c.at)
	case c.next():
		c.Fail("there is more than is known: %d bytes and perhaps others", len(c.buf))
	}
}

// next reads the next frame of the section. It returns false at the end of the section.
func (c *Coder) next() bool {
	c.frame = c.offset
	head := make([]byte, 1, 24)
	c.get(head)
	raw, head := c.getNumber(head)
	if c.err != nil {
		return false
	}
	if head[0] == endFrame {
		c.checked(uint64(c.content) == raw, head, nil)
		return false
	}
	stored, head := c.getNumber(head)
	if c.err != nil {
		return false
	}
	if !c.plausible(head[0], raw, stored) {
		c.broken(fmt.Errorf("a frame of kind %d with %d bytes as %d", head[0], raw, stored))
		return false
	}
	c.take(head, int(raw), int(stored))
	return c.err == nil
}

// plausible reports whether a frame of a kind can have this length, and this one as stored.
func (c *Coder) plausible(kind byte, raw, stored uint64) bool {
	if raw == 0 || raw > frameBytes || stored == 0 || stored > raw {
		return false
	}
	switch kind {
	case plainFrame:
		return stored == raw
	case deflatedFrame:
		return !c.Since(VersionZstandard)
	default:
		return kind == zstandardFrame && c.Since(VersionZstandard) && raw <= maxExpansion*stored
	}
}

// take reads the content of a frame.
func (c *Coder) take(head []byte, raw, stored int) {
	var sum [4]byte
	c.get(sum[:])
	c.stored = grown(c.stored, stored)
	c.get(c.stored)
	if c.err != nil {
		return
	}
	if binary.BigEndian.Uint32(sum[:]) != checksum(c.section, c.content, head, c.stored) {
		c.broken(errChecksum)
		return
	}
	c.at = 0
	switch head[0] {
	case plainFrame:
		c.buf, c.stored = c.stored, c.buf
	case deflatedFrame:
		c.inflate(raw)
	default:
		c.decompress(raw)
	}
	c.content += int64(len(c.buf))
}

var errChecksum = errors.New("the checksum does not match: the file was damaged")

// checked reads the checksum of the section's end.
func (c *Coder) checked(complete bool, head, content []byte) {
	var sum [4]byte
	if c.get(sum[:]); c.err != nil {
		return
	}
	if !complete || binary.BigEndian.Uint32(sum[:]) != checksum(c.section, c.content, head, content) {
		c.broken(errChecksum)
	}
}

func grown(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n, max(n, min(frameBytes, 2*n)))
	}
	return b[:n]
}

// decompressor is shared: it has a state for each processor.
var decompressor = sync.OnceValue(func() *zstd.Decoder {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(frameBytes))
	if err != nil {
		panic("archive: " + err.Error())
	}
	return decoder
})

// decompress decompresses the stored bytes, which must give this length.
func (c *Coder) decompress(raw int) {
	c.buf = grown(c.buf, raw)
	content, err := decompressor().DecodeAll(c.stored, c.buf[:0:raw])
	if err == nil && len(content) != raw {
		err = fmt.Errorf("it has %d bytes, and says %d", len(content), raw)
	}
	if err != nil {
		c.buf = c.buf[:0]
		c.broken(fmt.Errorf("a compressed frame cannot be read: %w", err))
	}
}

// inflate decompresses the stored bytes of a frame in the format of RFC 1951, which must give this length.
func (c *Coder) inflate(raw int) {
	source := bytes.NewReader(c.stored)
	if c.inflater == nil {
		c.inflater = flate.NewReader(source)
	} else if err := c.inflater.(flate.Resetter).Reset(source, nil); err != nil {
		panic("archive: " + err.Error())
	}
	c.buf = grown(c.buf, raw)
	_, err := io.ReadFull(c.inflater, c.buf)
	if err == nil {
		var more [1]byte
		if n, end := c.inflater.Read(more[:]); n > 0 || !errors.Is(end, io.EOF) || source.Len() > 0 {
			err = errors.New("it is longer than it says")
		}
	}
	if err != nil {
		c.buf = c.buf[:0]
		c.broken(fmt.Errorf("a compressed frame cannot be read: %w", err))
	}
}

func (c *Coder) readEnd() {
	switch mark := c.mark(); {
	case c.err != nil:
	case mark != endMark:
		c.broken(errors.New("there is a section more than is known"))
	default:
		c.finish()
	}
}

// finish reads what follows endMark.
func (c *Coder) finish() {
	sections, _ := c.getNumber(nil)
	length := c.frame
	var raw [8]byte
	c.get(raw[:])
	sum := c.sum.Sum(nil)
	var said [sha256.Size]byte
	c.get(said[:])
	switch {
	case c.err != nil:
	case sections != c.sections || binary.BigEndian.Uint64(raw[:]) != uint64(length) || !bytes.Equal(sum, said[:]):
		c.broken(errors.New("the end of the file does not fit what comes before: the file was damaged"))
	default:
		var more [1]byte
		if n, err := c.from.Read(more[:]); n > 0 || !errors.Is(err, io.EOF) {
			c.broken(errors.New("something comes after the end of the archive"))
		}
	}
}

// read fills b with content of the section.
func (c *Coder) read(b []byte) {
	for len(b) > 0 && c.err == nil {
		if c.at == len(c.buf) && !c.more() {
			break
		}
		n := copy(b, c.buf[c.at:])
		c.at += n
		b = b[n:]
	}
	clear(b)
}

// more reads the next frame, which must exist.
func (c *Coder) more() bool {
	if c.record {
		c.broken(errRecordEnds)
		return false
	}
	if c.next() {
		return true
	}
	c.broken(errors.New("the section ends in the middle of a value"))
	return false
}

func (c *Coder) readNumber() uint64 {
	if c.err != nil {
		return 0
	}
	n, size := binary.Uvarint(c.buf[c.at:])
	if size <= 0 {
		return c.readNumberAcross()
	}
	if size > 1 && c.buf[c.at+size-1] == 0 {
		c.Fail("a number is not in its shortest form")
		return 0
	}
	c.at += size
	return n
}

// readNumberAcross reads a number that may begin in one frame and end in the next.
func (c *Coder) readNumberAcross() uint64 {
	var raw [binary.MaxVarintLen64]byte
	size := 0
	for size < len(raw) {
		if c.read(raw[size : size+1]); c.err != nil {
			return 0
		}
		if size++; raw[size-1] < 0x80 {
			break
		}
	}
	n, used := binary.Uvarint(raw[:size])
	if used != size || size > 1 && raw[size-1] == 0 {
		c.Fail("a number is not in its shortest form, or too large")
		return 0
	}
	return n
}
