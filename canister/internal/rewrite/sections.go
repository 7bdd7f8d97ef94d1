package rewrite

// section identifiers
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

// kinds of imports and exports
const (
	kindFunction = iota
	kindTable
	kindMemory
	kindGlobal
	kindTag
)

type funcType struct{ params, results string }

type limits struct {
	min, max uint64
	hasMax   bool
	wide     bool
}

func (l limits) index() valueType {
	if l.wide {
		return typeI64
	}
	return typeI32
}

type table struct {
	elem   valueType
	limits limits
}

type global struct {
	value   valueType
	mutable bool
	init    []byte // re-encoded, with its end; nil for an import
}

type importItem struct {
	module, name string
	kind         byte
	index        uint32 // of the type, table, memory or global
}

type exportItem struct {
	name  string
	kind  byte
	index uint32
}

type dataSegment struct {
	active bool
	offset constant
	at     int // byte offset in the module, for messages
	bytes  []byte
}

type elementSegment struct {
	elem  valueType
	items uint64
}

type customItem struct {
	name    string
	content []byte
}

// source is the original module, parsed.
type source struct {
	options Options
	rules   rules

	types     []funcType
	imports   []importItem
	functions []uint32 // type of every function, imported ones first
	tables    []table
	memories  []limits
	globals   []global
	exports   []exportItem
	data      []dataSegment
	custom    []customItem

	importedFunctions, importedTables, importedMemories, importedGlobals int

	wasi bool // the module needs WASI, and may have it

	start      int64 // function index, or -1
	dataCount  int64 // -1 if the section is absent
	declared   []bool
	elems      []elementSegment
	elemOut    []byte // element section, re-encoded
	elemBeyond bool   // an active element segment does not fit its table as declared
	bodies     reader // the code section after its count
	bodyCount  int
	codeSize   uint32
	hasCode    bool
}

// wide reports whether the System API of this module takes 64-bit pointers.
func (s *source) wide() bool { return len(s.memories) > 0 && s.memories[0].wide }

// sectionOrder has the place of each section: the data count comes before the code.
var sectionOrder = [...]int{
	sectionType: 1, sectionImport: 2, sectionFunction: 3, sectionTable: 4, sectionMemory: 5, sectionGlobal: 6, sectionExport: 7,
	sectionStart: 8, sectionElement: 9, sectionDataCount: 10, sectionCode: 11, sectionData: 12,
}

// parse reads all sections; function bodies are only located.
func (s *source) parse(raw []byte) *Invalid {
	r := &reader{data: raw}
	if header := r.bytes(8); r.err == nil && string(header) != "\x00asm\x01\x00\x00\x00" {
		r.failAt(4, "unknown binary version and encoding combination")
	}
	s.start, s.dataCount = -1, -1
	last := 0
	for r.err == nil && !r.done() {
		at := r.pos
		id := r.byte()
		size := r.u32()
		if r.err == nil && int64(size) > int64(len(raw)-r.pos) {
			r.failAt(r.pos, "unexpected end-of-file")
			break
		}
		content := r.sub(int(size))
		if id != sectionCustom && r.err == nil {
			if int(id) >= len(sectionOrder) {
				r.failAt(at, "malformed section id: "+decimal(uint64(id)))
				break
			}
			if sectionOrder[id] <= last {
				r.failAt(at, "section out of order")
				break
			}
			last = sectionOrder[id]
		}
		if r.err == nil {
			s.section(id, &content, size)
			r.err = content.err
		}
	}
	if r.err == nil {
		s.finish(r)
	}
	return r.err
}

func (s *source) section(id byte, r *reader, size uint32) {
	switch id {
	case sectionCustom:
		s.customSection(r)
		return
	case sectionType:
		s.typeSection(r)
	case sectionImport:
		s.importSection(r)
	case sectionFunction:
		s.functionSection(r)
	case sectionTable:
		s.tableSection(r)
	case sectionMemory:
		s.memorySection(r)
	case sectionGlobal:
		s.globalSection(r)
	case sectionExport:
		s.exportSection(r)
	case sectionStart:
		s.startSection(r)
	case sectionElement:
		s.elementSection(r)
	case sectionDataCount:
		s.dataCount = int64(r.u32())
		if r.err == nil && s.dataCount > maxDataSegments {
			r.fail("data count exceeds limit of " + decimal(maxDataSegments))
		}
	case sectionCode:
		s.hasCode, s.codeSize = true, size
		s.bodyCount = r.count(maxEngineItems, "functions")
		s.bodies = *r
		return
	case sectionData:
		s.dataSection(r)
	}
	if r.err == nil && !r.done() {
		r.fail("unexpected content after last item in section")
	}
}

// finish checks consistency between sections.
func (s *source) finish(r *reader) {
	if !s.hasCode {
		s.bodies = reader{data: r.data, pos: r.pos}
	}
	if want := len(s.functions) - s.importedFunctions; want != s.bodyCount {
		r.fail("function and code section have inconsistent lengths")
		return
	}
	if s.dataCount >= 0 && s.dataCount != int64(len(s.data)) {
		r.fail("data count and data section have inconsistent lengths")
	}
}

func (s *source) customSection(r *reader) {
	name := r.name(maxModuleBytes)
	if r.err == nil {
		s.custom = append(s.custom, customItem{name, r.bytes(len(r.data) - r.pos)})
	}
}

func (s *source) typeSection(r *reader) {
	n := r.count(maxTypes, "types")
	s.types = make([]funcType, 0, n)
	for range n {
		if form := r.byte(); r.err == nil && form != 0x60 {
			r.failAt(r.pos-1, "invalid leading byte (0x"+hexByte(form)+") for type")
		}
		params := s.typeList(r, "function params")
		results := s.typeList(r, "function returns")
		if r.err != nil {
			return
		}
		s.types = append(s.types, funcType{params, results})
	}
}

func (s *source) typeList(r *reader, what string) string {
	n := r.count(maxSignature, what)
	var buf [maxSignature]byte
	for i := range n {
		buf[i] = byte(s.valueType(r))
	}
	return string(buf[:n])
}

func (s *source) valueType(r *reader) valueType {
	b := r.byte()
	if r.err != nil {
		return typeUnknown
	}
	t, ok := decodeType(b)
	if !ok {
		r.failAt(r.pos-1, "invalid value type")
	}
	return t
}

func (s *source) functionSection(r *reader) {
	n := r.count(maxEngineItems, "functions")
	for range n {
		s.functions = append(s.functions, s.typeIndex(r))
		if r.err != nil {
			return
		}
	}
}

func (s *source) typeIndex(r *reader) uint32 {
	at := r.pos
	i := r.u32()
	if r.err == nil && uint64(i) >= uint64(len(s.types)) {
		r.failAt(at, "unknown type "+decimal(uint64(i))+": type index out of bounds")
		return 0
	}
	return i
}

func (s *source) functionIndex(r *reader) uint32 {
	at := r.pos
	i := r.u32()
	if r.err == nil && uint64(i) >= uint64(len(s.functions)) {
		r.failAt(at, "unknown function "+decimal(uint64(i))+": function index out of bounds")
		return 0
	}
	return i
}

// declare marks a function as one that ref.func may name.
func (s *source) declare(i uint32) {
	if s.declared == nil {
		s.declared = make([]bool, len(s.functions))
	}
	if int(i) < len(s.declared) {
		s.declared[i] = true
	}
}

func hexByte(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}
