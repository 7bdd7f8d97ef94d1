package rewrite

// lowering is the state of the 64-bit address lowering of a function body.
type lowering struct {
	gen     uint32                   // shadows of other generations are invalid
	scratch [len(scratchTypes)]int32 // one scratch local per type of value, -1 while unused
	second  int32                    // scratch local for a second i32
	address int32                    // scratch local for the current address; values kept aside never share it
}

const scratchTypes = "iIfFvre"

func (l *lowering) reset() {
	l.gen++ // also across functions: entries of an earlier one never match
	for i := range l.scratch {
		l.scratch[i] = -1
	}
	l.second, l.address = -1, -1
}

// forget drops the knowledge about locals, because another path joins here.
func (l *lowering) forget() { l.gen++ }

// scratch returns the function's scratch local of a type.
func (b *body) scratch(t valueType) uint32 {
	for i := range len(scratchTypes) {
		if scratchTypes[i] == byte(t) {
			if b.lower.scratch[i] < 0 {
				b.lower.scratch[i] = int32(b.newLocal(t))
			}
			return uint32(b.lower.scratch[i])
		}
	}
	panic("rewrite: scratch local of type " + t.String())
}

func (b *body) secondScratch() uint32 {
	if b.lower.second < 0 {
		b.lower.second = int32(b.newLocal(typeI32))
	}
	return uint32(b.lower.second)
}

// lowerTop replaces the i64 on top of the stack by the i32 that represents it: itself below 2^32, otherwise 2^32-1.
func (b *body) lowerTop(v operand) {
	var l *localState
	if v.local >= 0 && b.locals[v.local].version == v.version {
		l = &b.locals[v.local]
	}
	if l != nil && l.gen == b.lower.gen {
		b.op(opDrop)
		b.opIndex(opLocalGet, l.shadow)
		return
	}
	if v.small {
		b.op(opI32WrapI64)
	} else {
		b.saturate()
	}
	if l != nil {
		if l.shadow == 0 {
			l.shadow = b.newLocal(typeI32)
		}
		l.gen = b.lower.gen
		b.opIndex(opLocalTee, l.shadow)
	}
}

// saturate uses plain arithmetic, which engines run faster here than a select: the upper half h is at most 2^32-1, so
// the upper half of 0-h is all ones unless h is zero. Or-ing it to the address keeps the address or makes it 2^32-1.
func (b *body) saturate() {
	if b.lower.address < 0 {
		b.lower.address = int32(b.newLocal(typeI64))
	}
	t := uint32(b.lower.address)
	b.opIndex(opLocalTee, t)
	b.out = append(b.out, opI64Const, 0)
	b.opIndex(opLocalGet, t)
	b.out = append(b.out, opI64Const, 32, opI64ShrU, opI64Sub, opI64Const, 32, opI64ShrU, opI64Or, opI32WrapI64)
}

// isSmallOp reports whether the result of an i64 operator is known to be below 2^32, or may be.
func isSmallOp(op byte) bool {
	switch op {
	case opI64ExtendI32U, opI64And, opI64Or, opI64Xor, opI64RemU, opI64DivU, opI64ShrU:
		return true
	}
	return false
}

// numericSmall handles these operators.
func (b *body) numericSmall(op byte, o *operator) {
	b.begin(uint64(o.cost), uint64(o.weight))
	small := true
	if op == opI64ExtendI32U {
		b.discard(typeI32)
	} else {
		y, x := b.take(typeI64), b.take(typeI64)
		switch op {
		case opI64And, opI64RemU:
			small = x.small || y.small
		case opI64Or, opI64Xor:
			small = x.small && y.small
		default:
			small = x.small
		}
	}
	b.push(typeI64)
	b.stack[len(b.stack)-1].small = small
	b.copy()
}

// keep moves the value on top of the stack to a local, so that the value below can be lowered.
func (b *body) keep(t valueType) uint32 {
	local := b.scratch(t)
	b.opIndex(opLocalSet, local)
	return local
}

type memArg struct {
	align  uint32
	offset uint64
}

func (b *body) memArg(natural uint8) memArg {
	at := b.r.pos
	a := memArg{align: b.r.u32()}
	if len(b.s.memories) == 0 {
		b.fail("unknown memory 0")
	}
	b.estimateMemory()
	if b.wide {
		a.offset = b.r.u64()
	} else {
		a.offset = uint64(b.r.u32())
	}
	if b.r.err == nil && a.align > uint32(natural) {
		b.r.failAt(at, "malformed memop alignment: alignment must not be larger than natural")
	}
	return a
}

// address takes the address of an access.
func (b *body) address() operand {
	if b.wide {
		return b.take(typeI64)
	}
	return b.take(typeI32)
}

// accessOp handles a scalar load or store.
func (b *body) accessOp(op byte, o *accessOperator) {
	arg := b.memArg(o.align)
	if b.r.err != nil {
		return
	}
	cost := uint64(o.cost)
	if b.wide {
		cost += widePenalty
	}
	b.begin(cost, uint64(o.weight))
	value := o.value
	if o.access == storeAccess {
		b.discard(value)
	} else {
		value = 0
	}
	address := b.address()
	if o.access == loadAccess {
		b.push(o.value)
	}
	if !b.wide {
		b.copy()
		return
	}
	if op == opI64Load8U || op == opI64Load16U || op == opI64Load32U {
		b.stack[len(b.stack)-1].small = true
	}
	if b.live && b.r.err == nil {
		offset := b.lowerAddress(address, arg.offset, value)
		b.out = appendU32(appendU32(append(b.out, op), arg.align), offset)
	}
}

func (b *body) vectorAccess(code uint32, o *vectorOperator) {
	arg := b.memArg(o.align)
	lane := b.r.pos
	if o.immediate == memoryLaneImmediate {
		b.lane(o.lanes)
	}
	if b.r.err != nil {
		return
	}
	cost := uint64(o.cost)
	if b.wide {
		cost += widePenalty
	}
	b.begin(cost, 1)
	value := valueType(0)
	if len(o.in) > 1 {
		value = typeV128
		b.discard(value)
	}
	address := b.address()
	b.pushAll(o.out)
	if !b.wide {
		b.copy()
		return
	}
	if !b.live || b.r.err != nil {
		return
	}
	offset := b.lowerAddress(address, arg.offset, value)
	b.out = appendU32(append(b.out, opVector), code)
	b.out = appendU32(appendU32(b.out, arg.align), offset)
	b.out = append(b.out, b.r.data[lane:b.r.pos]...)
}

// lowerAddress lowers the address of an access, which is below a value of the given type unless that is 0, and returns
// the offset to use. An offset of 2^32 or more is beyond any memory: the access then traps at the highest address.
func (b *body) lowerAddress(address operand, offset uint64, value valueType) uint32 {
	var kept uint32
	if value != 0 {
		kept = b.keep(value)
	}
	beyond := offset > 0xffffffff
	if beyond {
		offset = 0xffffffff
		b.out = append(b.out, opDrop, opI32Const, 0x7f)
	} else {
		b.lowerTop(address)
	}
	if value != 0 {
		b.opIndex(opLocalGet, kept)
	}
	return uint32(offset)
}
