package rewrite

import (
	"math/bits"
	"slices"
)

// compileEstimate predicts how long the compiler takes for a function, while its body is walked. The compiler
// transforms a body into static single assignment form, with a phi (a parameter of a block) for each local that has
// several definitions there, and works on blocks, phis and the values that are live in each block. The time for each of
// these is at worst a product of two or three counts, so a body of some kilobytes can take hours. The estimate follows
// the same construction, in time linear in the body and the phis: it knows the construct that defines a local, the
// joins between a definition and its use, and the loops between a use and its definition.
//
// It depends only on the bytes of the body, so that a module is accepted everywhere or nowhere.
type compileEstimate struct {
	constructs []construct
	loops      []int32 // open ones, outermost first
	locals     []localUse
	compileCounts
}

// compileCounts are the counts of the estimate.
type compileCounts struct {
	deepest int  // nesting depth of loops
	over    bool // counting has stopped: the function is above its limit

	// The current block.
	block  uint32 // ordinal
	chain  uint32 // blocks before it, back to one with several predecessors
	depth  uint32 // in the tree of dominators
	bounds uint32 // addresses known to be within the memory

	// The sums. An operator is counted with its operands if they can be many.
	operands   uint64
	joined     uint64 // edges to all joins so far
	joins      uint64 // squares of the edges to each join
	steps      uint64 // blocks passed from a use back to its definition
	crossings  uint64 // edges to joins passed on the way
	live       uint64 // values live at the beginning of each block
	dominators uint64 // depth of each edge
	known      uint64 // bounds known at the beginning of each block
}

// construct is a control construct of the body, kept until the end of the function.
type construct struct {
	parent int32
	nested int32 // loops around it, including itself
	loop   bool
	closed bool

	edges uint32   // to its end; of loops, back to their heads
	phis  uint32   // at its end; of loops, at their heads
	uses  []uint32 // locals of the phis of a loop

	chain, depth, bounds       uint32 // after its end, by the edges so far
	ifChain, ifDepth, ifBounds uint32 // at its beginning
}

// localUse records the last definition and use of a local.
type localUse struct {
	construct int32  // innermost one with a definition or phi of it
	defined   uint32 // block of its last definition or phi
	last      uint32 // block of its last definition or use
	joined    uint64 // compileEstimate.joined at that time
}

func (e *compileEstimate) reset(locals int) {
	e.constructs = append(e.constructs[:0], construct{parent: -1, depth: farthest, bounds: farthest})
	e.loops = e.loops[:0]
	e.locals = slices.Grow(e.locals[:0], locals)[:locals]
	clear(e.locals)
	e.compileCounts = compileCounts{block: 1, operands: uint64(locals) / localsPerOperand}
}

// nanoseconds returns the time to compile the walked function, given its number of operators, with one processor.
func (e *compileEstimate) nanoseconds(operators int) uint64 {
	if e.over {
		return maxCompileTime + 1
	}
	var phis uint64
	for i := range e.constructs {
		c := &e.constructs[i]
		phis += uint64(c.phis) * uint64(c.phis) * uint64(c.edges+1)
	}
	return operatorTime*uint64(operators) + operandTime*e.operands + blockTime*uint64(e.block) + stepTime*e.steps + crossingTime*e.crossings +
		liveTime*e.live + dominatorTime*e.dominators + boundTime*e.known + e.joins/joinsPerNanosecond + saturatedProduct(phiTime*phis, uint64(2+e.deepest))
}

func saturatedProduct(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 || low > 1<<62 {
		return 1 << 62
	}
	return low
}

// use counts a use of a local in the current construct.
func (e *compileEstimate) use(i uint32, at int32) {
	l := &e.locals[i]
	if l.defined != e.block {
		e.steps += uint64(e.chain)
	}
	if l.construct != at {
		e.join(l, -1)
		for _, loop := range e.loops[e.constructs[l.construct].nested:] {
			c := &e.constructs[loop]
			c.phis++
			c.uses = append(c.uses, i)
			l.construct, l.defined = loop, e.block
			e.operands++
		}
		e.stop()
	}
	e.extend(l)
}

// define counts an assignment.
func (e *compileEstimate) define(i uint32, at int32) {
	e.locals[i] = localUse{construct: at, defined: e.block, last: e.block, joined: e.joined}
}

// extend keeps a local live up to the current block.
func (e *compileEstimate) extend(l *localUse) {
	e.live += uint64(e.block - l.last)
	e.crossings += e.joined - l.joined
	l.last, l.joined = e.block, e.joined
}

// join adds phis for a local at the ends of the closed constructs around its definition, up to the given one. The first
// open construct becomes its place.
func (e *compileEstimate) join(l *localUse, until int32) {
	at := l.construct
	for at != until && e.constructs[at].closed {
		c := &e.constructs[at]
		if c.joins() {
			c.phis++
			e.operands += uint64(c.edges)
		} else if parent := &e.constructs[c.parent]; parent.closed && !parent.joins() && c.parent != until {
			c.parent = parent.parent // the next walk along this path is faster
		}
		at = c.parent
	}
	l.construct = at
}

// joins reports whether several edges meet at the end of a closed construct.
func (c *construct) joins() bool { return !c.loop && c.edges > 1 }

// stop ends the counting of a function whose operands alone exceed its limit, so that the rewriter does not take longer
// for a body than for others of its size.
func (e *compileEstimate) stop() {
	e.over = e.over || e.operands > maxCompileTime/operandTime
}
