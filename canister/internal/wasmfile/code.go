package wasmfile

// Renumbering maps the indices of a module to those of another one.
type Renumbering struct {
	Function, Global, Type func(uint32) uint32
	// Table, Element and Data, if set, map the indices of tables and segments in instructions other than indirect calls.
	Table, Element, Data func(uint32) uint32
	// Base, if set, gives what is added to the offsets of active segments of a table, which are constants then.
	Base func(table uint32) uint32
	// Constant, if set, gives the constant expression, without its end, that takes the place of a global's value in another one.
	Constant func(global uint32) []byte
	// Replace, if set, appends something in place of a call, an assignment of a global, or an instruction on a memory or a
	// data segment. It reports whether it did.
	Replace func(out []byte, i Instruction) ([]byte, bool)
}

// Instruction is an instruction that a renumbering may replace.
type Instruction struct {
	Op    byte
	Misc  uint32 // after OpMisc: MemoryInit or DataDrop
	Index uint32 // of the function, the type, the global or the data segment
	Table uint32
}

// Operators with an index that changes, and operators that may be replaced.
const (
	OpUnreachable        = 0x00
	OpBlock              = 0x02
	OpLoop               = 0x03
	OpIf                 = 0x04
	OpEnd                = 0x0b
	OpCall               = 0x10
	OpCallIndirect       = 0x11
	OpReturnCall         = 0x12
	OpReturnCallIndirect = 0x13
	OpDrop               = 0x1a
	OpLocalGet           = 0x20
	OpGlobalGet          = 0x23
	OpGlobalSet          = 0x24
	OpTableGet           = 0x25
	OpTableSet           = 0x26
	OpI32Load8U          = 0x2d
	OpMemorySize         = 0x3f
	OpMemoryGrow         = 0x40
	OpI32Const           = 0x41
	OpRefIsNull          = 0xd1
	OpRefFunc            = 0xd2
	OpMisc               = 0xfc
	OpVector             = 0xfd

	MemoryInit = 8
	DataDrop   = 9
	memoryCopy = 10
	memoryFill = 11
	tableInit  = 12
	elemDrop   = 13
	tableCopy  = 14
	tableGrow  = 15
	tableSize  = 16
	tableFill  = 17

	// BlockEmpty is the type of a block without parameters and results.
	BlockEmpty = 0x40
)

// Body copies a function body, with its declarations of locals, and renumbers it.
func (r *Reader) Body(out []byte, to *Renumbering) []byte {
	at := r.pos
	r.Each(func() {
		r.U32()
		r.Byte()
	})
	out = append(out, r.since(at)...)
	for !r.Done() {
		out = r.instruction(out, to)
	}
	return out
}

// Expression copies a constant expression. Without a renumbering it only reads it. With constants for globals it is calculated.
func (r *Reader) Expression(out []byte, to *Renumbering) []byte {
	at := len(out)
	for {
		op := r.data[r.pos]
		if op == OpGlobalGet && to != nil && to.Constant != nil {
			r.pos++
			out = append(out, to.Constant(r.U32())...)
			continue
		}
		out = r.instruction(out, to)
		switch {
		case op == OpEnd && to != nil && to.Constant != nil:
			return append(out[:at], folded(out[at:])...)
		case op == OpEnd:
			return out
		}
	}
}

// instruction copies one instruction. Without a renumbering it only reads it.
func (r *Reader) instruction(out []byte, to *Renumbering) []byte {
	at := r.pos
	op := r.Byte()
	if to == nil {
		r.immediates(op)
		return out
	}
	switch op {
	case OpBlock, OpLoop, OpIf:
		if b := r.data[r.pos]; b >= BlockEmpty && b < 0x80 {
			r.pos++
			return append(out, op, b)
		}
		return appendBlockType(append(out, op), to.Type(r.U32()))
	case OpRefFunc:
		return AppendU32(append(out, op), to.Function(r.U32()))
	case OpGlobalGet:
		return AppendU32(append(out, op), to.Global(r.U32()))
	case OpTableGet, OpTableSet:
		return AppendU32(append(out, op), renumbered(to.Table, r.U32()))
	case OpCall, OpReturnCall, OpCallIndirect, OpReturnCallIndirect, OpGlobalSet, OpMemorySize, OpMemoryGrow, OpMisc:
		return r.replaceable(out, op, to)
	}
	r.immediates(op)
	return append(out, r.since(at)...)
}

// replaceable copies an instruction after its operator, or what replaces it.
func (r *Reader) replaceable(out []byte, op byte, to *Renumbering) []byte {
	at := r.pos
	i := Instruction{Op: op, Index: r.U32()}
	switch {
	case op == OpMisc && (i.Index == MemoryInit || i.Index == DataDrop):
		i.Misc, i.Index = i.Index, r.U32()
		if i.Misc == MemoryInit {
			r.U32() // the memory
		}
	case op == OpMisc:
		return r.miscellaneous(out, i.Index, to)
	case op == OpCallIndirect || op == OpReturnCallIndirect:
		i.Table = r.U32()
	}
	if to.Replace != nil {
		if out, replaced := to.Replace(out, i); replaced {
			return out
		}
	}
	switch op {
	case OpMisc:
		out = AppendU32(AppendU32(append(out, op), i.Misc), renumbered(to.Data, i.Index))
		if i.Misc == MemoryInit {
			out = append(out, 0)
		}
		return out
	case OpCall, OpReturnCall:
		return AppendU32(append(out, op), to.Function(i.Index))
	case OpGlobalSet:
		return AppendU32(append(out, op), to.Global(i.Index))
	case OpCallIndirect, OpReturnCallIndirect:
		return AppendU32(AppendU32(append(out, op), to.Type(i.Index)), i.Table)
	}
	return append(append(out, op), r.since(at)...)
}

// renumbered maps an index, if there is a map.
func renumbered(to func(uint32) uint32, i uint32) uint32 {
	if to == nil {
		return i
	}
	return to(i)
}

// miscellaneous copies an instruction after OpMisc that is none on data segments.
func (r *Reader) miscellaneous(out []byte, op uint32, to *Renumbering) []byte {
	at := r.pos
	out = AppendU32(append(out, OpMisc), op)
	switch op {
	case tableInit:
		return AppendU32(AppendU32(out, renumbered(to.Element, r.U32())), renumbered(to.Table, r.U32()))
	case elemDrop:
		return AppendU32(out, renumbered(to.Element, r.U32()))
	case tableCopy:
		return AppendU32(AppendU32(out, renumbered(to.Table, r.U32())), renumbered(to.Table, r.U32()))
	case tableGrow, tableSize, tableFill:
		return AppendU32(out, renumbered(to.Table, r.U32()))
	}
	r.misc(op)
	return append(out, r.since(at)...)
}

// immediates skips the immediates of an operator.
func (r *Reader) immediates(op byte) {
	switch {
	case op >= OpBlock && op <= OpIf, op == OpI32Const, op == 0x42, op == 0xd0: // block types, integers, types of null
		r.signed()
	case op == 0x0c, op == 0x0d, op == OpCall, op == OpReturnCall, op == OpRefFunc, op >= OpLocalGet && op <= 0x26,
		op == OpMemorySize, op == OpMemoryGrow: // an index
		r.U32()
	case op == OpCallIndirect, op == OpReturnCallIndirect:
		r.U32()
		r.U32()
	case op == 0x0e: // br_table
		r.Each(func() { r.U32() })
		r.U32()
	case op == 0x1c: // select with types
		r.Block()
	case op >= 0x28 && op <= 0x3e:
		r.access()
	case op == 0x43:
		r.Bytes(4)
	case op == 0x44:
		r.Bytes(8)
	case op == OpMisc:
		r.misc(r.U32())
	case op == OpVector:
		r.vector(r.U32())
	}
}

// access skips alignment and offset.
func (r *Reader) access() {
	r.U32()
	r.number()
}

func (r *Reader) misc(op uint32) {
	switch op {
	case DataDrop, memoryFill, elemDrop, tableGrow, tableSize, tableFill:
		r.U32()
	case MemoryInit, memoryCopy, tableInit, tableCopy:
		r.U32()
		r.U32()
	}
}

func (r *Reader) vector(op uint32) {
	switch {
	case op <= 11, op == 92, op == 93: // loads, a store
		r.access()
	case op == 12, op == 13: // v128.const, i8x16.shuffle
		r.Bytes(16)
	case op >= 21 && op <= 34: // a lane
		r.Byte()
	case op >= 84 && op <= 91: // loads and stores of a lane
		r.access()
		r.Byte()
	}
}

// elementOffset copies the offset of an active segment.
func (r *Reader) elementOffset(out []byte, table uint32, to *Renumbering) []byte {
	if to == nil || to.Base == nil || to.Base(table) == 0 {
		return r.Expression(out, to)
	}
	offset := NewReader(r.Expression(nil, to))
	offset.Byte() // OpI32Const
	out = AppendI32(append(out, OpI32Const), offset.I32()+int32(to.Base(table)))
	return append(out, offset.Byte())
}

// Flags of element segments: a passive or declarative one; an active one with the index of its table, or a declarative
// one; one with expressions in place of indices.
const (
	ElementPassive     = 1
	ElementIndexed     = 2
	ElementExpressions = 4
)

// Element copies an element segment. Without a renumbering it only reads it.
func (r *Reader) Element(out []byte, to *Renumbering) []byte {
	flags := r.U32()
	out = AppendU32(out, flags)
	table := uint32(0)
	if flags&ElementPassive == 0 && flags&ElementIndexed != 0 {
		table = r.U32()
		if to != nil {
			out = AppendU32(out, renumbered(to.Table, table))
		}
	}
	if flags&ElementPassive == 0 {
		out = r.elementOffset(out, table, to)
	}
	if flags&(ElementPassive|ElementIndexed) != 0 {
		out = append(out, r.Byte()) // the kind, or the type, of its elements
	}
	count := r.U32()
	out = AppendU32(out, count)
	for range count {
		if flags&ElementExpressions != 0 {
			out = r.Expression(out, to)
		} else if i := r.U32(); to != nil {
			out = AppendU32(out, to.Function(i))
		}
	}
	return out
}
