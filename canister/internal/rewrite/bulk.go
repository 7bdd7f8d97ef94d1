package rewrite

func (b *body) memorySizeOp(op byte) {
	m := b.zeroMemory()
	if b.r.err != nil {
		return
	}
	if op == opMemorySize {
		b.begin(costMemorySize, weightLight)
		b.push(m.index())
		b.copy()
		if m.wide {
			b.stack[len(b.stack)-1].small = true
			if b.live {
				b.op(opI64ExtendI32U)
			}
		}
		return
	}
	b.meter.operators += growOperators
	b.begin(costGrow, weightControl)
	delta := b.take(m.index())
	b.push(m.index())
	if !b.live || b.r.err != nil {
		return
	}
	if m.wide {
		b.lowerTop(delta)
	}
	pages := b.scratch(typeI32)
	b.opIndex(opLocalTee, pages)
	b.out = append(b.out, opMemoryGrow, 0)
	b.opIndex(opLocalGet, pages)
	b.engineFrame.addCall()
	b.opIndex(opCall, b.code.growCheck)
	b.meter.state = mirrorStale
	if m.wide {
		b.op(opI64ExtendI32S)
	}
}

// forbid records an operator that a replica rejects, unless only the rules of the language apply.
func (b *body) forbid(name string) {
	if b.bad == "" && !b.s.options.Conformance {
		b.bad = name
	}
	b.code.mutatesTable = true
}

func (b *body) tableAccess(op byte) {
	at, t := b.tableAt()
	if b.r.err != nil {
		return
	}
	if op == opTableGet {
		b.code.references = true
		b.begin(costTableAccess, weightTableGet)
		index := b.take(t.limits.index())
		b.push(t.elem)
		if b.live && b.r.err == nil {
			if t.limits.wide {
				b.lowerTop(index)
			}
			b.opIndex(op, at)
		}
		return
	}
	b.forbid("table.set")
	b.begin(costTableAccess, 1)
	b.discard(t.elem)
	index := b.take(t.limits.index())
	if !b.live || b.r.err != nil {
		return
	}
	if t.limits.wide {
		kept := b.keep(t.elem)
		b.lowerTop(index)
		b.opIndex(opLocalGet, kept)
	}
	b.opIndex(op, at)
}

func (b *body) miscOp() {
	code := b.r.u32()
	if b.r.err != nil {
		return
	}
	if code < uint32(len(saturatingOps)) {
		o := &saturatingOps[code]
		b.simple(o.cost, o.weight, o.in, o.out)
		return
	}
	switch code {
	case miscMemoryInit, miscDataDrop:
		b.dataOp(code)
	case miscMemoryCopy:
		b.memoryCopy()
	case miscMemoryFill:
		b.memoryFill()
	case miscTableInit:
		b.tableInit()
	case miscElemDrop:
		if i := b.r.u32(); b.r.err == nil && int64(i) >= int64(len(b.s.elems)) {
			b.fail("unknown elem segment " + decimal(uint64(i)))
		}
		b.simple(costDrop, 1, "", "")
	case miscTableCopy:
		b.tableCopy()
	case miscTableGrow, miscTableSize, miscTableFill:
		b.tableResize(code)
	default:
		b.fail("unknown 0xfc subopcode: 0x" + hexByte(byte(code)))
	}
}

func (b *body) misc(code uint32, indices ...uint32) {
	b.out = appendU32(append(b.out, opMisc), code)
	for _, i := range indices {
		b.out = appendU32(b.out, i)
	}
}

func (b *body) dataOp(code uint32) {
	i := b.r.u32()
	if b.r.err != nil {
		return
	}
	if b.s.dataCount < 0 {
		b.fail("data count section required")
		return
	}
	if int64(i) >= b.s.dataCount {
		b.fail("unknown data segment " + decimal(uint64(i)))
		return
	}
	if code == miscDataDrop {
		b.simple(costDrop, 1, "", "")
		return
	}
	m := b.zeroMemory()
	if b.r.err != nil {
		return
	}
	b.beginBulk(1, typeI32)
	n, from, to := b.take(typeI32), b.take(typeI32), b.take(m.index())
	if b.live && b.r.err == nil {
		b.lowerThree(n, from, to)
		b.splitSegment(i, n)
		b.misc(code, i, 0)
	}
}

// lowerThree lowers three operands, the topmost first; narrow ones stay unchanged. All types are index types.
func (b *body) lowerThree(third, second, first operand) {
	if third.typ != typeI64 && second.typ != typeI64 && first.typ != typeI64 {
		return
	}
	lowerOne := func(v operand) {
		if v.typ == typeI64 {
			b.lowerTop(v)
		}
	}
	lowerOne(third)
	size := b.keep(typeI32)
	lowerOne(second)
	from := b.secondScratch()
	b.opIndex(opLocalSet, from)
	lowerOne(first)
	b.opIndex(opLocalGet, from)
	b.opIndex(opLocalGet, size)
}

func (b *body) memoryCopy() {
	m := b.zeroMemory()
	b.zeroMemory()
	if b.r.err != nil {
		return
	}
	index := m.index()
	b.beginBulk(weightCopy, index)
	n, from, to := b.take(index), b.take(index), b.take(index)
	if b.live && b.r.err == nil {
		b.lowerThree(n, from, to)
		b.splitMemory(miscMemoryCopy, n)
		b.misc(miscMemoryCopy, 0, 0)
	}
}

func (b *body) memoryFill() {
	m := b.zeroMemory()
	if b.r.err != nil {
		return
	}
	index := m.index()
	b.beginBulk(weightFill, index)
	n, value, to := b.take(index), b.take(typeI32), b.take(index)
	if b.live && b.r.err == nil {
		b.lowerThree(n, value, to)
		b.splitMemory(miscMemoryFill, n)
		b.misc(miscMemoryFill, 0)
	}
}

func (b *body) tableInit() {
	segment := b.r.u32()
	at, t := b.tableAt()
	if b.r.err != nil {
		return
	}
	if int64(segment) >= int64(len(b.s.elems)) {
		b.fail("unknown elem segment " + decimal(uint64(segment)))
		return
	}
	if b.s.elems[segment].elem != t.elem {
		b.fail("type mismatch: expected " + t.elem.String() + ", found " + b.s.elems[segment].elem.String())
		return
	}
	b.forbid("table.init")
	b.beginBulk(weightCopy, typeI32)
	n, from, to := b.take(typeI32), b.take(typeI32), b.take(t.limits.index())
	if b.live && b.r.err == nil {
		b.lowerThree(n, from, to)
		b.splitElements(segment, at, n)
		b.misc(miscTableInit, segment, at)
	}
}

func (b *body) tableCopy() {
	dst, to := b.tableAt()
	src, from := b.tableAt()
	if b.r.err != nil {
		return
	}
	if to.elem != from.elem {
		b.fail("type mismatch: expected " + to.elem.String() + ", found " + from.elem.String())
		return
	}
	size := typeI32
	if to.limits.wide && from.limits.wide {
		size = typeI64
	}
	b.forbid("table.copy")
	b.beginBulk(weightCopy, size)
	n, s, d := b.take(size), b.take(from.limits.index()), b.take(to.limits.index())
	if b.live && b.r.err == nil {
		b.lowerThree(n, s, d)
		b.splitTable(miscTableCopy, dst, src, typeI32, n)
		b.misc(miscTableCopy, dst, src)
	}
}

// tableResize handles table.grow, size and fill.
func (b *body) tableResize(code uint32) {
	at, t := b.tableAt()
	if b.r.err != nil {
		return
	}
	index := t.limits.index()
	switch code {
	case miscTableSize:
		b.begin(costTableSize, 1)
		b.push(index)
		if b.live {
			b.misc(code, at)
			if t.limits.wide {
				b.op(opI64ExtendI32U)
			}
		}
	case miscTableGrow:
		b.forbid("table.grow")
		b.begin(costGrow, 1)
		delta := b.take(index)
		b.discard(t.elem)
		b.push(index)
		if b.live && b.r.err == nil {
			if t.limits.wide {
				b.lowerTop(delta)
			}
			b.misc(code, at)
			if t.limits.wide {
				b.op(opI64ExtendI32S)
			}
		}
	case miscTableFill:
		b.forbid("table.fill")
		b.beginBulk(1, index)
		n, _, to := b.take(index), b.take(t.elem), b.take(index)
		if b.live && b.r.err == nil {
			b.lowerFill(n, t.elem, to)
			b.splitTable(code, at, 0, t.elem, n)
			b.misc(code, at)
		}
	}
}

// lowerFill lowers the operands of table.fill: an index, a value and a length.
func (b *body) lowerFill(n operand, value valueType, to operand) {
	if n.typ != typeI64 {
		return
	}
	b.lowerTop(n)
	size := b.keep(typeI32)
	kept := b.keep(value)
	b.lowerTop(to)
	b.opIndex(opLocalGet, kept)
	b.opIndex(opLocalGet, size)
}
