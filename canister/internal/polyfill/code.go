package polyfill

// renumbering maps the indices of a module to those of the linked one.
type renumbering struct {
	function, global, typ func(uint32) uint32
	// memorySize and memoryGrow are the functions that replace the instructions if hidden is set.
	hidden                 bool
	memorySize, memoryGrow uint32
}

// Operators with an index that changes, and operators that are replaced.
const (
	opBlock              = 0x02
	opIf                 = 0x04
	opEnd                = 0x0b
	opCall               = 0x10
	opCallIndirect       = 0x11
	opReturnCall         = 0x12
	opReturnCallIndirect = 0x13
	opGlobalGet          = 0x23
	opGlobalSet          = 0x24
	opMemorySize         = 0x3f
	opMemoryGrow         = 0x40
	opRefFunc            = 0xd2
	opMisc               = 0xfc
	opVector             = 0xfd
)

// body copies a function body, with its declarations of locals, and renumbers it.
func (r *reader) body(out []byte, to *renumbering) []byte {
	at := r.pos
	each(r, func() {
		r.u32()
		r.byte()
	})
	out = append(out, r.since(at)...)
	for !r.done() {
		out = r.instruction(out, to)
	}
	return out
}

// expression copies a constant expression.
func (r *reader) expression(out []byte, to *renumbering) []byte {
	for {
		op := r.data[r.pos]
		out = r.instruction(out, to)
		if op == opEnd {
			return out
		}
	}
}

// instruction copies one instruction. Without a renumbering it only reads it.
func (r *reader) instruction(out []byte, to *renumbering) []byte {
	at := r.pos
	op := r.byte()
	if to == nil {
		r.immediates(op)
		return out
	}
	switch op {
	case opBlock, opBlock + 1, opIf:
		if b := r.data[r.pos]; b >= 0x40 && b < 0x80 {
			r.pos++
			return append(out, op, b)
		}
		return appendSigned(append(out, op), to.typ(r.u32()))
	case opCall, opReturnCall, opRefFunc:
		return appendU32(append(out, op), to.function(r.u32()))
	case opCallIndirect, opReturnCallIndirect:
		out = appendU32(append(out, op), to.typ(r.u32()))
		return appendU32(out, r.u32())
	case opGlobalGet, opGlobalSet:
		return appendU32(append(out, op), to.global(r.u32()))
	case opMemorySize, opMemoryGrow:
		if r.byte(); !to.hidden {
			return append(out, op, 0)
		}
		if op == opMemorySize {
			return appendU32(append(out, opCall), to.memorySize)
		}
		return appendU32(append(out, opCall), to.memoryGrow)
	}
	r.immediates(op)
	return append(out, r.since(at)...)
}

// appendSigned appends an index as a signed LEB128 number.
func appendSigned(out []byte, n uint32) []byte {
	for n >= 0x40 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n))
}

// immediates skips the immediates of an operator.
func (r *reader) immediates(op byte) {
	switch {
	case op >= opBlock && op <= opIf, op == 0x41, op == 0x42, op == 0xd0: // block types, integers, types of null
		r.signed()
	case op == 0x0c, op == 0x0d, op == opCall, op == opReturnCall, op == opRefFunc, op >= 0x20 && op <= 0x26,
		op == opMemorySize, op == opMemoryGrow: // an index
		r.u32()
	case op == opCallIndirect, op == opReturnCallIndirect:
		r.u32()
		r.u32()
	case op == 0x0e: // br_table
		each(r, func() { r.u32() })
		r.u32()
	case op == 0x1c: // select with types
		r.block()
	case op >= 0x28 && op <= 0x3e:
		r.access()
	case op == 0x43:
		r.bytes(4)
	case op == 0x44:
		r.bytes(8)
	case op == opMisc:
		r.misc(r.u32())
	case op == opVector:
		r.vector(r.u32())
	}
}

// access skips alignment and offset.
func (r *reader) access() {
	r.u32()
	r.number()
}

func (r *reader) misc(op uint32) {
	switch op {
	case 9, 11, 13, 15, 16, 17: // data.drop, memory.fill, elem.drop, table.grow, size, fill
		r.u32()
	case 8, 10, 12, 14: // memory.init, copy, table.init, copy
		r.u32()
		r.u32()
	}
}

func (r *reader) vector(op uint32) {
	switch {
	case op <= 11, op == 92, op == 93: // loads, a store
		r.access()
	case op == 12, op == 13: // v128.const, i8x16.shuffle
		r.bytes(16)
	case op >= 21 && op <= 34: // a lane
		r.byte()
	case op >= 84 && op <= 91: // loads and stores of a lane
		r.access()
		r.byte()
	}
}

// element copies an element segment.
func (r *reader) element(out []byte, to *renumbering) []byte {
	const passive, indexed, expressions = 1, 2, 4
	at := r.pos
	flags := r.u32()
	if flags&passive == 0 && flags&indexed != 0 {
		r.u32() // its table
	}
	out = append(out, r.since(at)...)
	if flags&passive == 0 {
		out = r.expression(out, to)
	}
	if flags&(passive|indexed) != 0 {
		out = append(out, r.byte()) // the kind, or the type, of its elements
	}
	count := r.u32()
	out = appendU32(out, count)
	for range count {
		if flags&expressions != 0 {
			out = r.expression(out, to)
		} else if i := r.u32(); to != nil {
			out = appendU32(out, to.function(i))
		}
	}
	return out
}
