package wat

// field assembles one module field; types are done already.
func (a *assembler) field() {
	at := a.token().Start
	if a.kind() == Annotation {
		a.customField()
		return
	}
	keyword := a.head(a.at)
	if keyword == "type" || keyword == "rec" {
		a.skip()
		return
	}
	a.at += 2
	switch keyword {
	case "import":
		a.importField(at)
	case "func":
		a.function(at)
	case "table":
		a.table(at)
	case "memory":
		a.memory(at)
	case "global":
		a.global(at)
	case "tag":
		a.tag(at)
	case "export":
		name := a.utf8()
		kind := a.externalKind()
		a.export(name, kind, a.index(&a.spaces[spaceOfKind[kind]]))
		a.close()
	case "start":
		a.start(at)
	case "elem":
		a.elem()
	case "data":
		a.data()
	default:
		a.at -= 2
		fail(at, "unexpected token: (%s is no module field", a.head(a.at))
	}
	a.close()
}

// Kinds of imports and exports (specification, "Indices", externidx).
const (
	kindFunction = iota
	kindTable
	kindMemory
	kindGlobal
	kindTag
)

var spaceOfKind = [...]int{spaceFunction, spaceTable, spaceMemory, spaceGlobal, spaceTag}

func (a *assembler) externalKind() byte {
	for kind, keyword := range []string{"func", "table", "memory", "global", "tag"} {
		if a.enter(keyword) {
			return byte(kind)
		}
	}
	a.unexpected("(func, (table, (memory, (global or (tag")
	return 0
}

func (a *assembler) export(name string, kind byte, index uint32) {
	s := &a.sections[secExport]
	s.count++
	s.body = appendUnsigned(append(appendString(s.body, name), kind), uint64(index))
}

// header passes the name and the inline exports of a definition, and its
// inline import if it is one.
func (a *assembler) header(at int, kind byte) (imported bool) {
	a.maybeName()
	index := a.allot(spaceOfKind[kind])
	for a.enter("export") {
		a.export(a.utf8(), kind, index)
		a.close()
	}
	if a.enter("import") {
		module, name := a.utf8(), a.utf8()
		a.close()
		a.beginImport(at, module, name, kind)
		return true
	}
	a.defined = true
	return false
}

func (a *assembler) importField(at int) {
	module, name := a.utf8(), a.utf8()
	kind := a.externalKind()
	a.maybeName()
	a.allot(spaceOfKind[kind])
	a.beginImport(at, module, name, kind)
	a.importType(kind)
	a.close()
}

func (a *assembler) beginImport(at int, module, name string, kind byte) {
	if a.defined {
		fail(at, "import after a definition: imports come first")
	}
	s := &a.sections[secImport]
	s.count++
	s.body = append(appendString(appendString(s.body, module), name), kind)
}

func (a *assembler) importType(kind byte) {
	s := &a.sections[secImport]
	switch kind {
	case kindFunction:
		ignored := space{noun: "parameter"}
		s.body = appendUnsigned(s.body, uint64(a.typeUse(&ignored)))
	case kindTable:
		l := a.limits()
		s.body = l.encode(a.referenceType(s.body))
	case kindMemory:
		s.body = a.limits().encode(s.body)
	case kindGlobal:
		s.body = a.globalType(s.body)
	case kindTag:
		ignored := space{noun: "parameter"}
		s.body = appendUnsigned(append(s.body, 0), uint64(a.typeUse(&ignored)))
	}
}

func (a *assembler) globalType(out []byte) []byte {
	if a.enter("mut") {
		out = a.valueType(out)
		a.close()
		return append(out, 1)
	}
	return append(a.valueType(out), 0)
}

func (a *assembler) global(at int) {
	if a.header(at, kindGlobal) {
		a.importType(kindGlobal)
		return
	}
	s := &a.sections[secGlobal]
	s.count++
	s.body = a.globalType(s.body)
	s.body = append(s.body, a.expression()...)
}

func (a *assembler) tag(at int) {
	if a.header(at, kindTag) {
		a.importType(kindTag)
		return
	}
	ignored := space{noun: "parameter"}
	s := &a.sections[secTag]
	s.count++
	s.body = appendUnsigned(append(s.body, 0), uint64(a.typeUse(&ignored)))
}

func (a *assembler) memory(at int) {
	if a.header(at, kindMemory) {
		a.importType(kindMemory)
		return
	}
	index := a.next[spaceMemory] - 1
	s := &a.sections[secMemory]
	s.count++
	mark := a.at
	wide := a.addressType()
	if !a.enter("data") {
		a.at = mark
		s.body = a.limits().encode(s.body)
		return
	}
	content := a.strings()
	a.close()
	pages := (uint64(len(content)) + pageSize - 1) / pageSize
	s.body = limits{wide: wide, bounded: true, min: pages, max: pages}.encode(s.body)
	a.addData(&index, zeroOffset(wide), content)
}

func zeroOffset(wide bool) []byte {
	if wide {
		return []byte{0x42, 0, 0x0b}
	}
	return []byte{0x41, 0, 0x0b}
}

func (a *assembler) start(at int) {
	s := &a.sections[secStart]
	if s.count++; s.count > 1 {
		fail(at, "multiple start sections")
	}
	s.body = appendUnsigned(s.body, uint64(a.index(&a.spaces[spaceFunction])))
}

// function assembles "(func …)".
func (a *assembler) function(at int) {
	if a.header(at, kindFunction) {
		a.importType(kindFunction)
		return
	}
	a.locals = space{noun: "local"}
	typ := a.typeUse(&a.locals)
	s := &a.sections[secFunction]
	s.count++
	s.body = appendUnsigned(s.body, uint64(typ))

	runs := a.localDeclarations()
	a.code, a.labels = a.code[:0], a.labels[:0]
	a.instructions()
	a.code = append(a.code, 0x0b)
	s = &a.sections[secCode]
	s.count++
	s.body = appendUnsigned(s.body, uint64(len(runs)+len(a.code)))
	s.body = append(append(s.body, runs...), a.code...)
}

// localDeclarations encodes "(local …)*" as runs of equal types.
func (a *assembler) localDeclarations() []byte {
	var runs, last, typ []byte
	count, length := uint64(0), uint64(0)
	flush := func() {
		if length > 0 {
			runs = append(appendUnsigned(runs, length), last...)
			count++
		}
	}
	add := func(name string, at int) {
		a.locals.bind(name, at)
		typ = a.valueType(typ[:0])
		if string(typ) != string(last) {
			flush()
			last, length = append(last[:0], typ...), 0
		}
		length++
	}
	for a.enter("local") {
		if a.kind() == Name {
			at := a.token().Start
			add(a.name(), at)
		} else {
			for a.kind() != Close {
				add("", 0)
			}
		}
		a.close()
	}
	flush()
	return append(appendUnsigned(nil, count), runs...)
}
