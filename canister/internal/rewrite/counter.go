package rewrite

// The counter combines two numbers that a function changes at its entry, so that one subtraction changes both and one
// store publishes both. From the highest bit down:
//
//	44 bits  instructions left in the slice, signed
//	 1 bit   set if the call stack is full
//	19 bits  bytes of the call stack in use, in units of 16, from emptyStack on
//
// A charge subtracts instructions << stackBits. A frame is added: the bit of a full stack is the carry.
const (
	stackBits = 20
	stackUnit = frameAlignment
	stackFull = 1 << (stackBits - 1)
	// emptyStack is the value from which frames of StackRoom bytes just do not carry.
	emptyStack = stackFull - 1 - StackRoom/stackUnit
	// maxFrame is a frame that fits no stack. A carry does not go beyond the bit of a full stack.
	maxFrame = StackRoom + stackUnit
	// exhausted are the bits of which at least one is set if a message cannot continue.
	exhausted = -1<<63 | stackFull
)

// MaxInstructions is the maximum number of instructions in the counter. Charges may leave as many below zero.
const MaxInstructions = 1 << (63 - stackBits - 1)

// NewCounter returns the counter of a new call: with these instructions and an empty call stack.
func NewCounter(instructions int64) uint64 {
	return uint64(instructions)<<stackBits | emptyStack
}

// Instructions returns the instructions left in the counter; a negative number is the excess of the charges.
func Instructions(counter uint64) int64 { return int64(counter) >> stackBits }

// SetInstructions returns the counter with other instructions and the same call stack.
func SetInstructions(counter uint64, instructions int64) uint64 {
	return uint64(instructions)<<stackBits | counter&(1<<stackBits-1)
}

// StackFull reports whether a function was called whose frame does not fit the call stack.
func StackFull(counter uint64) bool { return counter&stackFull != 0 }
