package archive

import (
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

const magic = "canisterd state\n"

// The kinds of frames; endFrame ends a section.
const (
	endFrame byte = iota
	plainFrame
	deflatedFrame
)

const (
	sectionMark = 'S'
	endMark     = 'E'
)

// NewWriter returns a Coder that writes a file. Writes are of up to 256 KiB.
func NewWriter(to io.Writer) *Coder { return NewWriterOf(Version, to) }

// NewWriterOf is NewWriter for a version from OldestWritten on. The state must have nothing that later versions added.
func NewWriterOf(version uint32, to io.Writer) *Coder {
	if version < OldestWritten || version > Version {
		panic(fmt.Sprintf("archive: version %d is not written", version))
	}
	c := &Coder{version: version, to: to, sum: sha256.New(), buf: make([]byte, 0, frameBytes)}
	c.put(binary.BigEndian.AppendUint32([]byte(magic), version))
	return c
}

// put writes bytes of the file itself.
func (c *Coder) put(b []byte) {
	if c.err != nil {
		return
	}
	c.sum.Write(b)
	c.offset += int64(len(b))
	if _, err := c.to.Write(b); err != nil {
		c.err = fmt.Errorf("write byte %d of the file: %w", c.offset, err)
	}
}

func (c *Coder) open(name string) {
	c.section, c.content = name, 0
	c.sections++
	c.put(append([]byte{sectionMark, byte(len(name))}, name...))
}

// close writes the rest of the section, and its length.
func (c *Coder) close() {
	c.flush()
	end := binary.AppendUvarint([]byte{endFrame}, uint64(c.content))
	c.put(binary.BigEndian.AppendUint32(end, c.checksum(c.content, end)))
}

// checksum returns the checksum of a frame at a place of the section, or of the section's end.
func (c *Coder) checksum(place int64, parts ...[]byte) uint32 {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], uint64(place))
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum([]byte(c.section), table), table, raw[:])
	for _, part := range parts {
		sum = crc32.Update(sum, table, part)
	}
	return sum
}

// flush writes the content so far as a frame.
func (c *Coder) flush() {
	if len(c.buf) == 0 || c.err != nil {
		return
	}
	kind, stored := plainFrame, c.buf
	if squeezed := c.deflate(); squeezed != nil {
		kind, stored = deflatedFrame, squeezed
	}
	head := binary.AppendUvarint(append(make([]byte, 0, 16), kind), uint64(len(c.buf)))
	head = binary.AppendUvarint(head, uint64(len(stored)))
	c.put(binary.BigEndian.AppendUint32(head, c.checksum(c.content, head, stored)))
	c.put(stored)
	c.content += int64(len(c.buf))
	c.buf = c.buf[:0]
}

// compressed receives compressed bytes, up to the number at which compression is worthwhile.
type compressed struct {
	bytes []byte
	most  int
}

type tooLarge struct{}

func (tooLarge) Error() string { return "compressing does not pay" }

// Write accepts bytes up to the limit.
func (s *compressed) Write(b []byte) (int, error) {
	if len(s.bytes)+len(b) > s.most {
		return 0, tooLarge{}
	}
	s.bytes = append(s.bytes, b...)
	return len(b), nil
}

// deflate returns the compressed content, or nil if that is not worthwhile.
func (c *Coder) deflate() []byte {
	if len(c.buf) < smallFrame {
		return nil
	}
	if len(c.buf) >= 4*sampleBytes && c.squeeze(c.buf[:sampleBytes]) == nil {
		return nil
	}
	return c.squeeze(c.buf)
}

// deflaters holds compressors for reuse: each takes 1.2 MB.
var deflaters = sync.Pool{New: func() any {
	deflater, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic("archive: " + err.Error())
	}
	return deflater
}}

func (c *Coder) squeeze(content []byte) []byte {
	if c.deflater == nil {
		c.deflater = deflaters.Get().(*flate.Writer)
	}
	c.compressed.bytes, c.compressed.most = c.compressed.bytes[:0], len(content)-len(content)/8
	c.deflater.Reset(&c.compressed)
	if _, err := c.deflater.Write(content); err != nil {
		return nil
	}
	if err := c.deflater.Close(); err != nil {
		return nil
	}
	return c.compressed.bytes
}

func (c *Coder) writeEnd() {
	end := binary.AppendUvarint([]byte{endMark}, c.sections)
	c.put(binary.BigEndian.AppendUint64(end, uint64(c.offset)))
	c.put(c.sum.Sum(nil))
	if c.deflater != nil {
		c.deflater.Reset(nil) // the pool must not keep the buffers of c
		deflaters.Put(c.deflater)
		c.deflater = nil
	}
}

// add appends to the content of the section.
func (c *Coder) add(b []byte) {
	if c.record {
		c.buf = append(c.buf, b...)
		return
	}
	for len(b) > 0 && c.err == nil {
		n := min(len(b), frameBytes-len(c.buf))
		c.buf = append(c.buf, b[:n]...)
		if b = b[n:]; len(c.buf) == frameBytes {
			c.flush()
		}
	}
}

func (c *Coder) addNumber(n uint64) {
	if len(c.buf) > frameBytes-binary.MaxVarintLen64 {
		var raw [binary.MaxVarintLen64]byte
		c.add(raw[:binary.PutUvarint(raw[:], n)])
		return
	}
	c.buf = binary.AppendUvarint(c.buf, n)
}
