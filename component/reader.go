package component

import "unicode/utf8"

// reader reads a part of a component. Positions count from the beginning of the outermost component.
type reader struct {
	data []byte // of the whole component
	pos  int
	end  int
	read *quota
}

// quota counts what was read of a component: definitions take much more memory than their bytes.
type quota struct{ definitions, bytes int }

// definition counts one that begins here.
func (r *reader) definition() {
	r.read.definitions++
	if r.read.definitions > maxDefinitions {
		malformed(r.pos, "the component has more than the limit of %d definitions", maxDefinitions)
	}
}

// definitionBytes counts the bytes of a section of definitions.
func (r *reader) definitionBytes() {
	r.read.bytes += r.end - r.pos
	if r.read.bytes > maxDefinitionBytes {
		malformed(r.pos, "the definitions of the component, without its core modules, take more than the limit of %d bytes", maxDefinitionBytes)
	}
}

func (r *reader) done() bool { return r.pos >= r.end }

func (r *reader) byte() byte {
	if r.pos >= r.end {
		malformed(r.end, "unexpected end-of-file")
	}
	b := r.data[r.pos]
	r.pos++
	return b
}

func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(r.end-r.pos) {
		malformed(r.end, "unexpected end-of-file")
	}
	b := r.data[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// within returns a reader of the next n bytes.
func (r *reader) within(n uint32) *reader {
	start := r.pos
	r.bytes(n)
	return &reader{data: r.data, pos: start, end: r.pos, read: r.read}
}

// u32 reads an unsigned LEB128 of at most 32 bits.
func (r *reader) u32() uint32 { return uint32(r.unsigned(32)) }

func (r *reader) unsigned(bits uint) uint64 {
	start := r.pos
	var v uint64
	for shift := uint(0); ; shift += 7 {
		b := r.byte()
		if left := bits - shift; left < 7 && b>>left != 0 {
			if b&0x80 != 0 {
				malformed(start, "integer representation too long")
			}
			malformed(start, "integer too large")
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

// s33 reads a signed LEB128 of at most 33 bits: a type index, or the code of a type as a negative number.
func (r *reader) s33() int64 {
	start := r.pos
	var v int64
	for shift := uint(0); ; shift += 7 {
		b := r.byte()
		if left := 33 - shift; left < 7 {
			// The bits past the width repeat the sign bit, and the number ends here.
			if sign := int8(b<<1) >> left; b&0x80 != 0 || (sign != 0 && sign != -1) {
				malformed(start, "integer too large")
			}
		}
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			return v << (57 - shift) >> (57 - shift)
		}
	}
}

// count reads the length of a vector, whose items take at least one byte each.
func (r *reader) count(limit int, what string) int {
	start := r.pos
	n := r.u32()
	if uint64(n) > uint64(limit) {
		malformed(start, "%d %s exceed the limit of %d", n, what, limit)
	}
	if uint64(n) > uint64(r.end-r.pos) {
		malformed(r.end, "unexpected end-of-file")
	}
	return int(n)
}

// name reads a string of UTF-8.
func (r *reader) name() string {
	start := r.pos
	n := r.u32()
	if n > maxNameBytes {
		malformed(start, "a name of %d bytes exceeds the limit of %d", n, maxNameBytes)
	}
	b := r.bytes(n)
	if !utf8.Valid(b) {
		malformed(start, "malformed UTF-8 encoding")
	}
	return string(b)
}

// code reads a byte that must be one of the given ones.
func (r *reader) code(what string, allowed ...byte) byte {
	start := r.pos
	b := r.byte()
	for _, a := range allowed {
		if a == b {
			return b
		}
	}
	badCode(start, b, what)
	return 0
}

func badCode(offset int, code byte, what string) {
	malformed(offset, "invalid leading byte (0x%x) for %s", code, what)
}

func (r *reader) flag() bool {
	start := r.pos
	switch r.byte() {
	case 0:
		return false
	case 1:
		return true
	}
	malformed(start, "invalid boolean value")
	return false
}
