package wat

// instructions reads flat and folded instructions up to a closing parenthesis,
// "end" or "else", and appends them to a.code.
func (a *assembler) instructions() {
	for {
		switch a.kind() {
		case Open:
			a.folded()
		case Atom:
			word := a.word()
			if word == "end" || word == "else" {
				return
			}
			a.flat()
		case Close:
			return
		default:
			a.unexpected("an instruction")
		}
	}
}

func (a *assembler) nest() {
	if a.nesting++; a.nesting > maxNesting {
		fail(a.token().Start, "nested deeper than %d", maxNesting)
	}
}

func (a *assembler) operator() (operator, string) {
	at := a.token().Start
	word := a.take(Atom, "an instruction")
	op, ok := operators()[word]
	if !ok {
		fail(at, "unknown operator %s", word)
	}
	return op, word
}

func (a *assembler) flat() {
	op, word := a.operator()
	if op.immediate != immBlock {
		a.plain(op)
		return
	}
	a.nest()
	label := a.label()
	catches := a.blockHead(op, word)
	a.open(label, catches)
	a.instructions()
	if word == "if" && a.keyword("else") {
		a.sameLabel(label)
		a.code = append(a.code, 0x05)
		a.instructions()
	}
	if !a.keyword("end") {
		a.unexpected("end of " + word)
	}
	a.sameLabel(label)
	a.shut()
	a.nesting--
}

// label passes the optional label of a block, without its dollar.
func (a *assembler) label() string {
	if a.kind() == Name {
		return a.name()
	}
	return ""
}

func (a *assembler) sameLabel(label string) {
	at := a.token().Start
	if a.kind() == Name && a.name() != label {
		fail(at, "mismatching label: the block's is $%s", label)
	}
}

func (a *assembler) open(label string, catches []byte) {
	a.code = append(a.code, catches...)
	a.labels = append(a.labels, label)
}

// shut ends the innermost block.
func (a *assembler) shut() {
	a.labels = a.labels[:len(a.labels)-1]
	a.code = append(a.code, 0x0b)
}

// blockHead emits operator and block type; the catch clauses of a try_table
// are returned, because they see the labels outside.
func (a *assembler) blockHead(op operator, word string) (catches []byte) {
	a.code = append(a.code, byte(op.code))
	a.blockType()
	if word == "try_table" {
		return a.catches()
	}
	return nil
}

// blockType prefers the short forms: nothing, or one result.
func (a *assembler) blockType() {
	if a.form("type") {
		a.code = appendSigned(a.code, int64(a.typeUse(nil)))
		return
	}
	encoded, params := a.signature(nil)
	switch {
	case params == 0 && encoded[2] == 0:
		a.code = append(a.code, 0x40)
	case params == 0 && encoded[2] == 1:
		a.code = append(a.code, encoded[3:]...)
	default:
		a.code = appendSigned(a.code, int64(a.implicitType(encoded, params)))
	}
}

func (a *assembler) catches() []byte {
	count, out := uint64(0), []byte(nil)
	for ; ; count++ {
		switch {
		case a.enter("catch"):
			out = appendUnsigned(append(out, 0), uint64(a.index(&a.spaces[spaceTag])))
		case a.enter("catch_ref"):
			out = appendUnsigned(append(out, 1), uint64(a.index(&a.spaces[spaceTag])))
		case a.enter("catch_all"):
			out = append(out, 2)
		case a.enter("catch_all_ref"):
			out = append(out, 3)
		default:
			return append(appendUnsigned(nil, count), out...)
		}
		out = appendUnsigned(out, uint64(a.labelIndex()))
		a.close()
	}
}

// folded is "(operator immediates operand*)", or a block in parentheses.
func (a *assembler) folded() {
	a.nest()
	a.take(Open, "an instruction")
	op, word := a.operator()
	switch {
	case word == "if":
		a.foldedIf(op)
	case op.immediate == immBlock:
		label := a.label()
		a.open(label, a.blockHead(op, word))
		a.instructions()
		a.shut()
	default:
		a.foldedPlain(op)
	}
	a.close()
	a.nesting--
}

func (a *assembler) foldedPlain(op operator) {
	n := len(a.code)
	a.plain(op)
	if a.kind() == Close {
		return
	}
	var short [32]byte
	head := append(short[:0], a.code[n:]...)
	a.code = a.code[:n]
	for a.kind() == Open {
		a.folded()
	}
	a.code = append(a.code, head...)
}

// foldedIf is "(if label? type operand* (then …) (else …)?)". The condition
// comes before the block in the binary and does not see its label.
func (a *assembler) foldedIf(op operator) {
	n := len(a.code)
	label := a.label()
	a.blockHead(op, "if")
	head := append([]byte(nil), a.code[n:]...)
	a.code = a.code[:n]
	for a.kind() == Open && !a.form("then") {
		a.folded()
	}
	a.open(label, head)
	if !a.enter("then") {
		a.unexpected("(then")
	}
	a.instructions()
	a.close()
	if a.enter("else") {
		a.code = append(a.code, 0x05)
		a.instructions()
		a.close()
	}
	a.shut()
}

func (a *assembler) labelIndex() uint32 {
	if a.kind() != Name {
		return uint32(a.number(parseUnsigned, 32, "label index"))
	}
	at := a.token().Start
	name := a.name()
	for i := len(a.labels) - 1; i >= 0; i-- {
		if a.labels[i] == name {
			return uint32(len(a.labels) - 1 - i)
		}
	}
	fail(at, "unknown label $%s", name)
	return 0
}
