package rewrite

// enter opens a construct within another and returns its place.
func (e *compileEstimate) enter(op byte, parent int32, operands int) int32 {
	at := int32(len(e.constructs))
	c := construct{parent: parent, nested: e.constructs[parent].nested, loop: op == opLoop, depth: farthest, bounds: farthest}
	c.ifChain, c.ifDepth, c.ifBounds = e.chain, e.depth, e.bounds
	if cap(e.constructs) > len(e.constructs) {
		c.uses = e.constructs[:at+1][at].uses[:0]
	}
	switch op {
	case opLoop:
		c.nested++
		e.loops = append(e.loops, at)
		e.deepest = max(e.deepest, len(e.loops))
		e.chain = 0
		e.depth += blocksPerLoop
		e.begin(operands)
	case opIf:
		e.follow(operands)
	}
	e.constructs = append(e.constructs, c)
	e.over = e.over || len(e.constructs) > maxConstructs
	return at
}

// begin enters a new block with a number of operands on the stack.
func (e *compileEstimate) begin(operands int) {
	e.block++
	e.live += uint64(operands)
	e.dominators += uint64(e.depth)
	e.known += uint64(e.bounds)
}

// follow enters a block whose only predecessor is the current block.
func (e *compileEstimate) follow(operands int) {
	e.chain++
	e.depth++
	e.begin(operands)
}

// edge counts a branch from the current block to the label of a construct.
func (e *compileEstimate) edge(at int32, operands int) {
	c := &e.constructs[at]
	c.edges++
	c.chain = e.chain
	c.depth, c.bounds = min(c.depth, e.depth), min(c.bounds, e.bounds)
	e.operands += uint64(operands)
	e.dominators += uint64(e.depth)
}

// restore returns to the state at the beginning of an `if`.
func (e *compileEstimate) restore(at int32) {
	c := &e.constructs[at]
	e.chain, e.depth, e.bounds = c.ifChain, c.ifDepth, c.ifBounds
}

// leave closes a construct. Its edges meet in a new block.
func (e *compileEstimate) leave(at int32, operands int) {
	c := &e.constructs[at]
	c.closed = true
	if c.loop {
		e.repeat(c, at)
		return
	}
	if c.edges == 0 {
		return
	}
	e.chain = 0
	if c.edges > 1 {
		e.joined += uint64(c.edges)
		e.joins += uint64(c.edges) * uint64(c.edges)
	} else {
		e.chain = c.chain + 1
	}
	e.depth, e.bounds = c.depth+1, c.bounds
	e.begin(operands)
}

// repeat carries the locals of a loop back to its head.
func (e *compileEstimate) repeat(c *construct, at int32) {
	e.loops = e.loops[:len(e.loops)-1]
	e.operands += uint64(c.edges) * uint64(len(c.uses))
	for _, i := range c.uses {
		l := &e.locals[i]
		e.join(l, at)
		e.extend(l)
	}
	e.stop()
}

// estimateOpen passes the construct that the current operator opens to the estimate.
func (b *body) estimateOpen(f *frame) {
	if b.live && !b.compile.over {
		f.construct = b.compile.enter(f.op, b.top.construct, len(b.stack))
	}
}

func (b *body) estimateElse(f *frame) {
	if b.compile.over {
		return
	}
	if b.live {
		b.compile.edge(f.construct, len(f.results))
	}
	b.compile.restore(f.construct)
	b.compile.follow(len(b.stack))
}

func (b *body) estimateEnd(f *frame) {
	if b.compile.over {
		return
	}
	if b.live && f.op != opLoop {
		b.compile.edge(f.construct, len(f.results))
	}
	if f.op == opIf { // without an else
		b.compile.restore(f.construct)
		b.compile.edge(f.construct, 0)
	}
	b.compile.leave(f.construct, len(b.stack)+len(f.results))
}

// estimateCheck counts an `if` that the rewriter adds, which takes operands and returns as many.
func (b *body) estimateCheck(operands int) {
	if !b.live || b.compile.over {
		return
	}
	at := b.compile.enter(opIf, b.top.construct, len(b.stack))
	b.compile.edge(at, operands)
	b.compile.restore(at)
	b.compile.edge(at, operands)
	b.compile.leave(at, len(b.stack))
}

// estimateBranch counts a branch to a construct. A conditional branch gets its own block on the way, and `br_if`
// continues in its own block.
func (b *body) estimateBranch(f *frame, op byte) {
	if !b.live || b.compile.over {
		return
	}
	b.compile.edge(f.construct, len(f.labelTypes()))
	if op != opBr {
		b.compile.begin(len(b.stack))
	}
	if op == opBrIf {
		b.compile.follow(len(b.stack))
	}
}

// estimateCall counts a call: all mutable globals are read again after it.
func (b *body) estimateCall(t funcType) {
	if b.live {
		b.compile.operands += uint64(len(t.params) + len(t.results) + b.code.mutableGlobals)
	}
}

// estimateMemory counts an access to the memory.
func (b *body) estimateMemory() {
	b.estimateGlobal()
	b.compile.bounds++
}

// estimateGlobal counts a use of a global, which is looked up like a local.
func (b *body) estimateGlobal() {
	if b.live {
		b.compile.steps += uint64(b.compile.chain)
	}
}
