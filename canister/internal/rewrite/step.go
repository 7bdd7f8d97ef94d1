package rewrite

// form is a group of operators that are handled alike.
type form uint8

const (
	otherForm  form = iota
	unaryForm       // a numeric operator of one operand
	binaryForm      // of two operands
	nanForm         // one whose result may be a NaN
	smallForm       // one whose result may be known to be below 2^32
	accessForm      // a scalar load or store
	localGetForm
	localSetForm // or local.tee
	i32ConstForm
	i64ConstForm
	openForm // block, loop, if
	endForm
	branchForm // br, br_if
)

// forms is the form of each operator. One look-up replaces several comparisons that a processor cannot predict.
var forms = func() (table [256]form) {
	for op := range table {
		table[op] = formOf(byte(op))
	}
	return table
}()

func formOf(op byte) form {
	o := &numericOps[op]
	switch {
	case makesNaN(op):
		return nanForm
	case isSmallOp(op):
		return smallForm
	case len(o.in) == 1:
		return unaryForm
	case len(o.in) == 2:
		return binaryForm
	case op >= firstMemoryOp && op < opMemorySize:
		return accessForm
	case op == opLocalGet:
		return localGetForm
	case op == opLocalSet || op == opLocalTee:
		return localSetForm
	case op == opI32Const:
		return i32ConstForm
	case op == opI64Const:
		return i64ConstForm
	case op >= opBlock && op <= opIf:
		return openForm
	case op == opEnd:
		return endForm
	case op == opBr || op == opBrIf:
		return branchForm
	}
	return otherForm
}

// step handles the current operator.
func (b *body) step(op byte) {
	switch forms[op] {
	case unaryForm:
		o := &numericOps[op]
		b.begin(uint64(o.cost), uint64(o.weight))
		b.discard(valueType(o.in[0]))
		b.push(valueType(o.out[0]))
		b.copy()
	case binaryForm:
		o := &numericOps[op]
		b.begin(uint64(o.cost), uint64(o.weight))
		b.discard(valueType(o.in[1]))
		b.discard(valueType(o.in[0]))
		b.push(valueType(o.out[0]))
		b.copy()
	case nanForm:
		o := &numericOps[op]
		b.simple(o.cost, o.weight, o.in, o.out)
		b.canonicalize(valueType(o.out[0]))
	case smallForm:
		o := &numericOps[op]
		if b.wide {
			b.numericSmall(op, o)
			return
		}
		b.simple(o.cost, o.weight, o.in, o.out)
	case accessForm:
		b.accessOp(op, &memoryOps[op-firstMemoryOp])
	case localGetForm:
		if i, ok := b.local(); ok {
			b.begin(costDefault, 1)
			b.readLocal(i)
			b.copy()
		}
	case localSetForm:
		if i, ok := b.local(); ok {
			b.begin(costDefault, 1)
			b.assignLocal(op, i)
			b.copy()
		}
	case i32ConstForm:
		v := b.r.signed(32)
		b.constant(typeI32)
		b.stack[len(b.stack)-1].short = isShort(v)
	case i64ConstForm:
		v := b.r.signed(64)
		b.constant(typeI64)
		top := &b.stack[len(b.stack)-1]
		top.small, top.short = v >= 0 && v <= 0xffffffff, isShort(v)
	case openForm:
		b.open(op)
	case endForm:
		b.endOp()
	case branchForm:
		b.branchOp(op)
	default:
		b.otherOp(op)
	}
}

// otherOp handles an infrequent operator.
func (b *body) otherOp(op byte) {
	switch op {
	case opF32Const:
		b.r.skip(4)
		b.constant(typeF32)
	case opF64Const:
		b.r.skip(8)
		b.constant(typeF64)
	case opGlobalGet, opGlobalSet:
		b.globalOp(op)
	case opCall, opReturnCall:
		b.callOp(op)
	case opCallIndirect, opReturnCallIndirect:
		b.callIndirectOp(op)
	case opDrop:
		b.begin(costDefault, 1)
		b.pop()
		b.copy()
	case opSelect, opSelectTyped:
		b.selectOp(op)
	case opMemorySize, opMemoryGrow:
		b.memorySizeOp(op)
	case opTableGet, opTableSet:
		b.tableAccess(op)
	case opRefNull, opRefIsNull, opRefFunc:
		b.referenceOp(op)
	case opMisc:
		b.miscOp()
	case opVector:
		b.vectorOp()
	case opNop:
		b.simple(costDefault, 1, "", "")
	default:
		b.controlOp(op)
	}
}

// local reads the index of a local.
func (b *body) local() (uint32, bool) {
	i := b.r.u32()
	if b.r.err == nil && int64(i) >= int64(len(b.locals)) {
		b.fail("unknown local " + decimal(uint64(i)) + ": local index out of bounds")
	}
	return i, b.r.err == nil
}

func (b *body) readLocal(i uint32) {
	l := &b.locals[i]
	b.stack = append(b.stack, operand{
		operandKind{typ: l.typ, small: l.small && l.genS == b.lower.gen}, int32(i), l.version, b.engineFrame.calls,
	})
	if b.live {
		b.engineFrame.read(i)
		if !b.compile.over {
			b.compile.use(i, b.top.construct)
		}
	}
}

func (b *body) assignLocal(op byte, i uint32) {
	l := &b.locals[i]
	v := b.take(l.typ)
	l.version++
	l.gen = 0
	l.small, l.genS = v.small, b.lower.gen
	if b.live {
		b.engineFrame.assign(i, l.typ, int32(b.ops))
		if !b.compile.over {
			b.compile.define(i, b.top.construct)
		}
	}
	if op == opLocalTee {
		b.stack = append(b.stack, operand{operandKind{typ: l.typ, small: v.small}, int32(i), l.version, b.engineFrame.calls})
	}
}

func (b *body) globalOp(op byte) {
	i := b.r.u32()
	if b.r.err != nil {
		return
	}
	if int64(i) >= int64(len(b.s.globals)) {
		b.fail("unknown global " + decimal(uint64(i)) + ": global index out of bounds")
		return
	}
	b.estimateGlobal()
	g := &b.s.globals[i]
	if op == opGlobalGet {
		b.begin(costGlobal, weightLight)
		b.push(g.value)
		b.copy()
		return
	}
	b.begin(costGlobal, 1)
	if !g.mutable {
		b.fail("global is immutable: cannot modify it with `global.set`")
	}
	b.discard(g.value)
	b.copy()
}

func (b *body) selectOp(op byte) {
	if op == opSelectTyped {
		if n := b.r.u32(); b.r.err == nil && n != 1 {
			b.fail("invalid result arity")
		}
		t := b.s.valueType(&b.r)
		b.begin(costDefault, 1)
		b.discard(typeI32)
		b.discard(t)
		b.discard(t)
		b.push(t)
		b.copy()
		return
	}
	b.begin(costDefault, weightLight)
	b.discard(typeI32)
	y, x := b.pop(), b.pop()
	switch {
	case x.typ.reference() || y.typ.reference():
		b.fail("type mismatch: select only takes integral types")
	case x.typ == typeUnknown:
		x.typ = y.typ
	case y.typ != x.typ && y.typ != typeUnknown:
		b.fail("type mismatch: select operands have different types")
	}
	b.stack = append(b.stack, operand{operandKind: operandKind{typ: x.typ, small: x.small && y.small}, local: -1, from: b.engineFrame.calls})
	b.copy()
}

func (b *body) referenceOp(op byte) {
	switch op {
	case opRefNull:
		t := b.s.valueType(&b.r)
		if b.r.err == nil && !t.reference() {
			b.fail("invalid heap type")
		}
		b.begin(costDefault, 1)
		b.push(t)
		b.copy()
	case opRefIsNull:
		b.begin(costRefIsNull, weightRefIsNull)
		if v := b.pop(); v.typ != typeUnknown && !v.typ.reference() {
			b.fail("type mismatch: expected ref but found " + v.typ.String())
		}
		b.push(typeI32)
		b.copy()
	case opRefFunc:
		i := b.s.functionIndex(&b.r)
		if b.r.err == nil && (b.s.declared == nil || !b.s.declared[i]) {
			b.fail("undeclared function reference")
		}
		b.code.references = true
		b.begin(costRefFunc, weightRefFunc)
		b.push(typeFunc)
		if b.live {
			b.opIndex(opRefFunc, b.s.shifted(i))
		}
	}
}

func (b *body) vectorOp() {
	code := b.r.u32()
	if b.r.err != nil {
		return
	}
	if code >= uint32(len(vectorOps)) || vectorOps[code].name == "" {
		if code >= 0x100 && code < 0x140 {
			b.fail("relaxed SIMD support is not enabled")
		} else {
			b.fail("unknown 0xfd subopcode: 0x" + hexByte(byte(code)))
		}
		return
	}
	o := &vectorOps[code]
	switch o.immediate {
	case memoryImmediate, memoryLaneImmediate:
		b.vectorAccess(code, o)
		return
	case vectorConstant:
		b.r.skip(16)
	case laneImmediate:
		b.lane(o.lanes)
	case shuffleImmediate:
		for range 16 {
			b.lane(o.lanes)
		}
	}
	b.simple(o.cost, 1, o.in, o.out)
	if lane := vectorNaN(code); lane != 0 {
		b.canonicalizeLanes(lane)
	}
}

func (b *body) lane(lanes uint8) {
	if l := b.r.byte(); b.r.err == nil && l >= lanes {
		b.fail("SIMD index out of bounds")
	}
}
