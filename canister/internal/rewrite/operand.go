package rewrite

// constantOperand is the local of a constant operand: an operation encodes it directly, so no register has to keep it.
const constantOperand = -2

// constant handles an operator that pushes a constant.
func (b *body) constant(t valueType) {
	b.begin(costDefault, 1)
	b.stack = append(b.stack, operand{operandKind: operandKind{typ: t}, local: constantOperand, from: b.engineFrame.calls})
	b.copy()
}

// keepConstants turns n constants below the topmost operands into values: an argument of a call is in a register during
// the calls that compute its other arguments.
func (b *body) keepConstants(topmost, n int) {
	end := max(len(b.stack)-topmost, 0)
	for i := max(end-n, 0); i < end; i++ {
		if v := &b.stack[i]; v.local == constantOperand {
			v.local = -1
		}
	}
}

// consume records the calls across which a taken operand was needed.
func (b *body) consume(v operand) {
	switch {
	case v.from == b.engineFrame.calls || v.local == constantOperand:
	case v.local >= 0 && b.locals[v.local].version == v.version:
		b.engineFrame.values[v.local].end = b.engineFrame.calls
	default:
		b.engineFrame.keep(v.typ, v.from, b.engineFrame.calls)
	}
}
