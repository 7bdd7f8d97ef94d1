package rewrite

import "slices"

// callStack is the state of the stack metering of a function body.
type callStack struct {
	frameUse
	regions []stackRegion
	body    stackRegion // the whole body, from its end on
	calls   []stackCall
	leaves  []stackLeave
	splices []splice
}

// frameUse is what a body needs of the call stack.
type frameUse struct {
	need  uint32 // maximum bytes of the callees that do not check
	frame uint32 // bytes, known at the end of the body
	units int64  // of the counter: what the frame adds to it

	branched  bool // the function may have taken one of several paths
	unbounded bool // it calls functions that may check
	entry     bool // one of the calls follows the entry without a branch: the frame is taken at the entry
	check     int  // place of the comparison at the entry
}

// stackRegion is a part of a body in which its frame is taken: from a place outside all loops to the end of the
// construct around it. All calls are in regions.
type stackRegion struct {
	depth, label int   // of the construct
	from, to     place // to.at is 0 for an open one
	returns      bool  // its end is reached
	calls        span
	leaves       span
}

type span struct{ from, to int }

// place is a place in the output, with the state of the mirror there.
type place struct {
	at     int
	mirror mirrorState
}

// here returns the end of the output so far.
func (b *body) here() place { return place{len(b.out), b.meter.state} }

// stackCall is a call of a function that may check.
type stackCall struct {
	at, next place
	labels   int
}

// stackLeave is an operator that branches to labels from shallow to deep; 0 leaves the function.
type stackLeave struct {
	at, next      place
	op            byte
	shallow, deep int
}

// splice is code that is inserted when the body is written.
type splice struct {
	place
	kind   spliceKind
	labels int // open ones
}

type spliceKind uint8

const (
	takeFrame   spliceKind = iota // with a check
	retakeFrame                   // without
	giveFrame
	joinRoom // the comparison at the entry also checks the room
)

const (
	// unboundedStack is the need of a function that checks itself or is being written.
	unboundedStack = 1<<32 - 1
	// fullLabel is the label to which the checks of regions branch, and functionLabels are the labels around a
	// function's own code, without [body.probeLabels].
	fullLabel      = 2
	functionLabels = 3
	// maxRegions is the maximum number of regions of a function. A higher limit makes paths without calls faster and
	// compiling slower.
	maxRegions = 4
)

func (s *callStack) reset() {
	s.frameUse = frameUse{}
	s.regions, s.calls, s.leaves, s.splices = s.regions[:0], s.calls[:0], s.leaves[:0], s.splices[:0]
}

// bounded reports whether a callee is known to need little of the stack, and counts its need.
func (b *body) bounded(function uint32, tail bool) bool {
	callee := int(function) - b.s.importedFunctions
	if callee < 0 {
		return true // the host has its own stack
	}
	if tail {
		return false
	}
	need := b.code.stackNeed(callee)
	if need == unboundedStack {
		return false
	}
	b.calls.need = max(b.calls.need, need)
	return true
}

// meterCall records the call written at a place, of a function that may check. The callee of a tail call takes the room
// of its caller.
func (b *body) meterCall(at place, tail bool) {
	c := &b.calls
	c.unbounded = true
	if tail {
		b.leaves(at, opReturnCall, 0, 0)
		return
	}
	c.calls = append(c.calls, stackCall{at, place{len(b.out), mirrorStale}, b.labels})
	switch n := len(c.regions); {
	case n > 0 && c.regions[n-1].to.at == 0:
	case !c.branched:
		c.entry = true
		b.openRegion(0, place{})
	default:
		depth := len(b.frames) - 1
		for i := range b.frames {
			if b.frames[i].op == opLoop {
				depth, at = i-1, place{b.frames[i].begin, b.frames[i].mirror}
				break
			}
		}
		b.openRegion(depth, at)
	}
}

// openRegion begins a region at a place in a construct, for the last recorded call.
func (b *body) openRegion(depth int, from place) {
	c := &b.calls
	leave := len(c.leaves)
	for leave > 0 && c.leaves[leave-1].at.at >= from.at {
		leave--
	}
	c.regions = append(c.regions, stackRegion{
		depth: depth, label: b.frames[depth].label, from: from, calls: span{from: len(c.calls) - 1}, leaves: span{from: leave},
	})
}

// leaves records the operator written at a place that branches to labels from shallow to deep.
func (b *body) leaves(at place, op byte, shallow, deep int) {
	if b.live {
		b.calls.branched = true
		b.calls.leaves = append(b.calls.leaves, stackLeave{at, b.here(), op, shallow, deep})
	}
}

// endRegion is called before an `end` or `else` is written.
func (b *body) endRegion() {
	c := &b.calls
	if len(b.frames) == 1 {
		c.body = stackRegion{
			label: b.frames[0].label, to: b.here(), returns: b.live, calls: span{0, len(c.calls)}, leaves: span{0, len(c.leaves)},
		}
	}
	if n := len(c.regions); n > 0 {
		if r := &c.regions[n-1]; r.to.at == 0 && r.depth == len(b.frames)-1 {
			r.to, r.returns = b.here(), b.live
			r.calls.to, r.leaves.to = len(c.calls), len(c.leaves)
		}
	}
}

// placeStackChecks decides where the function takes its frame. Like the frame, this is known at the end of the body.
func (b *body) placeStackChecks() {
	c := &b.calls
	c.frame = min(b.engineFrame.size(b.locals), maxFrame)
	c.units = int64(c.frame / stackUnit)
	need := c.frame + c.need
	if c.unbounded || need > maxUncheckedStack {
		need = unboundedStack
	}
	b.code.stackNeeds[b.place] = need
	b.code.frames[b.place] = c.frame
	if len(c.regions) > maxRegions && b.joinRegions() {
		return
	}
	for i := range c.regions {
		r := &c.regions[i]
		before := len(c.splices)
		if b.placeRegion(r) {
			continue
		}
		// A br_table both leaves the region and stays in it: each call gets its own region.
		c.entry, c.splices = false, c.splices[:before]
		for _, call := range c.calls[r.calls.from:r.calls.to] {
			c.splices = append(c.splices, splice{call.at, takeFrame, call.labels}, splice{call.next, giveFrame, 0})
		}
	}
	if c.entry {
		b.takeAtEntry()
	}
}

// joinRegions makes a function with many regions take its frame at its entry, which is less code to compile. It reports
// whether this is possible.
func (b *body) joinRegions() bool {
	c := &b.calls
	if c.entry = true; !b.placeRegion(&c.body) {
		c.entry, c.splices = false, c.splices[:0]
		return false
	}
	b.takeAtEntry()
	return true
}

// takeAtEntry makes the charge and the check at the entry include the frame.
func (b *body) takeAtEntry() {
	m := &b.meter
	m.entry -= uint64(b.calls.units)
	putCharge(b.out[m.entryPatch:], m.entry)
	b.calls.splices = slices.Insert(b.calls.splices, 0, splice{place{at: b.calls.check}, joinRoom, 0})
}

// closeStackChecks writes the code to which the checks of regions branch. It does not use the dispatcher's call: that
// needs the original parameters, and a path to it from the middle of the body would make the compiler keep them.
func (b *body) closeStackChecks() {
	b.out = append(b.out, opReturn, opEnd)
	if len(b.calls.regions) > 0 && !b.calls.entry {
		b.opIndex(opCall, b.code.outOfInstructions)
	}
	b.op(opUnreachable)
}

// placeRegion takes the frame at the beginning of the region, and gives it back at each exit.
func (b *body) placeRegion(r *stackRegion) bool {
	c := &b.calls
	if !c.entry {
		c.splices = append(c.splices, splice{r.from, takeFrame, max(r.label, functionLabels+b.probeLabels())})
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

// splice appends the body, joined with the code for its calls.
func (b *body) splice(out []byte) []byte {
	from, moved := 0, 0
	for _, s := range b.calls.splices {
		moved = b.moveMarks(moved, from, s.at, len(out))
		out = append(out, b.out[from:s.at]...)
		from = s.at
		switch s.kind {
		case takeFrame:
			out = b.takeRoom(out, s.mirror, uint32(s.labels-fullLabel-b.probeLabels()))
		case retakeFrame:
			out = b.moveRoom(out, s.mirror, opI64Add)
		case giveFrame:
			out = b.moveRoom(out, s.mirror, opI64Sub)
		case joinRoom:
			out = appendSigned(append(out, opI64Const), exhausted)
			out = append(out, opI64And, opI64Const, 0, opI64Ne)
			from += len(belowZero)
		}
	}
	b.moveMarks(moved, from, len(b.out)+1, len(out))
	return append(out, b.out[from:]...)
}

// takeRoom takes the frame, and branches to a label if the call stack is full. The counter is then right.
func (b *body) takeRoom(out []byte, mirror mirrorState, label uint32) []byte {
	if mirror == mirrorAhead {
		mirror = mirrorEven // both are right afterwards
	}
	out = b.moveRoom(out, mirror, opI64Add)
	out = appendU32(append(out, opGlobalGet), b.code.counter)
	return appendU32(append(appendIsFull(out), opBrIf), label)
}

// appendIsFull appends the condition that a counter has a full call stack.
func appendIsFull(out []byte) []byte {
	out = appendSigned(append(out, opI64Const), stackFull)
	return append(out, opI64And, opI64Const, 0, opI64Ne)
}

// moveRoom adds the frame to the counter or subtracts it, given the state of the mirror.
func (b *body) moveRoom(out []byte, mirror mirrorState, op byte) []byte {
	if mirror == mirrorStale {
		out = appendU32(append(out, opGlobalGet), b.code.counter)
	} else {
		out = appendU32(append(out, opLocalGet), b.meter.mirror)
	}
	out = append(appendSigned(append(out, opI64Const), b.calls.units), op)
	switch mirror {
	case mirrorAhead:
		return appendU32(append(out, opLocalSet), b.meter.mirror)
	case mirrorEven:
		out = appendU32(append(out, opLocalTee), b.meter.mirror)
	}
	return appendU32(append(out, opGlobalSet), b.code.counter)
}

// stackEntry appends the very beginning of a function: the label to which the checks of regions branch, and the check
// of a large frame if the function calls only functions without checks. Nothing has happened yet: a replica's engine
// also checks before the first operator.
func (b *body) stackEntry(out []byte) []byte {
	if b.meter.off {
		return out
	}
	out = append(out, opBlock, blockEmpty)
	if c := &b.calls; !c.entry && c.frame+c.need > maxUncheckedStack {
		out = appendU32(append(out, opGlobalGet), b.code.counter)
		out = append(appendSigned(append(out, opI64Const), c.units), opI64Add)
		out = append(appendIsFull(out), opIf, blockEmpty)
		out = appendU32(append(out, opGlobalGet), b.code.counter)
		out = append(appendSigned(append(out, opI64Const), stackFull), opI64Or)
		out = appendU32(append(out, opGlobalSet), b.code.counter)
		out = appendU32(append(out, opCall), b.code.outOfInstructions)
		out = append(out, opUnreachable, opEnd)
	}
	return out
}
