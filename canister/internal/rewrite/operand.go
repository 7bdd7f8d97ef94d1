package rewrite

// constantOperand is the place of an operand that is a constant: where one is an operand of an operation, no register
// has to keep it.
const constantOperand = -2

// constant treats an operator that pushes a constant.
func (b *body) constant(t valueType) {
	b.begin(costDefault, 1)
	b.stack = append(b.stack, operand{operandKind: operandKind{typ: t}, local: constantOperand, from: b.engineFrame.calls})
	b.copy()
}

// keepConstants makes values of n constants below the topmost operands: what a call takes is in a register while the
// calls run that make its other arguments.
func (b *body) keepConstants(topmost, n int) {
	end := max(len(b.stack)-topmost, 0)
	for i := max(end-n, 0); i < end; i++ {
		if v := &b.stack[i]; v.local == constantOperand {
			v.local = -1
		}
	}
}

// consume counts the calls over which an operand that is taken was needed.
func (b *body) consume(v operand) {
	switch {
	case v.from == b.engineFrame.calls || v.local == constantOperand:
	case v.local >= 0 && b.locals[v.local].version == v.version:
		b.engineFrame.values[v.local].end = b.engineFrame.calls
	default:
		b.engineFrame.keep(v.typ, v.from, b.engineFrame.calls)
	}
}
