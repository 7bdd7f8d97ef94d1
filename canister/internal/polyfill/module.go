package polyfill

// Identifiers of sections.
const (
	sectionCustom = iota
	sectionType
	sectionImport
	sectionFunction
	sectionTable
	sectionMemory
	sectionGlobal
	sectionExport
	sectionStart
	sectionElement
	sectionCode
	sectionData
	sectionDataCount
)

// Kinds of exports.
const (
	kindFunction = iota
	kindTable
	kindMemory
	kindGlobal
)

type imported struct {
	module, name string
	typ          uint32
}

type exported struct {
	name  string
	kind  byte
	index uint32
}

// memory is the size of a memory in pages.
type memory struct {
	min, max uint64
	hasMax   bool
}

// module is a parsed module. Its imports are functions. Globals, elements and bodies are as read, and so are the
// contents of the sections in raw.
type module struct {
	types     []string
	imports   []imported
	functions []uint32 // the types of its own functions
	memory    *memory
	globals   [][]byte
	exports   []exported
	start     *uint32
	elements  [][]byte
	bodies    [][]byte
	raw       map[byte][]byte
	metadata  [][]byte          // contents of the custom sections icp:
	names     map[uint32]string // of functions
}

// parse parses a valid module.
func parse(binary []byte) *module {
	m := &module{raw: make(map[byte][]byte), names: make(map[uint32]string)}
	r := &reader{data: binary, pos: len("\x00asm\x01\x00\x00\x00")}
	for !r.done() {
		id := r.byte()
		m.section(id, &reader{data: r.block()})
	}
	return m
}

func (m *module) section(id byte, r *reader) {
	switch id {
	case sectionCustom:
		m.custom(r)
	case sectionType:
		each(r, func() { m.types = append(m.types, r.functionType()) })
	case sectionImport:
		each(r, func() {
			item := imported{module: string(r.block()), name: string(r.block())}
			r.byte() // a function
			item.typ = r.u32()
			m.imports = append(m.imports, item)
		})
	case sectionFunction:
		each(r, func() { m.functions = append(m.functions, r.u32()) })
	case sectionMemory:
		each(r, func() { m.memory = r.memory() })
	case sectionGlobal:
		each(r, func() {
			at := r.pos
			r.bytes(2) // its type, and whether it is mutable
			r.expression(nil, nil)
			m.globals = append(m.globals, r.since(at))
		})
	case sectionExport:
		each(r, func() { m.exports = append(m.exports, exported{string(r.block()), r.byte(), r.u32()}) })
	case sectionStart:
		start := r.u32()
		m.start = &start
	case sectionElement:
		each(r, func() {
			at := r.pos
			r.element(nil, nil)
			m.elements = append(m.elements, r.since(at))
		})
	case sectionCode:
		each(r, func() { m.bodies = append(m.bodies, r.block()) })
	default:
		m.raw[id] = r.data
	}
}

// each reads the items of a list.
func each(r *reader, read func()) {
	for range r.u32() {
		read()
	}
}

func (r *reader) functionType() string {
	at := r.pos
	r.byte()
	r.block() // parameters: a byte each
	r.block()
	return string(r.since(at))
}

func (r *reader) memory() *memory {
	size := &memory{hasMax: r.byte()&1 != 0}
	size.min = r.number()
	if size.hasMax {
		size.max = r.number()
	}
	return size
}

// custom keeps metadata and the names of functions.
func (m *module) custom(r *reader) {
	name := string(r.block())
	switch {
	case len(name) > 4 && name[:4] == "icp:":
		m.metadata = append(m.metadata, r.data)
	case name == "name":
		m.readNames(r)
	}
}

// readNames reads the names of functions. The section is not validated: a truncated one has no names from there on.
func (m *module) readNames(r *reader) {
	const functions = 1
	defer func() {
		_ = recover() // an index beyond the section
	}()
	for !r.done() {
		id := r.byte()
		content := &reader{data: r.block()}
		if id == functions {
			each(content, func() {
				index := content.u32()
				m.names[index] = string(content.block())
			})
		}
	}
}

// function returns the index of an exported function.
func (m *module) function(name string) (index uint32, ok bool) {
	for _, e := range m.exports {
		if e.kind == kindFunction && e.name == name {
			return e.index, true
		}
	}
	return 0, false
}
