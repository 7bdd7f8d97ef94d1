package component

import "bytes"

var (
	magic             = []byte("\x00asm")
	componentPreamble = []byte("\x00asm\x0d\x00\x01\x00")
	corePreamble      = []byte("\x00asm\x01\x00\x00\x00")
)

// read gives the definitions of a component.
func read(data []byte) (component definitions, err error) {
	defer caught(&err)
	if len(data) > MaxBytes {
		malformed(0, "%d bytes exceed the limit of %d", len(data), MaxBytes)
	}
	r := &reader{data: data, end: len(data), read: &quota{}}
	return r.component(1), nil
}

func (r *reader) component(depth int) definitions {
	if depth > maxNesting {
		malformed(r.pos, "components are nested deeper than the limit of %d", maxNesting)
	}
	start := r.pos
	if preamble := r.bytes(8); !bytes.Equal(preamble, componentPreamble) {
		switch {
		case !bytes.Equal(preamble[:4], magic):
			malformed(start, "magic header not detected: bad magic number")
		case bytes.Equal(preamble, corePreamble):
			malformed(start, "expected a version header for a component, found one of a core module")
		}
		malformed(start, "unknown binary version 0x%x and layer 0x%x", preamble[4:6], preamble[6:])
	}
	var all definitions
	for !r.done() {
		all = r.section(all, depth)
	}
	return all
}

// Sections, by their codes in the binary format.
const (
	sectionCustom       = 0
	sectionCoreModule   = 1
	sectionCoreInstance = 2
	sectionCoreType     = 3
	sectionComponent    = 4
	sectionInstance     = 5
	sectionAlias        = 6
	sectionType         = 7
	sectionCanon        = 8
	sectionStart        = 9
	sectionImport       = 10
	sectionExport       = 11
	sectionValue        = 12
)

func (r *reader) section(all definitions, depth int) definitions {
	start := r.pos
	code := r.byte()
	if code > sectionValue {
		malformed(start, "malformed section id: %d", code)
	}
	s := r.within(r.u32())
	switch code {
	case sectionCustom:
		s.name()
		return all
	case sectionCoreModule:
		return append(all, definition{s.pos, coreModule{s.data[s.pos:s.end]}})
	case sectionComponent:
		return append(all, definition{start, nested{s.component(depth + 1)}})
	case sectionStart:
		return append(all, definition{s.pos, startOrValue{"start"}})
	case sectionValue:
		return append(all, definition{s.pos, startOrValue{"value"}})
	default:
		s.definitionBytes()
		item := s.items(code, depth)
		for range s.count(maxTypes, "definitions of a section") {
			s.definition()
			offset := s.pos
			all = append(all, definition{offset, item()})
		}
	}
	if !s.done() {
		malformed(s.pos, "unexpected content in a section: it is %d bytes too long", s.end-s.pos)
	}
	return all
}

// items gives the function that reads one definition of a section.
func (r *reader) items(code byte, depth int) func() any {
	return map[byte]func() any{
		sectionCoreInstance: func() any { return coreInstance{r.coreInstanceExpression()} },
		sectionCoreType:     func() any { return r.coreType() },
		sectionInstance:     func() any { return instance{r.instanceExpression()} },
		sectionAlias:        r.alias,
		sectionType:         func() any { return typeDef{r.typeDefinition(depth)} },
		sectionCanon:        func() any { return r.canon() },
		sectionImport:       func() any { return importDef{r.externDeclaration()} },
		sectionExport:       r.export,
	}[code]
}

func (r *reader) coreInstanceExpression() any {
	if r.code("core instance", 0, 1) == 1 {
		return coreExports{r.arguments("exports", func() sortIndex { return sortIndex{r.coreSort("core export kind"), r.u32()} })}
	}
	module := r.u32()
	return coreInstantiate{module, r.arguments("arguments", func() sortIndex {
		r.code("instantiation arg kind", byte(sortCoreInstance-coreSort))
		return sortIndex{sortCoreInstance, r.u32()}
	})}
}

func (r *reader) instanceExpression() any {
	if r.code("instance", 0, 1) == 1 {
		exports := make([]inlineExport, r.count(maxExterns, "exports"))
		for i := range exports {
			offset := r.pos
			exports[i] = inlineExport{r.externName(), r.sortIndex(), offset}
		}
		return inlineExports{exports}
	}
	component := r.u32()
	return instantiate{component, r.arguments("arguments", r.sortIndex)}
}

func (r *reader) arguments(what string, item func() sortIndex) []argument {
	args := make([]argument, r.count(maxArguments, what))
	for i := range args {
		args[i].offset = r.pos
		args[i].name = r.name()
		args[i].item = item()
	}
	return args
}

func (r *reader) coreSort(what string) sort {
	start := r.pos
	b := r.byte()
	if s := coreSort + sort(b); b <= 0x04 || (b >= 0x10 && b <= 0x12) {
		return s
	}
	badCode(start, b, what)
	return 0
}

// sort reads the sort of an item.
func (r *reader) sort(what string) sort {
	start := r.pos
	b := r.byte()
	if b == 0 {
		return r.coreSort(what)
	}
	if b > byte(sortInstance) {
		badCode(start, b, what)
	}
	return sort(b)
}

func (r *reader) sortIndex() sortIndex {
	return sortIndex{r.sort("component external kind"), r.u32()}
}

func (r *reader) alias() any {
	start := r.pos
	s := r.sort("component outer alias kind")
	switch r.code("alias", 0, 1, 2) {
	case 0:
		return exportAlias{s, r.u32(), r.name()}
	case 1:
		if s < coreSort {
			badCode(start, byte(s), "component core export alias kind")
		}
		return coreExportAlias{s, r.u32(), r.name()}
	}
	switch s {
	case sortCoreModule, sortCoreType, sortComponent, sortType:
		return outerAlias{s, r.u32(), r.u32()}
	}
	badCode(start, byte(s&^coreSort), "component outer alias kind")
	return nil
}

func (r *reader) externName() externName {
	kind := r.code("component name", 0, 1, 2)
	n := externName{name: r.name()}
	if kind != 2 {
		return n
	}
	for range r.count(maxOptions, "attributes of a name") {
		kind := r.code("name option", attributeImplements, attributeVersionSuffix, attributeExternalID)
		n.attributes = append(n.attributes, attribute{kind, r.name()})
	}
	return n
}

func (r *reader) externDeclaration() externDecl {
	name := r.externName()
	d := r.externType()
	d.name = name
	return d
}

func (r *reader) externType() (d externDecl) {
	start := r.pos
	code := r.byte()
	if code > byte(sortInstance) {
		badCode(start, code, "component external kind")
	}
	d.sort = sort(code)
	switch d.sort {
	case 0:
		r.code("component external kind", byte(sortCoreModule-coreSort))
		d.sort = sortCoreModule
	case sortType:
		if r.code("type bound", 0, 1) == 1 {
			d.sub = true
			return d
		}
	case sortValue:
		if r.code("value bound", 0, 1) == 1 {
			d.value = r.valueType()
			return d
		}
		d.eq = true
	}
	d.index = r.u32()
	return d
}

func (r *reader) export() any {
	e := exportDef{name: r.externName(), item: r.sortIndex()}
	if r.code("optional component export type", 0, 1) == 1 {
		d := r.externType()
		e.ascribed = &d
	}
	return e
}
