package archive

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
)

const magic = "canisterd state\n"

// The kinds of frames; endFrame ends a section.
const (
	endFrame byte = iota
	plainFrame
	deflatedFrame // in files before VersionZstandard
	zstandardFrame
)

const (
	sectionMark = 'S'
	endMark     = 'E'
)

// NewWriter returns a Coder that writes a file. Writes are of up to 256 KiB.
func NewWriter(to io.Writer) *Coder {
	c := &Coder{version: Version, to: to, sum: sha256.New()}
	c.put(binary.BigEndian.AppendUint32([]byte(magic), Version))
	return c
}

// NewHasher returns a Coder that writes nothing and computes Hash, for a version from OldestHashed on. The state must have
// nothing that later versions added.
func NewHasher(version uint32) *Coder {
	if version < OldestHashed || version > Version {
		panic(fmt.Sprintf("archive: a state of version %d is not hashed", version))
	}
	return &Coder{version: version, hashOnly: true, contents: sha256.New()}
}

// Hash returns the SHA-256 of the names and contents of the sections so far. It depends on the state and the version
// alone, not on how frames are compressed or where pages are. Only a hasher and a writer with a PageStore have it.
func (c *Coder) Hash() (hash [sha256.Size]byte) {
	if c.contents != nil {
		c.contents.Sum(hash[:0])
	}
	return hash
}

// put writes bytes of the file itself, after the frames before them.
func (c *Coder) put(b []byte) {
	for len(c.ahead) > 0 {
		c.writeAhead()
	}
	c.write(b)
}

func (c *Coder) write(b []byte) {
	if c.err != nil || c.hashOnly {
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
	head := append([]byte{sectionMark, byte(len(name))}, name...)
	c.hash(head)
	c.put(head)
}

// hash adds bytes to those that Hash covers.
func (c *Coder) hash(b []byte) {
	if c.contents != nil {
		c.contents.Write(b)
	}
}

// close writes the rest of the section, and its length.
func (c *Coder) close() {
	c.flush()
	end := binary.AppendUvarint([]byte{endFrame}, uint64(c.content))
	c.hash(end)
	c.put(binary.BigEndian.AppendUint32(end, checksum(c.section, c.content, end)))
}

// flush writes the content so far as a frame.
func (c *Coder) flush() {
	if len(c.buf) == 0 || c.err != nil {
		return
	}
	c.hash(c.buf)
	n := int64(len(c.buf))
	if !c.hashOnly {
		c.putFrame()
	}
	c.content += n
	c.buf = c.buf[:0]
}

func (c *Coder) writeEnd() {
	if c.hashOnly {
		return
	}
	end := binary.AppendUvarint([]byte{endMark}, c.sections)
	c.put(binary.BigEndian.AppendUint64(end, uint64(c.offset)))
	c.put(c.sum.Sum(nil))
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
