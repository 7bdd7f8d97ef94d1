package archive

import (
	"encoding/binary"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// framesAhead is how many full frames are compressed while the next one is filled. Two processors are busy with it; more
// would take 512 KiB each.
const framesAhead = 3

// outgoing is a frame on its way to the file.
type outgoing struct {
	section string
	place   int64  // in the section
	content []byte // up to frameBytes

	head       []byte // with the checksum
	stored     []byte // content or compressed
	compressed []byte
	encoded    chan struct{} // receives when head and stored are there
}

// putFrame writes the content so far as a frame. A full one is compressed on another goroutine, and written before
// anything else that follows.
func (c *Coder) putFrame() {
	if len(c.buf) < frameBytes {
		f := outgoing{section: c.section, place: c.content, content: c.buf, compressed: c.stored}
		f.encode()
		c.put(f.head)
		c.put(f.stored)
		c.stored = f.compressed
		return
	}
	f := c.takeFrame()
	f.section, f.place = c.section, c.content
	f.content, c.buf = c.buf, f.content
	go func() {
		f.encode()
		f.encoded <- struct{}{}
	}()
	if c.ahead = append(c.ahead, f); len(c.ahead) > framesAhead {
		c.writeAhead()
	}
}

// takeFrame returns a frame with an empty buffer.
func (c *Coder) takeFrame() *outgoing {
	if n := len(c.spare); n > 0 {
		f := c.spare[n-1]
		c.spare = c.spare[:n-1]
		return f
	}
	return &outgoing{content: make([]byte, 0, frameBytes), encoded: make(chan struct{}, 1)}
}

// writeAhead writes the oldest of the frames that are compressed on other goroutines.
func (c *Coder) writeAhead() {
	f := c.ahead[0]
	c.ahead = append(c.ahead[:0], c.ahead[1:]...)
	<-f.encoded
	c.write(f.head)
	c.write(f.stored)
	f.content = f.content[:0]
	c.spare = append(c.spare, f)
}

// encode sets what is stored.
func (f *outgoing) encode() {
	kind := plainFrame
	f.stored = f.content
	if f.compress() {
		kind, f.stored = zstandardFrame, f.compressed
	}
	f.head = binary.AppendUvarint(append(f.head[:0], kind), uint64(len(f.content)))
	f.head = binary.AppendUvarint(f.head, uint64(len(f.stored)))
	f.head = binary.BigEndian.AppendUint32(f.head, checksum(f.section, f.place, f.head, f.stored))
}

// compressor is shared: it has a state for each processor.
var compressor = sync.OnceValue(func() *zstd.Encoder {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithWindowSize(frameBytes))
	if err != nil {
		panic("archive: " + err.Error())
	}
	return encoder
})

// compress sets compressed, and reports whether it is shorter than the content by an eighth. It is not shorter than the
// reader accepts: a skippable frame of the format fills it up.
func (f *outgoing) compress() bool {
	if len(f.content) < smallFrame {
		return false
	}
	f.compressed = compressor().EncodeAll(f.content, f.compressed[:0])
	if len(f.compressed) > len(f.content)-len(f.content)/8 {
		return false
	}
	if missing := len(f.content)/maxExpansion + 1 - len(f.compressed); missing > 0 {
		f.compressed = append(f.compressed, skippableFrame...)
		f.compressed = binary.LittleEndian.AppendUint32(f.compressed, uint32(missing))
		f.compressed = append(f.compressed, make([]byte, missing)...)
	}
	return true
}

// skippableFrame begins a frame that decoders skip (RFC 8878, section 3.1.2); its length follows.
var skippableFrame = []byte{0x50, 0x2a, 0x4d, 0x18}

// checksum returns the checksum of a frame at a place of a section, or of the section's end.
func checksum(section string, place int64, parts ...[]byte) uint32 {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], uint64(place))
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum([]byte(section), table), table, raw[:])
	for _, part := range parts {
		sum = crc32.Update(sum, table, part)
	}
	return sum
}
