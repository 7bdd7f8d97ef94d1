package wat

// segment is an element or data segment before encoding.
type segment struct {
	declared bool
	target   *uint32 // table or memory; nil is passive or declared
	offset   []byte
}

// target reads "(keyword x)? (offset …)" of an active segment, if there is one.
func (a *assembler) target(keyword string, in int) (s segment, explicit bool) {
	if explicit = a.enter(keyword); explicit {
		index := a.index(&a.spaces[in])
		a.close()
		s.target = &index
	}
	if a.kind() == Open && !a.form("item") && !a.form("ref") {
		s.offset = a.oneExpression("offset")
		if s.target == nil {
			s.target = new(uint32)
		}
	} else if explicit {
		a.unexpected("an offset")
	}
	return s, explicit
}

// oneExpression is "(keyword instr*)" or a single folded instruction.
func (a *assembler) oneExpression(keyword string) []byte {
	if a.enter(keyword) {
		e := a.expression()
		a.close()
		return e
	}
	a.beginExpression()
	a.folded()
	return append(a.code, 0x0b)
}

// expression reads instructions up to the closing parenthesis.
func (a *assembler) expression() []byte {
	a.beginExpression()
	a.instructions()
	return append(a.code, 0x0b)
}

func (a *assembler) beginExpression() {
	a.code, a.labels, a.locals = nil, a.labels[:0], space{noun: "local"}
}

func (a *assembler) data() {
	a.maybeName()
	s, _ := a.target("memory", spaceMemory)
	a.addData(s.target, s.offset, a.strings())
}

func (a *assembler) addData(memory *uint32, offset []byte, content string) {
	s := &a.sections[secData]
	s.count++
	switch {
	case memory == nil:
		s.body = append(s.body, 1)
	case *memory == 0:
		s.body = append(s.body, 0)
	default:
		s.body = appendUnsigned(append(s.body, 2), uint64(*memory))
	}
	s.body = appendString(append(s.body, offset...), content)
}

// items is the content of an element segment: function indices, or
// expressions of a reference type.
type items struct {
	typ     []byte // nil means function indices
	count   uint64
	encoded []byte
}

func (a *assembler) functionItems() (list items) {
	for ; a.isIndex(); list.count++ {
		list.encoded = appendUnsigned(list.encoded, uint64(a.index(&a.spaces[spaceFunction])))
	}
	return list
}

func (a *assembler) expressionItems(typ []byte) items {
	list := items{typ: typ}
	for ; a.kind() == Open; list.count++ {
		list.encoded = append(list.encoded, a.oneExpression("item")...)
	}
	return list
}

func (a *assembler) elem() {
	a.maybeName()
	var s segment
	explicit := false
	if s.declared = a.keyword("declare"); !s.declared {
		s, explicit = a.target("table", spaceTable)
	}
	switch {
	case a.keyword("func"):
		a.addElem(s, a.functionItems())
	case a.isReferenceType():
		a.addElem(s, a.expressionItems(a.referenceType(nil)))
	case s.target != nil && !explicit:
		a.addElem(s, a.functionItems())
	default:
		a.unexpected("func or a reference type")
	}
}

// addElem chooses among the eight forms of the binary format.
func (a *assembler) addElem(s segment, list items) {
	const passive, explicit, expressions = 1, 2, 4
	out := &a.sections[secElem]
	out.count++
	flags, kind := byte(0), []byte{0}
	if list.typ != nil {
		flags, kind = expressions, list.typ
	}
	plain := list.typ == nil || string(list.typ) == "\x70"
	switch {
	case s.target == nil && s.declared:
		flags |= passive | explicit
	case s.target == nil:
		flags |= passive
	case *s.target != 0 || !plain:
		flags |= explicit
	}
	out.body = append(out.body, flags)
	if s.target != nil && flags&explicit != 0 {
		out.body = appendUnsigned(out.body, uint64(*s.target))
	}
	out.body = append(out.body, s.offset...)
	if flags&(passive|explicit) != 0 {
		out.body = append(out.body, kind...)
	}
	out.body = append(appendUnsigned(out.body, list.count), list.encoded...)
}

// table assembles "(table …)" with its three bodies: limits and type, those
// with an initial value, or a type with an inline element segment.
func (a *assembler) table(at int) {
	if a.header(at, kindTable) {
		a.importType(kindTable)
		return
	}
	index := a.next[spaceTable] - 1
	s := &a.sections[secTable]
	s.count++
	mark := a.at
	wide := a.addressType()
	if a.isReferenceType() {
		a.inlineElem(index, wide)
		return
	}
	a.at = mark
	l := a.limits()
	typ := a.referenceType(nil)
	if a.kind() == Close {
		s.body = l.encode(append(s.body, typ...))
		return
	}
	s.body = l.encode(append(append(s.body, 0x40, 0), typ...))
	s.body = append(s.body, a.expression()...)
}

func (a *assembler) inlineElem(table uint32, wide bool) {
	typ := a.referenceType(nil)
	if !a.enter("elem") {
		a.unexpected("(elem")
	}
	var list items
	if a.kind() == Open {
		list = a.expressionItems(typ)
	} else {
		list = a.functionItems()
	}
	a.close()
	s := &a.sections[secTable]
	s.body = limits{wide: wide, bounded: true, min: list.count, max: list.count}.encode(append(s.body, typ...))
	a.addElem(segment{target: &table, offset: zeroOffset(wide)}, list)
}
