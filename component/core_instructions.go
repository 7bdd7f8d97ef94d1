package component

// access is an instruction that uses a memory.
type access struct {
	memory uint32
	code   string // the instruction, for the first memory
	typ    *coreFunc
}

// Types of the instructions from i32.load to i64.store32, by their codes from 0x28: i, l, f and d are the four number types.
const (
	loadResults = "ilfdiiiillllll"
	storeValues = "ilfdiilll"
)

var numberTypes = map[byte]coreValue{'i': coreI32, 'l': coreI64, 'f': coreF32, 'd': coreF64}

// instruction skips an instruction of a body. If it uses a memory, it says how.
func (r *reader) instruction() (a access, uses bool) {
	start := r.pos
	switch op := r.byte(); {
	case op >= 0x28 && op <= 0x3e:
		return r.loadOrStore(op), true
	case op == 0x3f: // memory.size
		return access{r.u32(), "\x3f\x00", signature(":i")}, true
	case op == 0x40: // memory.grow
		return access{r.u32(), "\x40\x00", signature("i:i")}, true
	case op == 0xfc:
		return r.bulk()
	case op <= 0x01 || op == 0x05 || op == 0x0a || op == 0x0b || op == 0x0f || op == 0x1a || op == 0x1b || op >= 0x45 && op <= 0xc4 || op == 0xd1:
	case op >= 0x02 && op <= 0x04 || op == 0xd0: // blocks, ref.null
		r.s33()
	case op == 0x08 || op == 0x0c || op == 0x0d || op == 0x10 || op == 0x12 || op >= 0x20 && op <= 0x26 || op == 0xd2:
		r.u32()
	case op == 0x11 || op == 0x13: // call_indirect, return_call_indirect
		r.u32()
		r.u32()
	case op == 0x0e: // br_table
		for range r.count(maxFunctions, "labels") + 1 {
			r.u32()
		}
	case op == 0x1c: // select with types
		r.coreValues("types")
	case op == 0x1f:
		r.tryTable()
	case op == 0x41 || op == 0x42: // constants
		for r.byte()&0x80 != 0 {
		}
	case op == 0x43:
		r.bytes(4)
	case op == 0x44:
		r.bytes(8)
	default:
		malformed(start, "instruction 0x%x is not supported in a module with several memories", op)
	}
	return access{}, false
}

func (r *reader) loadOrStore(op byte) access {
	flags := r.u32()
	a := access{typ: &coreFunc{params: []coreValue{coreI32}}}
	if flags&0x40 != 0 {
		a.memory = r.u32()
	}
	align := byte(flags &^ 0x40)
	start := r.pos
	r.u32() // the offset
	a.code = string([]byte{op, align}) + string(r.data[start:r.pos])
	if i := int(op) - 0x28; i < len(loadResults) {
		a.typ.results = []coreValue{numberTypes[loadResults[i]]}
	} else {
		a.typ.params = append(a.typ.params, numberTypes[storeValues[i-len(loadResults)]])
	}
	return a
}

// bulk skips an instruction for ranges of memories and tables, or a conversion.
func (r *reader) bulk() (a access, uses bool) {
	start := r.pos
	a.typ = signature("iii:")
	switch op := r.u32(); {
	case op <= 7: // conversions
	case op == 8: // memory.init
		r.u32()
		if r.u32() > 0 {
			malformed(start, "memory.init of another memory than the first is not supported")
		}
	case op == 10: // memory.copy
		a.memory = r.u32()
		if r.u32() != a.memory {
			malformed(start, "memory.copy between memories is not supported")
		}
		a.code = "\xfc\x0a\x00\x00"
		return a, true
	case op == 11: // memory.fill
		a.memory, a.code = r.u32(), "\xfc\x0b\x00"
		return a, true
	case op == 12 || op == 14: // table.init, table.copy
		r.u32()
		r.u32()
	case op == 9 || op == 13 || op >= 15 && op <= 17:
		r.u32()
	default:
		malformed(start, "instruction 0xfc 0x%x is not supported in a module with several memories", op)
	}
	return a, false
}

func (r *reader) tryTable() {
	r.s33()
	for range r.count(maxFunctions, "catch clauses") {
		if r.code("catch clause", 0, 1, 2, 3) < 2 {
			r.u32()
		}
		r.u32()
	}
}
