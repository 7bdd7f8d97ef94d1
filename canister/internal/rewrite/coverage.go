package rewrite

// In a module for coverage, a bit of a global remembers that a block ran. The bits need not be kept with the state of a
// canister, since setting one twice changes nothing.
//
//	charge of the block
//	global |= bit
//
// There is no branch and no call: the host looks at the bits after a message (BlocksRan). Blocks that follow each other
// have their bits in different globals, so that a mark does not wait for the one before it.
//
// Blocks share a bit if whatever runs the first of them runs the others, unless it traps: the head of a loop, and what
// follows a construct that no branch leaves, share the bit of the block before the construct.
type coverage struct {
	firstGlobal uint32
	marks       int     // bits
	blocks      []Block // in the order in which they were written
}

// In a group of globals, the bits of blocks go round. A global has bits for 64 blocks.
const (
	groupGlobals = 8
	groupMarks   = groupGlobals * 64
)

// globals returns how many globals the marks need.
func (c *coverage) globals() int { return (c.marks + groupMarks - 1) / groupMarks * groupGlobals }

// bitOf returns the place of a mark's bit among those of all globals.
func bitOf(mark int) uint32 {
	group, in := mark/groupMarks, mark%groupMarks
	return uint32((group*groupGlobals+in%groupGlobals)*64 + in/groupGlobals)
}

// noMark is for a block whose mark is not known yet, or that gets one of its own.
const noMark = -1

// markBlock marks the current block, whose charge was just written or is about to be.
func (b *body) markBlock() {
	if !b.s.options.Coverage {
		return
	}
	c, m := &b.code.coverage, &b.meter
	own := m.coverMark == noMark || b.s.options.ownMarks
	if own {
		m.coverMark = c.marks
		c.marks++
	}
	bit := bitOf(m.coverMark)
	m.block = len(c.blocks)
	c.blocks = append(c.blocks, Block{Function: uint32(b.s.importedFunctions + b.place), From: uint32(m.from), Bit: bit})
	if !own {
		return
	}
	global := c.firstGlobal + bit/64
	b.opIndex(opGlobalGet, global)
	b.out = appendSigned(append(b.out, opI64Const), int64(1)<<(bit%64))
	b.op(opI64Or)
	b.opIndex(opGlobalSet, global)
}

// leavesTo records that a branch goes from the innermost construct to the label of one at a depth, or a return to 0.
func (b *body) leavesTo(depth int) { b.top.outermost = min(b.top.outermost, depth) }

// endBlockOf closes the block at the end of a construct. The next one has the mark of the block before the construct if
// that one leads there on every way.
func (b *body) endBlockOf(f *frame) {
	b.endBlock()
	if f.outermost >= f.depth {
		b.meter.coverMark = f.coverMark
	}
	if f.depth > 0 {
		outer := &b.frames[f.depth-1]
		outer.outermost = min(outer.outermost, f.outermost)
	}
}

// countRan is the function () -> i64 that counts the bits of all blocks that ran. It has no calls, after each of which
// the engine would load all globals again.
type countRan struct{}

func (countRan) signature() funcType { return funcType{results: "I"} }
func (countRan) name() string        { return CountRan }

func (countRan) body(c *codeWriter) []byte {
	out := []byte{0, opI64Const, 0}
	for i := range c.coverage.globals() {
		out = appendU32(append(out, opGlobalGet), c.coverage.firstGlobal+uint32(i))
		out = append(out, opI64Popcnt, opI64Add)
	}
	return append(out, opEnd)
}

// RanGlobal returns the export name of the global, of Module.RanGlobals, that has the bits [64 i, 64 i + 64).
func RanGlobal(i int) string { return ranPrefix + decimal(uint64(i)) }
