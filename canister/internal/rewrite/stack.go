package rewrite

// callStack is the stack metering of a function body.
type callStack struct {
	room    int32    // local with the bytes left below this function's frame, -1 while the function needs none
	need    uint32   // bytes of the callees that do not check, at most
	patches [][2]int // where a tail call gives the frame back: the operand to fill in
	frame   uint32   // bytes, known at the end of the body
}

// unboundedStack is the need of a function that checks by itself or is not written yet.
const unboundedStack = 1<<32 - 1

func (s *callStack) reset() {
	s.room, s.need, s.patches, s.frame = -1, 0, s.patches[:0], 0
}

// passStack leaves the room on the call stack to a callee that checks it.
func (b *body) passStack(function uint32, tail bool) {
	callee := int(function) - b.s.importedFunctions
	if callee < 0 {
		return // the host has a stack of its own
	}
	if callee < b.place && !tail {
		if need := b.code.stackNeeds[callee]; need != unboundedStack {
			b.calls.need = max(b.calls.need, need)
			return
		}
	}
	b.passStackUnseen(tail)
}

// passStackUnseen is passStack for a callee that may be any function. The callee of a tail call has the room of its caller.
func (b *body) passStackUnseen(tail bool) {
	if b.meter.off {
		return
	}
	b.opIndex(opLocalGet, b.roomLocal())
	if tail {
		b.op(opI32Const)
		at := len(b.out)
		b.out = append(b.out, make([]byte, reservedCost)...)
		b.calls.patches = append(b.calls.patches, [2]int{at, len(b.out)})
		b.op(opI32Add)
	}
	b.opIndex(opGlobalSet, b.code.stack)
}

func (b *body) roomLocal() uint32 {
	if b.calls.room < 0 {
		b.calls.room = int32(b.newLocal(typeI32))
	}
	return uint32(b.calls.room)
}

// closeStackCheck decides whether the function checks the stack, and writes what the check leaves for.
func (b *body) closeStackCheck() {
	c := &b.calls
	c.frame = b.estimate.size(b.locals)
	need := c.frame + c.need
	if c.room >= 0 || need > maxUncheckedStack {
		need = unboundedStack
		b.roomLocal()
	}
	b.code.stackNeeds[b.place] = need
	b.code.frames[b.place] = c.frame
	for _, p := range c.patches {
		putCost(b.out[p[0]:p[1]], uint64(c.frame))
	}
	b.out = append(b.out, opReturn, opEnd)
	if c.room >= 0 {
		b.opIndex(opLocalGet, uint32(c.room))
		b.opIndex(opGlobalSet, b.code.stack)
		b.opIndex(opCall, b.code.outOfInstructions)
	}
	b.op(opUnreachable)
}

// stackEntry is the check at the very beginning of a function, which leaves for the end of the body. Nothing has happened yet: a replica's
// engine checks before the first operator too.
func (b *body) stackEntry() []byte {
	if b.meter.off {
		return nil
	}
	out := []byte{opBlock, blockEmpty}
	if b.calls.room < 0 {
		return out
	}
	out = appendU32(append(out, opGlobalGet), b.code.stack)
	out = appendSigned(append(out, opI32Const), int64(b.calls.frame))
	out = appendU32(append(out, opI32Sub, opLocalTee), uint32(b.calls.room))
	return append(out, opI32Const, 0, opI32LtS, opBrIf, 0)
}
