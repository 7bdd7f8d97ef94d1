package wasmfile

// Operators of constant expressions that calculate with integers of 32 bits. Shared libraries have them (extended constant
// expressions), and canisters cannot.
const (
	opI32Add      = 0x6a
	opI32Subtract = 0x6b
	opI32Multiply = 0x6c
)

// folded calculates a constant expression of integers of 32 bits. Others stay as they are.
func folded(expression []byte) []byte {
	var stack []int32
	for r := NewReader(expression); !r.Done(); {
		op := r.Byte()
		switch n := len(stack); {
		case op == OpI32Const:
			stack = append(stack, r.I32())
		case op >= opI32Add && op <= opI32Multiply && n >= 2:
			stack = append(stack[:n-2], calculated(op, stack[n-2], stack[n-1]))
		case op == OpEnd && n == 1:
			return append(AppendI32([]byte{OpI32Const}, stack[0]), OpEnd)
		default:
			return expression
		}
	}
	return expression
}

func calculated(op byte, a, b int32) int32 {
	switch op {
	case opI32Add:
		return a + b
	case opI32Subtract:
		return a - b
	default:
		return a * b
	}
}
