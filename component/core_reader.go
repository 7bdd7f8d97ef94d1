package component

import (
	"bytes"
	"math"
)

// coreType reads a definition of the core type section.
func (r *reader) coreType() any {
	if r.pos < r.end && r.data[r.pos] == 0x50 {
		r.pos++
		return moduleTypeDef{r.moduleDeclarations()}
	}
	if r.pos < r.end && r.data[r.pos] == 0 { // sub, which would be read as a module type otherwise
		r.pos++
		r.code("core type", 0x50)
		r.pos--
	}
	return coreTypeDef{r.recursiveTypes()}
}

func (r *reader) moduleDeclarations() []definition {
	var all []definition
	for range r.count(maxTypes, "declarations of a module type") {
		r.definition()
		d := definition{offset: r.pos}
		switch code := r.byte(); code {
		case 0:
			d.body = moduleImport{r.name(), r.name(), r.coreExtern()}
		case 1:
			d.body = coreTypeDef{r.recursiveTypes()}
		case 2:
			r.code("outer alias kind", byte(sortCoreType-coreSort))
			r.code("outer alias target", 1)
			d.body = outerAlias{sortCoreType, r.u32(), r.u32()}
		case 3:
			d.body = moduleExport{r.name(), r.coreExtern()}
		default:
			badCode(d.offset, code, "type definition")
		}
		all = append(all, d)
	}
	return all
}

// recursiveTypes reads a recursive type: one type, or a group of them.
func (r *reader) recursiveTypes() []any {
	if r.pos < r.end && r.data[r.pos] == 0x4e {
		r.pos++
		var group []any
		for range r.count(maxTypes, "types of a group") {
			group = append(group, r.subtype())
		}
		return group
	}
	return []any{r.subtype()}
}

func (r *reader) subtype() any {
	start := r.pos
	code := r.byte()
	if code == 0x50 || code == 0x4f {
		for range r.count(maxTypes, "supertypes") {
			r.u32()
		}
		start = r.pos
		code = r.byte()
	}
	switch code {
	case 0x60:
		return &coreFunc{r.coreValues("parameters"), r.coreValues("results")}
	case 0x5f:
		for range r.count(maxFields, "fields") {
			r.storage()
		}
	case 0x5e:
		r.storage()
	default:
		badCode(start, code, "core type")
	}
	return otherCoreType{}
}

// storage skips the type of a field.
func (r *reader) storage() {
	if r.pos < r.end && (r.data[r.pos] == 0x78 || r.data[r.pos] == 0x77) { // i8, i16
		r.pos++
	} else {
		r.coreValue()
	}
	r.flag()
}

func (r *reader) coreValues(what string) []coreValue {
	values := make([]coreValue, r.count(maxParameters, what))
	for i := range values {
		values[i] = r.coreValue()
	}
	return values
}

func (r *reader) coreValue() coreValue {
	start := r.pos
	switch code := r.byte(); {
	case code == 0x64 || code == 0x63: // a reference with a heap type
		r.s33()
	case code >= 0x7b && code <= 0x7f || code >= 0x69 && code <= 0x74:
	default:
		badCode(start, code, "value type")
	}
	return coreValue(r.data[start:r.pos])
}

func (r *reader) coreExtern() (e coreExternRef) {
	e.sort = r.coreSort("external kind")
	switch e.sort {
	case sortCoreFunc:
		e.index = r.u32()
	case sortCoreTable:
		e.value = r.coreValue()
		e.limits = r.limits()
	case sortCoreMemory:
		e.limits = r.limits()
	case sortCoreGlobal:
		e.value = r.coreValue()
		e.mutable = r.flag()
	case sortCoreTag:
		r.code("tag attribute", 0)
		e.index = r.u32()
	default:
		badCode(r.pos-1, byte(e.sort), "external kind")
	}
	return e
}

func (r *reader) limits() (l limits) {
	start := r.pos
	flags := r.byte()
	if flags > 7 {
		malformed(start, "invalid limits flags 0x%x", flags)
	}
	l.bounded, l.shared, l.wide = flags&1 != 0, flags&2 != 0, flags&4 != 0
	bits := uint(32)
	if l.wide {
		bits = 64
	}
	l.min = r.unsigned(bits)
	if l.bounded {
		l.max = r.unsigned(bits)
	}
	return l
}

// Sections of a core module in their order, by their codes.
var coreSectionOrder = []byte{1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11}

// coreSections splits a core module, without its custom sections.
func (r *reader) coreSections() map[byte]*reader {
	start := r.pos
	if preamble := r.bytes(8); !bytes.Equal(preamble, corePreamble) {
		if !bytes.Equal(preamble[:4], magic) {
			malformed(start, "magic header not detected: bad magic number")
		}
		malformed(start, "expected a version header for a module, found 0x%x", preamble[4:])
	}
	sections := map[byte]*reader{}
	last := -1
	for !r.done() {
		at := r.pos
		code := r.byte()
		body := r.within(r.u32())
		if code == 0 {
			continue
		}
		place := bytes.IndexByte(coreSectionOrder, code)
		if place < 0 {
			malformed(at, "malformed section id: %d", code)
		}
		if place <= last {
			malformed(at, "section out of order")
		}
		last = place
		sections[code] = body
	}
	return sections
}

// coreModuleReader collects what the exports of a core module refer to.
type coreModuleReader struct {
	types  []any
	items  map[sort][]coreExtern
	module *moduleType
}

// readCoreModule gives the type of a core module. The engine validates everything else.
func (r *reader) readCoreModule() *moduleType {
	m := &coreModuleReader{items: map[sort][]coreExtern{}, module: &moduleType{}}
	sections := r.coreSections()
	for _, code := range coreSectionOrder {
		s := sections[code]
		if s == nil {
			continue
		}
		switch code {
		case 1:
			for range s.count(maxTypes, "types") {
				m.types = append(m.types, s.recursiveTypes()...)
			}
		case 2:
			m.imports(s)
		case 3, 4, 5, 6, 13:
			m.definitions(s, code)
		case 7:
			m.exports(s)
		}
	}
	return m.module
}

func (m *coreModuleReader) resolve(offset int, ref coreExternRef) coreExtern {
	if ref.sort == sortCoreFunc || ref.sort == sortCoreTag {
		ref.fn = coreFuncAt(m.types, ref.index, offset)
	}
	return ref.coreExtern
}

// coreFuncAt gives the function type at an index of a core type index space.
func coreFuncAt(types []any, index uint32, offset int) *coreFunc {
	if uint64(index) >= uint64(len(types)) {
		invalid(offset, "unknown type %d: type index out of bounds", index)
	}
	fn, ok := types[index].(*coreFunc)
	if !ok {
		invalid(offset, "type index %d is not a function type", index)
	}
	return fn
}

func (m *coreModuleReader) imports(s *reader) {
	for range s.count(maxExterns, "imports") {
		offset := s.pos
		module, name := s.name(), s.name()
		item := m.resolve(offset, s.coreExtern())
		m.items[item.sort] = append(m.items[item.sort], item)
		m.module.addImport(offset, module, name, item)
	}
}

func (t *moduleType) addImport(offset int, module, name string, item coreExtern) {
	if t.imported == nil {
		t.imported = map[[2]string]int{}
	}
	key := [2]string{module, name}
	if _, taken := t.imported[key]; taken {
		invalid(offset, "duplicate import name `%s:%s`", module, name)
	}
	t.imported[key] = len(t.imports)
	t.imports = append(t.imports, coreImport{module, name, item})
}

// definitions reads the functions, tables, memories, globals or tags of a module.
func (m *coreModuleReader) definitions(s *reader, section byte) {
	for range s.count(math.MaxInt32, "items") {
		offset := s.pos
		var item coreExternRef
		switch section {
		case 3:
			item = coreExternRef{coreExtern{sort: sortCoreFunc}, s.u32()}
		case 4:
			item.coreExtern, _, _ = s.table()
		case 5:
			item = coreExternRef{coreExtern{sort: sortCoreMemory, limits: s.limits()}, 0}
		case 6:
			item = coreExternRef{coreExtern{sort: sortCoreGlobal, value: s.coreValue(), mutable: s.flag()}, 0}
			s.skipExpression()
		case 13:
			s.code("tag attribute", 0)
			item = coreExternRef{coreExtern{sort: sortCoreTag}, s.u32()}
		}
		m.items[item.sort] = append(m.items[item.sort], m.resolve(offset, item))
	}
}

// table reads the definition of a table. Its limits are the bytes between two offsets.
func (r *reader) table() (t coreExtern, from, to int) {
	initialized := r.pos < r.end && r.data[r.pos] == 0x40
	if initialized {
		r.pos++
		r.code("table", 0)
	}
	t = coreExtern{sort: sortCoreTable, value: r.coreValue()}
	from = r.pos
	t.limits = r.limits()
	to = r.pos
	if initialized {
		r.skipExpression()
	}
	return t, from, to
}

// skipExpression skips a constant expression.
func (r *reader) skipExpression() {
	for {
		start := r.pos
		switch op := r.byte(); op {
		case 0x0b:
			return
		case 0x41, 0x42: // i32.const, i64.const
			for r.byte()&0x80 != 0 {
			}
		case 0x43:
			r.bytes(4)
		case 0x44:
			r.bytes(8)
		case 0xd0: // ref.null
			r.s33()
		case 0x23, 0xd2: // global.get, ref.func
			r.u32()
		case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e: // additions, subtractions, multiplications
		case 0xfd: // v128.const
			r.code("constant expression", 0x0c)
			r.bytes(16)
		default:
			malformed(start, "constant expression required: found opcode 0x%x", op)
		}
	}
}

func (m *coreModuleReader) exports(s *reader) {
	for range s.count(maxExterns, "exports") {
		offset := s.pos
		name := s.name()
		sort := s.coreSort("external kind")
		index := s.u32()
		items := m.items[sort]
		if uint64(index) >= uint64(len(items)) {
			invalid(offset, "unknown %s %d: %s index out of bounds", sort, index, sort)
		}
		if !m.module.exports.add(name, items[index]) {
			invalid(offset, "duplicate export name `%s` already defined", name)
		}
	}
}
