package rewrite

import (
	"unicode/utf8"
)

// reader reads a byte slice that outlives it. It keeps the first fault, and every later read returns zero values, so
// that callers check once per item and not once per byte.
type reader struct {
	data []byte
	pos  int
	err  *Invalid
}

// fail keeps the first fault; its offset is the reader's position.
func (r *reader) fail(text string) { r.failAt(r.pos, text) }

func (r *reader) failAt(pos int, text string) {
	if r.err == nil {
		r.err = invalidModule(text, pos)
	}
	r.pos = len(r.data)
}

func (r *reader) done() bool { return r.pos >= len(r.data) }

func (r *reader) byte() byte {
	if r.pos >= len(r.data) {
		r.fail("unexpected end-of-file")
		return 0
	}
	b := r.data[r.pos]
	r.pos++
	return b
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.data)-r.pos {
		r.fail("unexpected end-of-file")
		return nil
	}
	b := r.data[r.pos : r.pos+n]
	r.pos += n
	return b
}

// u32 reads an unsigned LEB128 of at most 32 bits.
func (r *reader) u32() uint32 {
	if b, ok := r.short(); ok {
		return uint32(b)
	}
	return uint32(r.unsigned(32))
}

func (r *reader) u64() uint64 {
	if b, ok := r.short(); ok {
		return uint64(b)
	}
	return r.unsigned(64)
}

// short reads a number of one byte, as most are.
func (r *reader) short() (byte, bool) {
	if r.pos < len(r.data) && r.data[r.pos] < 0x80 {
		r.pos++
		return r.data[r.pos-1], true
	}
	return 0, false
}

func (r *reader) unsigned(bits uint) uint64 {
	start := r.pos
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := r.byte()
		if r.err != nil {
			return 0
		}
		if left := bits - shift; left < 7 && b>>left != 0 {
			if b&0x80 != 0 {
				r.failAt(start, "invalid LEB: integer representation too long")
			} else {
				r.failAt(start, "invalid LEB: integer too large")
			}
			return 0
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

// signed reads a signed LEB128 of at most the given number of bits.
func (r *reader) signed(bits uint) int64 {
	start := r.pos
	if b, ok := r.short(); ok {
		return int64(int8(b<<1) >> 1)
	}
	var v int64
	for shift := uint(0); ; shift += 7 {
		b := r.byte()
		if r.err != nil {
			return 0
		}
		if left := bits - shift; left < 7 {
			// The bits past the width must repeat the sign bit and the number must end here.
			sign := int8(b<<1) >> left
			if b&0x80 != 0 || (sign != 0 && sign != -1) {
				r.failAt(start, "invalid LEB: integer too large")
				return 0
			}
		}
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if shift+7 < 64 {
				v = v << (64 - shift - 7) >> (64 - shift - 7)
			}
			return v
		}
	}
}

func (r *reader) skip(n int) { r.bytes(n) }

// count reads the length of a vector whose items take at least one byte each.
func (r *reader) count(limit uint32, what string) int {
	start := r.pos
	n := r.u32()
	if r.err != nil {
		return 0
	}
	if n > limit {
		r.failAt(start, what+" count exceeds limit of "+decimal(uint64(limit)))
		return 0
	}
	if int(n) > len(r.data)-r.pos {
		r.failAt(len(r.data), "unexpected end-of-file")
		return 0
	}
	return int(n)
}

// name reads a UTF-8 string.
func (r *reader) name(limit uint32) string {
	start := r.pos
	n := r.u32()
	if r.err == nil && n > limit {
		r.failAt(start, "string size out of bounds")
		return ""
	}
	b := r.bytes(int(n))
	if r.err == nil && !utf8.Valid(b) {
		r.failAt(start, "malformed UTF-8 encoding")
		return ""
	}
	return string(b)
}

// sub returns a reader over the next n bytes, with positions in the whole slice.
func (r *reader) sub(n int) reader {
	if r.err != nil || n < 0 || n > len(r.data)-r.pos {
		r.fail("unexpected end-of-file")
		return reader{err: r.err}
	}
	s := reader{data: r.data[:r.pos+n], pos: r.pos}
	r.pos += n
	return s
}
