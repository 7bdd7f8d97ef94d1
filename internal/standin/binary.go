package standin

import "encoding/binary"

// Sections of a module (WebAssembly specification, "Binary format").
const (
	customSection   = 0
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	memorySection   = 5
	exportSection   = 7
	codeSection     = 10
	dataSection     = 11
)

// Instructions, types and kinds.
const (
	opBlock     = 0x02
	opLoop      = 0x03
	opIf        = 0x04
	opEnd       = 0x0b
	opBr        = 0x0c
	opBrIf      = 0x0d
	opReturn    = 0x0f
	opCall      = 0x10
	opLocalGet  = 0x20
	opLocalSet  = 0x21
	opLocalTee  = 0x22
	opLoad      = 0x28
	opLoad8     = 0x2d
	opConst     = 0x41
	opEqz       = 0x45
	opNotEqual  = 0x47
	opGreaterEq = 0x4f
	opGreater   = 0x4b
	opAdd       = 0x6a
	typeI32     = 0x7f
	typeVoid    = 0x40
	typeFunc    = 0x60
	kindFunc    = 0x00
	pageBytes   = 1 << 16
)

// encoder appends the binary form of a module.
type encoder []byte

func (e *encoder) bytes(b ...byte)  { *e = append(*e, b...) }
func (e *encoder) uleb(n int)       { *e = binary.AppendUvarint(*e, uint64(n)) }
func (e *encoder) name(text string) { e.uleb(len(text)); e.bytes([]byte(text)...) }

// constant pushes a number below 2^31.
func (e *encoder) constant(n int) {
	e.bytes(opConst)
	for n >= 1<<6 { // the highest bit of the last byte is the sign
		e.bytes(byte(n&0x7f | 0x80))
		n >>= 7
	}
	e.bytes(byte(n))
}

// op appends an instruction with an index.
func (e *encoder) op(code byte, index int) { e.bytes(code); e.uleb(index) }

// locals declares so many local variables.
func (e *encoder) locals(n int) {
	e.bytes(vector(min(n, 1), func(e *encoder, _ int) { e.op(byte(n), typeI32) })...)
}

// get pushes local variables.
func (e *encoder) get(locals ...byte) {
	for _, local := range locals {
		e.bytes(opLocalGet, local)
	}
}

// load pushes the word at an address plus an offset.
func (e *encoder) load(offset int) { e.bytes(opLoad, 2); e.uleb(offset) }

// section appends a section.
func (e *encoder) section(id byte, content encoder) {
	e.bytes(id)
	e.uleb(len(content))
	e.bytes(content...)
}

// vector is a list with its length.
func vector(n int, element func(e *encoder, i int)) (e encoder) {
	e.uleb(n)
	for i := range n {
		element(&e, i)
	}
	return e
}
