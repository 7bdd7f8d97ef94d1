package rewrite

// mirrorState relates a function's mirror of the counter to the counter.
type mirrorState uint8

const (
	mirrorEven  mirrorState = iota // they are equal
	mirrorAhead                    // the mirror is right, the counter may be too high
	mirrorStale                    // the counter is right, the mirror may be any older value
)

// observes says which operators may trap or call, so that the counter may be read. Operators that leave the function
// settle the counter themselves.
var observes = func() (table [256]bool) {
	for op := range table {
		table[op] = mayTrapOrCall(byte(op))
	}
	return table
}()

func mayTrapOrCall(op byte) bool {
	switch {
	case op == opUnreachable, op >= opCall && op <= opReturnCallIndirect, op == opTableGet, op == opTableSet,
		op >= firstMemoryOp && op < opMemorySize, op == opMemoryGrow,
		op >= 0x6d && op <= 0x70, op >= 0x7f && op <= 0x82, // div and rem
		op >= 0xa8 && op <= 0xab, op >= 0xae && op <= 0xb1, // trunc
		op == opMisc, op == opVector:
		return true
	}
	return false
}
