package sourcelines

import (
	"bytes"
	"encoding/binary"
)

// cursor reads bytes in order. After the end it returns zeros, and failed is set.
type cursor struct {
	data   []byte
	at     int
	failed bool
}

func (c *cursor) left() int { return len(c.data) - c.at }

// take returns the next n bytes.
func (c *cursor) take(n uint64) []byte {
	if c.failed || n > uint64(c.left()) {
		c.failed = true
		return nil
	}
	from := c.at
	c.at += int(n)
	return c.data[from:c.at:c.at]
}

// sub returns a cursor over the next n bytes and skips them.
func (c *cursor) sub(n uint64) cursor {
	data := c.take(n)
	return cursor{data: data, failed: c.failed}
}

func (c *cursor) u8() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if b := c.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// offset reads an offset or a length of the 32-bit or the 64-bit format of DWARF.
func (c *cursor) offset(wide bool) uint64 {
	if wide {
		return c.u64()
	}
	return uint64(c.u32())
}

// length reads the length at the beginning of a unit or a table, which tells the format.
func (c *cursor) length() (n uint64, wide bool) {
	const escape = 0xffffffff
	if n := c.u32(); n != escape {
		return uint64(n), false
	}
	return c.u64(), true
}

// uleb reads an unsigned number in LEB128.
func (c *cursor) uleb() uint64 {
	n := uint64(0)
	for shift := 0; ; shift += 7 {
		b := c.u8()
		if shift > 63 || shift == 63 && b > 1 {
			c.failed = true
		}
		if c.failed {
			return 0
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

// sleb reads a signed number in LEB128.
func (c *cursor) sleb() int64 {
	n := int64(0)
	for shift := 0; ; shift += 7 {
		b := c.u8()
		if c.failed || shift > 63 {
			c.failed = true
			return 0
		}
		n |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 && shift < 57 {
				n |= -1 << (shift + 7)
			}
			return n
		}
	}
}

// text reads bytes up to a zero.
func (c *cursor) text() []byte {
	n := -1
	if !c.failed {
		n = bytes.IndexByte(c.data[c.at:], 0)
	}
	if n < 0 {
		c.failed = true
		return nil
	}
	b := c.take(uint64(n))
	c.at++
	return b
}
