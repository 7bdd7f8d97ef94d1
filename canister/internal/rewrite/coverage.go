package rewrite

// In a module for coverage, each block tells the host that it runs, but only once in an instance: a bit of a global
// remembers it. The bits need not be kept with the state of a canister, since telling twice changes nothing.
//
//	charge of the block
//	if (bit & global) == 0:  global |= bit;  call block_ran with the block's number
//
// The host function reads no counter, so the mirror stays as it is.
type coverage struct {
	ran         uint32 // function index in the rewritten module
	firstGlobal uint32
	blocks      []Block // in the order in which they were written
}

// blocksPerGlobal is how many blocks have their bits in one global.
const blocksPerGlobal = 64

// globals returns how many globals the blocks need.
func (c *coverage) globals() int {
	return (len(c.blocks) + blocksPerGlobal - 1) / blocksPerGlobal
}

// markBlock marks the current block, whose charge was just written.
func (b *body) markBlock() {
	if !b.s.options.Coverage {
		return
	}
	c := &b.code.coverage
	number := len(c.blocks)
	b.meter.block = number
	c.blocks = append(c.blocks, Block{Function: uint32(b.s.importedFunctions + b.place), From: uint32(b.meter.from)})
	global, bit := c.firstGlobal+uint32(number/blocksPerGlobal), int64(1)<<(number%blocksPerGlobal)
	b.opIndex(opGlobalGet, global)
	b.out = appendSigned(append(b.out, opI64Const), bit)
	b.out = append(b.out, opI64And, opI64Eqz, opIf, blockEmpty)
	b.opIndex(opGlobalGet, global)
	b.out = appendSigned(append(b.out, opI64Const), bit)
	b.op(opI64Or)
	b.opIndex(opGlobalSet, global)
	b.out = appendSigned(append(b.out, opI32Const), int64(number))
	b.opIndex(opCall, c.ran)
	b.op(opEnd)
}
