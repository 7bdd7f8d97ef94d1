package polyfill

import "encoding/binary"

// reader reads a valid module.
type reader struct {
	data []byte
	pos  int
}

func (r *reader) done() bool { return r.pos >= len(r.data) }

func (r *reader) byte() byte {
	r.pos++
	return r.data[r.pos-1]
}

func (r *reader) bytes(n int) []byte {
	r.pos += n
	return r.data[r.pos-n : r.pos]
}

// number reads an unsigned LEB128 number.
func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.data[r.pos:])
	r.pos += size
	return n
}

func (r *reader) u32() uint32 { return uint32(r.number()) }

// signed skips a signed LEB128 number.
func (r *reader) signed() {
	for r.byte()&0x80 != 0 {
	}
}

// block reads bytes preceded by their size.
func (r *reader) block() []byte { return r.bytes(int(r.u32())) }

// since returns the bytes read since a position.
func (r *reader) since(at int) []byte { return r.data[at:r.pos] }

func appendU32(out []byte, n uint32) []byte { return binary.AppendUvarint(out, uint64(n)) }

// appendBlock appends bytes preceded by their size: a name, a body, or a section after its identifier.
func appendBlock(out, content []byte) []byte {
	return append(appendU32(out, uint32(len(content))), content...)
}

func appendSection(out []byte, id byte, content []byte) []byte {
	return appendBlock(append(out, id), content)
}
