package rewrite

// meter is the charging state of a function body. A block is the run of operators charged by one point.
type meter struct {
	mirror uint32 // local that mirrors the counter
	state  mirrorState
	off    bool // nothing is emitted

	cost    uint64 // of the block so far
	check   bool   // its point checks the counter as well
	pending bool   // its point is not emitted yet
	first   int    // ordinal of its first operator
	patch   int    // position of its cost in the output, or -1
	slot    int    // in loopCosts, or -1
	entry   uint64 // what the function's first block subtracts from the counter

	entryPatch int // position of entry in the output

	from      int // offset of its first operator in the module
	block     int // its place in coverage.blocks, or -1
	coverMark int // of the coverage, or noMark

	loopCosts []uint64 // head costs of the function's loops
	operators uint64   // that a replica adds to the function
}

// meterFunction opens the first block: every call pays a flat charge and is a check point. The check leaves the body
// through a label around it.
func (b *body) meterFunction() {
	m := &b.meter
	m.loopCosts, m.operators = m.loopCosts[:0], 0
	b.engineFrame.addCall()
	m.mirror = b.newLocal(typeI64)
	m.off = b.s.options.unmetered
	m.state = mirrorStale
	m.cost, m.check, m.pending, m.first, m.patch, m.slot = costEntry, true, !m.off, 1, -1, -1
	m.from, m.block, m.coverMark = b.r.pos, -1, noMark
	if !m.off {
		b.out = append(b.out, opBlock, blockEmpty)
		b.labels += 2 // including the stack check, which stackEntry writes
	}
}

// begin charges the current operator to its block. It is short enough for the compiler to inline.
func (b *body) begin(cost, weight uint64) {
	b.complexity += weight
	b.meter.cost += cost
	if b.meter.pending || b.meter.state == mirrorAhead {
		b.beginPoint()
	}
}

// beginPoint emits the block's point if it is due, and makes the counter right if the current operator observes it. A
// plain point is deferred while nothing is charged: the operators before it are free and do nothing.
func (b *body) beginPoint() {
	if !b.live {
		return
	}
	m := &b.meter
	if m.pending && (m.check || m.cost > 0) {
		m.pending = false
		m.patch = b.charge()
		switch {
		case m.check && m.first == 1:
			b.checkEntry()
		case m.check:
			b.checkInline()
		}
		b.markBlock()
	}
	if observes[b.opcode] {
		b.settle()
	}
}

// beginBulk is begin for an operator charged by its size operand, which is on top of the stack. At the very start of a
// block, the charge by size precedes the block's own.
func (b *body) beginBulk(weight uint64, size valueType) {
	wideOps := uint64(dynamicNarrowOps)
	if size == typeI64 {
		wideOps = dynamicWideOps
	}
	b.meter.operators += wideOps
	b.keepConstants(1, 2)
	if b.meter.pending && b.meter.first == b.ops {
		b.chargeSize(size)
		b.begin(costBulk, weight)
		return
	}
	b.begin(costBulk, weight)
	b.chargeSize(size)
}

func (b *body) chargeSize(size valueType) {
	if !b.live || b.meter.off {
		return
	}
	b.engineFrame.addCall()
	b.settle()
	if size == typeI32 {
		b.op(opI64ExtendI32U)
	}
	b.opIndex(opCall, b.code.chargeFunction)
	if size == typeI32 {
		b.op(opI32WrapI64)
	}
	b.meter.state = mirrorStale
}

// endBlock closes the block with the current operator and opens the next.
func (b *body) endBlock() {
	m := &b.meter
	switch {
	case m.check:
		m.operators += entryOperators
	case m.cost > 0:
		m.operators += chargeOperators
	}
	if m.patch >= 0 {
		putCharge(b.out[m.patch:], m.cost<<stackBits)
	}
	if m.first == 1 {
		m.entry, m.entryPatch = m.cost<<stackBits, m.patch
	}
	if m.slot >= 0 {
		m.loopCosts[m.slot] = m.cost
	}
	if m.block >= 0 {
		b.code.coverage.blocks[m.block].To = uint32(b.r.pos)
	}
	m.from, m.block, m.coverMark = b.r.pos, -1, noMark
	m.cost, m.check, m.pending, m.first, m.patch, m.slot = 0, false, !m.off, b.ops+1, -1, -1
}

// reservedSubtraction subtracts a charge that is not known yet.
var reservedSubtraction = [1 + reservedCharge + 1]byte{0: opI64Const, 1 + reservedCharge: opI64Sub}

// charge emits the subtraction of a cost that is not known yet, only from the mirror, and returns where to write it.
func (b *body) charge() int {
	m := &b.meter
	if m.state == mirrorStale {
		b.opIndex(opGlobalGet, b.code.counter)
	} else {
		b.opIndex(opLocalGet, m.mirror)
	}
	patch := len(b.out) + 1
	b.out = append(b.out, reservedSubtraction[:]...)
	b.opIndex(opLocalSet, m.mirror)
	m.state = mirrorAhead
	return patch
}

// publish writes the mirror to the counter.
func (b *body) publish() {
	b.opIndex(opLocalGet, b.meter.mirror)
	b.opIndex(opGlobalSet, b.code.counter)
}

// settle makes the counter right before it may be read.
func (b *body) settle() {
	if b.meter.state == mirrorAhead {
		b.publish()
		b.meter.state = mirrorEven
	}
}

// refresh copies the counter into its mirror.
func (b *body) refresh() {
	b.opIndex(opGlobalGet, b.code.counter)
	b.opIndex(opLocalSet, b.meter.mirror)
	b.meter.state = mirrorEven
}

// belowZero compares the counter with zero: its sign is the sign of the instructions.
var belowZero = [...]byte{opI64Const, 0, opI64LtS}

// checkMirror emits the condition of a check.
func (b *body) checkMirror() {
	b.opIndex(opLocalGet, b.meter.mirror)
	b.out = append(b.out, belowZero[:]...)
}

// checkEntry emits the check at a function's entry: if exhausted, it goes to the end of the body. Only the charge has
// happened yet.
func (b *body) checkEntry() {
	b.opIndex(opLocalGet, b.meter.mirror)
	b.calls.check = len(b.out)
	b.out = append(b.out, belowZero[:]...)
	b.opIndex(opBrIf, 0)
}

// closeFunction ends the body. Where the check goes, it makes the dispatcher call the function again.
func (b *body) closeFunction() {
	if b.live {
		b.settle()
	}
	b.returnOp()
	b.op(opEnd)
	b.markFunction()
	b.placeStackChecks()
	b.probeWithdraw()
	for i := range len(b.typ.params) {
		b.opIndex(opLocalGet, uint32(i))
	}
	dispatcher, place := b.code.dispatch(b.typ, b.self)
	b.out = appendSigned(append(b.out, opI32Const), int64(place))
	b.out = appendSigned(append(b.out, opI64Const), int64(b.meter.entry))
	b.opIndex(opCall, dispatcher)
	b.closeStackChecks()
	b.op(opEnd)
	b.probeExit()
}

// checkInline calls the host in place.
func (b *body) checkInline() {
	b.checkMirror()
	b.out = append(b.out, opIf, blockEmpty)
	b.publish()
	b.opIndex(opCall, b.code.outOfInstructions)
	b.refresh()
	b.op(opEnd)
	b.meter.state = mirrorAhead
}

// openLoop emits the head of a loop. A loop without parameters is wrapped so that the host is called outside of it.
func (b *body) openLoop(f *frame, encoded []byte) {
	m := &b.meter
	if !b.live {
		m.check = true
		return
	}
	b.engineFrame.openLoop(int32(b.ops))
	if m.state == mirrorStale && !m.off {
		b.refresh()
	}
	b.lower.forget()
	if f.params != "" || m.off {
		m.check = true
		b.out = append(append(b.out, opLoop), encoded...)
		b.labels++
		return
	}
	b.markBlock()
	b.out = append(append(b.out, opBlock), encoded...)
	b.out = append(append(b.out, opLoop), encoded...)
	b.out = append(b.out, opBlock, blockEmpty)
	b.out = append(append(b.out, opLoop), encoded...)
	b.labels += 4
	f.closes = 4
	m.slot = len(m.loopCosts)
	m.loopCosts = append(m.loopCosts, 0)
	f.costSlot = m.slot
	m.check, m.pending = true, false
	m.patch = b.charge()
	b.checkMirror()
	b.out = append(b.out, opBrIf, 1)
}

// closeLoop ends the wrapping of openLoop around a loop: it calls the host, gives the charge of the head back and runs
// the head again.
func (b *body) closeLoop(f *frame) {
	b.out = append(b.out, opEnd, opBr, 2, opEnd)
	b.markLoop(f)
	b.publish()
	b.opIndex(opCall, b.code.outOfInstructions)
	b.opIndex(opGlobalGet, b.code.counter)
	b.op(opI64Const)
	b.out = appendSigned(b.out, int64(b.meter.loopCosts[f.costSlot]<<stackBits))
	b.op(opI64Add)
	b.opIndex(opLocalSet, b.meter.mirror)
	b.out = append(b.out, opBr, 0, opEnd, opEnd)
}

// chargeBody returns the function (size i64) -> i64 that charges by a size and returns it.
func (c *codeWriter) chargeBody() []byte {
	out := []byte{0}
	get := func(op byte, i uint32) { out = appendU32(append(out, op), i) }
	get(opLocalGet, 0)
	out = appendSigned(append(out, opI64Const), MaxInstructions)
	out = append(out, opI64GtU, opIf, blockEmpty)
	get(opLocalGet, 0)
	get(opCall, c.hugeCharge)
	out = append(out, opElse)
	get(opGlobalGet, c.counter)
	get(opLocalGet, 0)
	out = append(out, opI64Const, stackBits, opI64Shl, opI64Sub)
	get(opGlobalSet, c.counter)
	get(opGlobalGet, c.counter)
	out = append(out, opI64Const, 0, opI64LtS, opIf, blockEmpty)
	get(opCall, c.outOfInstructions)
	out = append(out, opEnd, opEnd)
	get(opLocalGet, 0)
	return append(out, opEnd)
}
