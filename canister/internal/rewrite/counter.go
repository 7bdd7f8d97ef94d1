package rewrite

// The counter is one number for two things that a function takes at its entry, so that one subtraction takes both and
// one store makes both known. From the highest bit down:
//
//	44 bits  instructions left in the slice, signed
//	 1 bit   set where the call stack is full
//	19 bits  bytes of the call stack in use, in units of 16, from emptyStack on
//
// A charge subtracts instructions << stackBits. A frame is added: the bit of a full stack is the carry.
const (
	stackBits = 20
	stackUnit = frameAlignment
	stackFull = 1 << (stackBits - 1)
	// emptyStack is where the frames of StackRoom bytes just do not carry.
	emptyStack = stackFull - 1 - StackRoom/stackUnit
	// maxFrame is a frame that fits no stack. A carry goes no further than the bit of a full stack.
	maxFrame = StackRoom + stackUnit
	// exhausted are the bits of which one is set where a message cannot go on.
	exhausted = -1<<63 | stackFull
)

// MaxInstructions is how many instructions the counter can be set to. Charges may leave as many below zero.
const MaxInstructions = 1 << (63 - stackBits - 1)

// NewCounter is the counter of a call that begins: with these instructions and an empty call stack.
func NewCounter(instructions int64) uint64 {
	return uint64(instructions)<<stackBits | emptyStack
}

// Instructions is what the counter has left; below zero is what was charged too much.
func Instructions(counter uint64) int64 { return int64(counter) >> stackBits }

// SetInstructions is the counter with other instructions and the call stack as it is.
func SetInstructions(counter uint64, instructions int64) uint64 {
	return uint64(instructions)<<stackBits | counter&(1<<stackBits-1)
}

// StackFull reports whether a function was called whose frame does not fit the call stack.
func StackFull(counter uint64) bool { return counter&stackFull != 0 }

// StackUsed is the number of bytes that the frames on the call stack have.
func StackUsed(counter uint64) uint32 {
	return (uint32(counter&(1<<stackBits-1)) - emptyStack) * stackUnit
}
