package rewrite

func (b *body) controlOp(op byte) {
	switch op {
	case opElse:
		b.elseOp()
	case opBrTable:
		b.branchTableOp()
	case opReturn:
		b.begin(costDefault, 1)
		b.takeAll(b.typ.results)
		at := b.here()
		b.prepareBranch(&b.frames[0])
		if b.live {
			b.leavesTo(0)
			b.returnOp()
		}
		b.leaves(at, opReturn, 0, 0)
		b.endBlock()
		b.stop()
	case opUnreachable:
		b.begin(costDefault, 1)
		b.copy()
		if b.live {
			b.leavesTo(0)
		}
		b.endBlock()
		b.stop()
	case 0xfe:
		b.fail("threads support is not enabled")
	case 0x06, 0x07, 0x08, 0x09, 0x0a, 0x18, 0x19, 0x1f:
		b.fail("exceptions support is not enabled")
	case 0x14, 0x15, 0xd3, 0xd4, 0xd5, 0xd6:
		b.fail("function references support is not enabled")
	case 0xfb:
		b.fail("gc support is not enabled")
	default:
		b.fail("illegal opcode: 0x" + hexByte(op))
	}
}

// blockType reads the type of a block, and returns its encoding for the output.
func (b *body) blockType() (t funcType, encoded []byte) {
	at := b.r.pos
	if at < len(b.r.data) {
		if c := b.r.data[at]; c == blockEmpty {
			b.r.pos++
			return funcType{}, b.r.data[at:b.r.pos]
		} else if v, ok := decodeType(c); ok {
			b.r.pos++
			return funcType{results: resultText(v)}, b.r.data[at:b.r.pos]
		}
	}
	i := b.r.signed(33)
	if b.r.err == nil && (i < 0 || i >= int64(len(b.s.types))) {
		b.r.failAt(at, "unknown type: type index out of bounds")
	}
	if b.r.err != nil {
		return funcType{}, nil
	}
	return b.s.types[i], b.r.data[at:b.r.pos]
}

// resultText returns a one-letter type list without an allocation.
func resultText(t valueType) string {
	const letters = "iIfFvre"
	for i := range len(letters) {
		if letters[i] == byte(t) {
			return letters[i : i+1]
		}
	}
	return ""
}

func (b *body) open(op byte) {
	t, encoded := b.blockType()
	if b.r.err != nil {
		return
	}
	if len(b.frames) >= maxNesting {
		b.fail("control nesting too deep")
		return
	}
	cost := uint64(0)
	if op == opIf {
		cost = costBranch
	}
	b.begin(cost, weightControl)
	if op == opIf {
		b.discard(typeI32)
	}
	b.takeAll(t.params)
	f := frame{
		params: t.params, results: t.results, height: len(b.stack), op: op, begin: len(b.out), mirror: b.meter.state, dead: !b.live, closes: 1, costSlot: -1,
		coverMark: b.meter.coverMark,
	}
	if b.live && op == opIf {
		f.join = f.mirror // the edge of an else that may be absent
	}
	switch op {
	case opLoop:
		b.endBlock()
		b.meter.coverMark = f.coverMark
		b.openLoop(&f, encoded)
	case opIf:
		b.calls.branched = true
		b.copy()
		b.endBlock()
	default:
		b.copy()
	}
	if b.live && op != opLoop {
		b.labels++
	}
	f.label = b.labels
	b.estimateOpen(&f)
	b.enter(f)
	b.pushAll(t.params)
}

// takeResults takes the results of the innermost construct, which must then be empty.
func (b *body) takeResults() {
	b.takeAll(b.top.results)
	if b.r.err == nil && len(b.stack) != b.top.height {
		b.fail("type mismatch: values remaining on stack at end of block")
	}
}

func (b *body) elseOp() {
	b.begin(0, 1)
	b.takeResults()
	f := b.top
	if b.r.err == nil && f.op != opIf {
		b.fail("else found outside of an `if` block")
	}
	if b.r.err != nil {
		return
	}
	if !f.dead {
		b.estimateElse(f)
		b.prepareJoin(f)
		b.endRegion()
		b.op(opElse)
		b.meter.state = f.mirror
		b.lower.forget()
		b.live = true
	}
	b.endBlock()
	f.op, f.unreachable = opElse, false
	b.pushAll(f.params)
}

func (b *body) endOp() {
	b.begin(0, 1)
	b.takeResults()
	f := b.top
	if b.r.err != nil {
		return
	}
	if f.op == opIf && f.params != f.results {
		b.fail("type mismatch: else branch of `if` is missing")
		return
	}
	if !f.dead {
		if f.op == opLoop {
			b.engineFrame.closeLoop()
		}
		b.estimateEnd(f)
		b.prepareJoin(f)
		b.endBlockOf(f)
		b.endRegion()
		b.closeFrame(f)
		b.meter.state = f.join
		b.lower.forget()
	} else {
		b.endBlock()
	}
	b.frames = b.frames[:len(b.frames)-1]
	b.pushAll(f.results)
	if outer := len(b.frames) - 1; outer >= 0 {
		b.top = &b.frames[outer]
		b.live = b.live || !f.dead
	}
}

// closeFrame emits the end of a construct that was emitted.
func (b *body) closeFrame(f *frame) {
	switch {
	case f.op == opLoop && f.costSlot >= 0:
		b.closeLoop(f)
	case len(b.frames) == 1 && !b.meter.off:
		b.closeFunction()
	default:
		b.op(opEnd)
	}
	b.labels -= int(f.closes)
}

// target reads a label and returns its construct.
func (b *body) target() *frame {
	i := b.r.u32()
	if b.r.err == nil && int64(i) >= int64(len(b.frames)) {
		b.fail("unknown label: branch depth too large")
	}
	if b.r.err != nil {
		return &b.frames[0]
	}
	return &b.frames[len(b.frames)-1-int(i)]
}

// labelTypes returns the types of the operands that a branch to a construct takes.
func (f *frame) labelTypes() string {
	if f.op == opLoop {
		return f.params
	}
	return f.results
}

// prepareBranch keeps the counter's mirror consistent along an edge: a loop head expects the mirror to be right, the
// function's end expects the counter to be right.
func (b *body) prepareBranch(f *frame) {
	switch {
	case !b.live || b.meter.off:
	case f.op == opLoop:
		if b.meter.state == mirrorStale {
			b.refresh()
		}
	case f == &b.frames[0]:
		b.settle()
	default:
		b.prepareJoin(f)
	}
}

// prepareJoin is prepareBranch for an edge to the end of a construct: the first edge that is not even decides the
// state, and the others follow.
func (b *body) prepareJoin(f *frame) {
	state := b.meter.state
	switch {
	case !b.live || b.meter.off || state == mirrorEven || state == f.join:
	case f.join == mirrorEven:
		f.join = state
	case f.join == mirrorAhead:
		b.refresh()
	default:
		b.settle()
	}
}

func (b *body) branchOp(op byte) {
	f := b.target()
	if b.r.err != nil {
		return
	}
	b.begin(costBranch, weightControl)
	if op == opBrIf {
		b.discard(typeI32)
	}
	types := f.labelTypes()
	b.takeAll(types)
	b.estimateBranch(f, op)
	at := b.here()
	b.prepareBranch(f)
	if b.live {
		b.leavesTo(f.depth)
		b.opIndex(op, uint32(b.labels-f.label))
		b.leaves(at, op, f.label, f.label)
	}
	b.endBlock()
	if op == opBr {
		b.stop()
		return
	}
	b.pushAll(types)
}

func (b *body) branchTableOp() {
	at := b.r.pos
	n := b.r.count(maxBranchTargets, "br_table targets")
	if b.r.err != nil {
		return
	}
	b.begin(costBranch, weightControl)
	b.discard(typeI32)
	first, before := b.r.pos, b.here()
	arity, checked := -1, "none"
	for range n + 1 {
		f := b.target()
		if b.r.err != nil {
			return
		}
		types := f.labelTypes()
		if arity < 0 {
			arity = len(types)
		}
		if len(types) != arity {
			b.r.failAt(at, "type mismatch: br_table target labels have different number of types")
			return
		}
		if types != checked {
			b.checkLabel(types)
			checked = types
		}
		b.estimateBranch(f, opBrTable)
		b.prepareBranch(f)
	}
	if b.live {
		shallow, deep := b.labels, 0
		b.r.pos = first
		b.out = appendU32(append(b.out, opBrTable), uint32(n))
		for range n + 1 {
			f := b.target()
			b.leavesTo(f.depth)
			shallow, deep = min(shallow, f.label), max(deep, f.label)
			b.out = appendU32(b.out, uint32(b.labels-f.label))
		}
		b.leaves(before, opBrTable, shallow, deep)
	}
	b.endBlock()
	b.stop()
}

// checkLabel checks the operands of one br_table target and leaves them on the stack.
func (b *body) checkLabel(types string) {
	f := b.top
	for k := range len(types) {
		want := valueType(types[len(types)-1-k])
		i := len(b.stack) - 1 - k
		if i < f.height {
			if !f.unreachable {
				b.fail("type mismatch: expected " + want.String() + " but nothing on stack")
			}
			return
		}
		if got := b.stack[i].typ; got != want && got != typeUnknown {
			b.fail("type mismatch: expected " + want.String() + ", found " + got.String())
			return
		}
	}
}

func (b *body) callOp(op byte) {
	i := b.s.functionIndex(&b.r)
	if b.r.err != nil {
		return
	}
	cost, weight := uint64(costCall), uint64(weightControl)
	if op == opReturnCall {
		cost, weight = costReturnCall, 1
	}
	b.begin(cost, weight)
	t := b.s.types[b.s.functions[i]]
	b.keepConstants(0, len(t.params))
	b.takeAll(t.params)
	if b.live && b.r.err == nil {
		b.engineFrame.pass(t.params)
		b.engineFrame.addCall()
		at := b.here()
		if op == opReturnCall {
			b.probeLeave()
		}
		b.opIndex(op, b.s.shifted(i))
		if !b.bounded(i, op == opReturnCall) {
			b.meterCall(at, op == opReturnCall)
		}
	}
	b.called(op == opReturnCall, t)
}

// called does what calls have in common after they are emitted.
func (b *body) called(tail bool, t funcType) {
	b.estimateCall(t)
	if b.live {
		b.meter.state = mirrorStale
	}
	if !tail {
		b.pushAll(t.results)
		return
	}
	if b.live {
		b.leavesTo(0)
	}
	if t.results != b.typ.results {
		b.fail("type mismatch: tail call results do not match those of the function")
	}
	b.endBlock()
	b.stop()
}

func (b *body) callIndirectOp(op byte) {
	i := b.s.typeIndex(&b.r)
	at, target := b.tableAt()
	if b.r.err != nil {
		return
	}
	if target.elem != typeFunc {
		b.fail("indirect calls must go through a table with type <= funcref")
		return
	}
	cost, weight := uint64(costCallIndirect), uint64(weightControl)
	if op == opReturnCallIndirect {
		cost, weight = costReturnCallIndirect, 1
	}
	b.begin(cost, weight)
	index := b.take(target.limits.index())
	t := b.s.types[i]
	b.keepConstants(0, len(t.params))
	b.takeAll(t.params)
	if b.live {
		if target.limits.wide {
			b.lowerTop(index)
		}
		b.engineFrame.pass(t.params)
		b.engineFrame.addCall()
		before := b.here()
		if op == opReturnCallIndirect {
			b.probeLeave()
		}
		b.opIndex(op, i)
		b.out = appendU32(b.out, at)
		b.meterCall(before, op == opReturnCallIndirect)
	}
	b.called(op == opReturnCallIndirect, t)
}
