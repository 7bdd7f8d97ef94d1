package rewrite

// callStack is the stack metering of a function body.
type callStack struct {
	need  uint32 // bytes of the callees that do not check, at most
	frame uint32 // bytes, known at the end of the body

	branched  bool // the function may have taken one of several ways
	unbounded bool // it calls functions that may check
	entry     bool // one of the calls comes after the entry without a branch: the frame is taken at the entry
	regions   []stackRegion
	calls     []stackCall
	leaves    []stackLeave
	refill    int // place that the counter's check at the entry leaves for

	splices []splice
	joined  []byte // the body with its splices
}

// stackRegion is a part of a body in which its frame is taken: from a place, which is in no loop, to the end of the
// construct around it. All calls are in regions.
type stackRegion struct {
	depth, label int  // of the construct
	from, to     int  // in the output; to is 0 for an open one
	returns      bool // its end is reached
	calls        span
	leaves       span
}

type span struct{ from, to int }

// stackCall is a call of a function that may check.
type stackCall struct{ at, next, labels int }

// stackLeave is an operator that goes to labels from shallow to deep; 0 leaves the function.
type stackLeave struct {
	at, next      int
	op            byte
	shallow, deep int
}

// splice is code that is put in where the body is written.
type splice struct {
	at     int
	kind   spliceKind
	labels int // open ones
}

type spliceKind uint8

const (
	takeFrame   spliceKind = iota // with a check
	retakeFrame                   // without
	giveFrame
)

const (
	// unboundedStack is the need of a function that checks by itself or is not written yet.
	unboundedStack = 1<<32 - 1
	// fullLabel is the label that stack checks leave for, and functionLabels are those around a function's own code.
	fullLabel      = 2
	functionLabels = 3
)

func (s *callStack) reset() {
	*s = callStack{
		regions: s.regions[:0], calls: s.calls[:0], leaves: s.leaves[:0], splices: s.splices[:0], joined: s.joined[:0],
	}
}

// bounded tells whether a callee is known to need little of the stack, and counts it.
func (b *body) bounded(function uint32, tail bool) bool {
	callee := int(function) - b.s.importedFunctions
	if callee < 0 {
		return true // the host has a stack of its own
	}
	if callee >= b.place || tail || b.code.stackNeeds[callee] == unboundedStack {
		return false
	}
	b.calls.need = max(b.calls.need, b.code.stackNeeds[callee])
	return true
}

// meterCall notes the call written at a place, of a function that may check. The callee of a tail call has the room of
// its caller.
func (b *body) meterCall(at int, tail bool) {
	c := &b.calls
	c.unbounded = true
	if tail {
		b.leaves(at, opReturnCall, 0, 0)
		return
	}
	c.calls = append(c.calls, stackCall{at, len(b.out), b.labels})
	switch n := len(c.regions); {
	case n > 0 && c.regions[n-1].to == 0:
	case !c.branched:
		c.entry = true
		b.openRegion(0, 0)
	default:
		depth := len(b.frames) - 1
		for i := range b.frames {
			if b.frames[i].op == opLoop {
				depth, at = i-1, b.frames[i].begin
				break
			}
		}
		b.openRegion(depth, at)
	}
}

// openRegion begins a region at a place in a construct, for the call noted last.
func (b *body) openRegion(depth, from int) {
	c := &b.calls
	leave := len(c.leaves)
	for leave > 0 && c.leaves[leave-1].at >= from {
		leave--
	}
	c.regions = append(c.regions, stackRegion{
		depth: depth, label: b.frames[depth].label, from: from, calls: span{from: len(c.calls) - 1}, leaves: span{from: leave},
	})
}

// leaves notes the operator written at a place that goes to labels from shallow to deep.
func (b *body) leaves(at int, op byte, shallow, deep int) {
	if b.live {
		b.calls.branched = true
		b.calls.leaves = append(b.calls.leaves, stackLeave{at, len(b.out), op, shallow, deep})
	}
}

// endRegion is called before an `end` or `else` is written.
func (b *body) endRegion() {
	c := &b.calls
	if n := len(c.regions); n > 0 {
		if r := &c.regions[n-1]; r.to == 0 && r.depth == len(b.frames)-1 {
			r.to, r.returns = len(b.out), b.live
			r.calls.to, r.leaves.to = len(c.calls), len(c.leaves)
		}
	}
}

// closeStackCheck decides where the function takes its frame, and writes what the check leaves for.
func (b *body) closeStackCheck() {
	c := &b.calls
	c.frame = b.engineFrame.size(b.locals)
	need := c.frame + c.need
	if c.unbounded || need > maxUncheckedStack {
		need = unboundedStack
	}
	b.code.stackNeeds[b.place] = need
	b.code.frames[b.place] = c.frame
	b.placeFrame()
	b.out = append(b.out, opReturn, opEnd)
	if need == unboundedStack {
		b.out = append(b.out, opI32Const, 0x7f) // -1
		b.opIndex(opGlobalSet, b.code.stack)
		b.opIndex(opCall, b.code.outOfInstructions)
	}
	b.op(opUnreachable)
}

// placeFrame says what is to be spliced into the body.
func (b *body) placeFrame() {
	c := &b.calls
	for i := range c.regions {
		r := &c.regions[i]
		before := len(c.splices)
		if b.placeRegion(r) {
			continue
		}
		// A br_table both leaves the region and stays in it: each call is a region of its own.
		c.entry, c.splices = false, c.splices[:before]
		for _, call := range c.calls[r.calls.from:r.calls.to] {
			c.splices = append(c.splices, splice{call.at, takeFrame, call.labels}, splice{call.next, giveFrame, 0})
		}
	}
	if c.entry {
		c.splices = append(c.splices, splice{c.refill, giveFrame, 0})
	}
}

// placeRegion takes the frame where the region begins and gives it back wherever it is left.
func (b *body) placeRegion(r *stackRegion) bool {
	c := &b.calls
	if !c.entry {
		c.splices = append(c.splices, splice{r.from, takeFrame, max(r.label, functionLabels)})
	}
	for _, l := range c.leaves[r.leaves.from:r.leaves.to] {
		if l.shallow > r.label {
			continue
		}
		if l.deep > r.label {
			return false
		}
		c.splices = append(c.splices, splice{l.at, giveFrame, 0})
		if l.op == opBrIf {
			c.splices = append(c.splices, splice{l.next, retakeFrame, 0})
		}
	}
	if r.returns {
		c.splices = append(c.splices, splice{r.to, giveFrame, 0})
	}
	return true
}

// splice joins the body and what its calls need.
func (b *body) splice() []byte {
	c := &b.calls
	if len(c.splices) == 0 {
		return b.out
	}
	out, from := c.joined, 0
	for _, s := range c.splices {
		out = append(out, b.out[from:s.at]...)
		from = s.at
		switch s.kind {
		case takeFrame:
			out = b.checkRoom(out, s.labels-fullLabel)
			out = b.moveRoom(out, opI32Sub)
		case retakeFrame:
			out = b.moveRoom(out, opI32Sub)
		case giveFrame:
			out = b.moveRoom(out, opI32Add)
		}
	}
	c.joined = append(out, b.out[from:]...)
	return c.joined
}

// checkRoom leaves for a label where the frame does not fit.
func (b *body) checkRoom(out []byte, label int) []byte {
	out = appendU32(append(out, opGlobalGet), b.code.stack)
	out = appendSigned(append(out, opI32Const), int64(b.calls.frame))
	return appendU32(append(out, opI32LtS, opBrIf), uint32(label))
}

// moveRoom takes the frame of the room or gives it back.
func (b *body) moveRoom(out []byte, op byte) []byte {
	out = appendU32(append(out, opGlobalGet), b.code.stack)
	out = appendSigned(append(out, opI32Const), int64(b.calls.frame))
	return appendU32(append(out, op, opGlobalSet), b.code.stack)
}

// stackEntry is what stands at the very beginning of a function: the label that checks leave for, and the check of a
// function that calls for sure, or whose frame is large. Nothing has happened yet: a replica's engine checks before
// the first operator too.
func (b *body) stackEntry() []byte {
	if b.meter.off {
		return nil
	}
	out := []byte{opBlock, blockEmpty}
	if b.calls.entry {
		return b.moveRoom(b.checkRoom(out, 0), opI32Sub)
	}
	if b.calls.frame+b.calls.need > maxUncheckedStack {
		return b.checkRoom(out, 0)
	}
	return out
}
