package wasmfile

import "encoding/binary"

// Reader reads a part of a valid module.
type Reader struct {
	data []byte
	pos  int
}

// NewReader returns a reader of bytes, which must outlive it.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Done reports whether everything was read.
func (r *Reader) Done() bool { return r.pos >= len(r.data) }

// Byte reads a byte.
func (r *Reader) Byte() byte {
	r.pos++
	return r.data[r.pos-1]
}

// Bytes reads n bytes, in place.
func (r *Reader) Bytes(n int) []byte {
	r.pos += n
	return r.data[r.pos-n : r.pos]
}

// number reads an unsigned LEB128 number.
func (r *Reader) number() uint64 {
	if b := r.data[r.pos]; b < 0x80 { // as most are
		r.pos++
		return uint64(b)
	}
	n, size := binary.Uvarint(r.data[r.pos:])
	r.pos += size
	return n
}

// U32 reads an index, a count or a size.
func (r *Reader) U32() uint32 { return uint32(r.number()) }

// I32 reads the operand of an i32.const.
func (r *Reader) I32() int32 {
	var n uint64
	for shift := 0; ; shift += 7 {
		b := r.Byte()
		n |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 {
				n |= ^uint64(0) << (shift + 7)
			}
			return int32(n)
		}
	}
}

// signed skips a signed LEB128 number.
func (r *Reader) signed() {
	for r.Byte()&0x80 != 0 {
	}
}

// Block reads bytes preceded by their size, in place.
func (r *Reader) Block() []byte { return r.Bytes(int(r.U32())) }

// Each reads the items of a list.
func (r *Reader) Each(read func()) {
	for range r.U32() {
		read()
	}
}

// since returns the bytes read since a position.
func (r *Reader) since(at int) []byte { return r.data[at:r.pos] }

// AppendU32 appends an index, a count or a size.
func AppendU32(out []byte, n uint32) []byte { return binary.AppendUvarint(out, uint64(n)) }

// AppendI32 appends the operand of an i32.const.
func AppendI32(out []byte, n int32) []byte {
	for n < -0x40 || n >= 0x40 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n)&0x7f)
}

// appendBlockType appends the index of a type as a block has it: as a signed LEB128 number.
func appendBlockType(out []byte, n uint32) []byte {
	for n >= 0x40 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n))
}

// AppendBlock appends bytes preceded by their size: a name, a body, or a section after its identifier.
func AppendBlock[T string | []byte](out []byte, content T) []byte {
	return append(AppendU32(out, uint32(len(content))), content...)
}

// AppendRaw appends bytes as they are.
func AppendRaw[T string | []byte](out []byte, content T) []byte { return append(out, content...) }

// AppendSection appends a section.
func AppendSection(out []byte, id byte, content []byte) []byte {
	return AppendBlock(append(out, id), content)
}

// AppendList appends a section that is a list, unless it is empty.
func AppendList[T any](out []byte, id byte, items []T, item func([]byte, T) []byte) []byte {
	if len(items) == 0 {
		return out
	}
	content := AppendU32(nil, uint32(len(items)))
	for _, x := range items {
		content = item(content, x)
	}
	return AppendSection(out, id, content)
}
