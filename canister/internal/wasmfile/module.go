package wasmfile

import (
	"encoding/binary"
	"maps"
	"slices"
)

// Header begins every module.
const Header = "\x00asm\x01\x00\x00\x00"

// Identifiers of sections.
const (
	SectionCustom = iota
	SectionType
	SectionImport
	SectionFunction
	SectionTable
	SectionMemory
	SectionGlobal
	SectionExport
	SectionStart
	SectionElement
	SectionCode
	SectionData
	SectionDataCount
)

// Kinds of imports and exports.
const (
	KindFunction = iota
	KindTable
	KindMemory
	KindGlobal
)

// Flags of data segments: a passive one, and one with the index of its memory.
const (
	segmentPassive = 1
	segmentIndexed = 2
)

// AppendSegment appends a data segment.
func AppendSegment(out []byte, s Segment) []byte {
	if s.Offset == nil {
		return AppendBlock(append(out, segmentPassive), s.Content)
	}
	return AppendBlock(append(append(out, 0), s.Offset...), s.Content)
}

// nameSection is the custom section with the names of functions, in its part functionNames.
const (
	nameSection   = "name"
	functionNames = 1
)

// Import is an imported function.
type Import struct {
	Module, Name string
	Type         uint32
}

// AppendImport appends an import.
func AppendImport(out []byte, i Import) []byte {
	out = AppendBlock(AppendBlock(out, i.Module), i.Name)
	return AppendU32(append(out, KindFunction), i.Type)
}

// OtherImport is an imported table, memory or global, with the bytes of its type.
type OtherImport struct {
	Module, Name string
	Kind         byte
	Type         []byte
}

// Export is an exported item.
type Export struct {
	Name  string
	Kind  byte
	Index uint32
}

// AppendExport appends an export.
func AppendExport(out []byte, e Export) []byte {
	return AppendU32(append(AppendBlock(out, e.Name), e.Kind), e.Index)
}

// Memory is the size of a memory in pages.
type Memory struct {
	Min, Max uint64
	HasMax   bool
}

// AppendMemory appends a memory.
func AppendMemory(out []byte, m Memory) []byte {
	if !m.HasMax {
		return binary.AppendUvarint(append(out, 0), m.Min)
	}
	return binary.AppendUvarint(binary.AppendUvarint(append(out, 1), m.Min), m.Max)
}

// Module is a parsed module. Types, globals, elements and bodies are as read, and so are the contents of the sections in Raw.
type Module struct {
	Types     []string
	Imports   []Import      // of functions
	Others    []OtherImport // of what is no function; a canister's module has none
	Functions []uint32      // the types of its own functions
	Memory    *Memory
	Memories  int // of its own; a canister's module has at most one
	Globals   [][]byte
	Exports   []Export
	Start     *uint32
	Elements  [][]byte
	Bodies    [][]byte
	Raw       map[byte][]byte
	Metadata  [][]byte          // contents of the custom sections icp:
	Names     map[uint32]string // of functions
}

// Parse parses a valid module, in place.
func Parse(binary []byte) *Module {
	m := &Module{Raw: make(map[byte][]byte), Names: make(map[uint32]string)}
	r := &Reader{data: binary, pos: len(Header)}
	for !r.Done() {
		id := r.Byte()
		m.section(id, &Reader{data: r.Block()})
	}
	return m
}

func (m *Module) section(id byte, r *Reader) {
	switch id {
	case SectionCustom:
		m.custom(r)
	case SectionType:
		r.Each(func() { m.Types = append(m.Types, r.functionType()) })
	case SectionImport:
		r.Each(func() { m.imported(r) })
	case SectionFunction:
		r.Each(func() { m.Functions = append(m.Functions, r.U32()) })
	case SectionMemory:
		r.Each(func() {
			m.Memory = r.memory()
			m.Memories++
		})
	case SectionGlobal:
		r.Each(func() {
			at := r.pos
			r.Bytes(2) // its type, and whether it is mutable
			r.Expression(nil, nil)
			m.Globals = append(m.Globals, r.since(at))
		})
	case SectionExport:
		r.Each(func() { m.Exports = append(m.Exports, Export{string(r.Block()), r.Byte(), r.U32()}) })
	case SectionStart:
		start := r.U32()
		m.Start = &start
	case SectionElement:
		r.Each(func() {
			at := r.pos
			r.Element(nil, nil)
			m.Elements = append(m.Elements, r.since(at))
		})
	case SectionCode:
		r.Each(func() { m.Bodies = append(m.Bodies, r.Block()) })
	default:
		m.Raw[id] = r.data
	}
}

func (m *Module) imported(r *Reader) {
	item := OtherImport{Module: string(r.Block()), Name: string(r.Block()), Kind: r.Byte()}
	at := r.pos
	switch item.Kind {
	case KindFunction:
		m.Imports = append(m.Imports, Import{item.Module, item.Name, r.U32()})
		return
	case KindTable:
		r.Byte() // the type of its elements
		r.memory()
	case KindMemory:
		r.memory()
	case KindGlobal:
		r.Bytes(2)
	}
	item.Type = r.since(at)
	m.Others = append(m.Others, item)
}

func (r *Reader) functionType() string {
	at := r.pos
	r.Byte()
	r.Block() // parameters: a byte each
	r.Block()
	return string(r.since(at))
}

// EachTable reads the tables of a module: the type of their elements, and their size at first.
func (r *Reader) EachTable(read func(elements byte, size uint64)) {
	r.Each(func() {
		elements := r.Byte()
		read(elements, r.memory().Min)
	})
}

// Segment is a data segment. Offset is a constant expression; nil for a passive segment.
type Segment struct{ Offset, Content []byte }

// EachSegment reads the data segments of a module.
func (r *Reader) EachSegment(read func(Segment)) {
	r.Each(func() {
		var s Segment
		flags := r.U32()
		if flags == segmentIndexed {
			r.U32() // its memory
		}
		if flags != segmentPassive {
			at := r.pos
			r.Expression(nil, nil)
			s.Offset = r.since(at)
		}
		s.Content = r.Block()
		read(s)
	})
}

func (r *Reader) memory() *Memory {
	size := &Memory{HasMax: r.Byte()&1 != 0}
	size.Min = r.number()
	if size.HasMax {
		size.Max = r.number()
	}
	return size
}

// custom keeps metadata and the names of functions.
func (m *Module) custom(r *Reader) {
	name := string(r.Block())
	switch {
	case len(name) > 4 && name[:4] == "icp:":
		m.Metadata = append(m.Metadata, r.data)
	case name == nameSection:
		m.readNames(r)
	}
}

// readNames reads the names of functions. The section is not validated: a truncated one has no names from there on.
func (m *Module) readNames(r *Reader) {
	defer func() {
		_ = recover() // an index beyond the section
	}()
	for !r.Done() {
		id := r.Byte()
		content := &Reader{data: r.Block()}
		if id == functionNames {
			content.Each(func() {
				index := content.U32()
				m.Names[index] = string(content.Block())
			})
		}
	}
}

// AppendNames appends the section with the names of functions, for backtraces.
func AppendNames(out []byte, names map[uint32]string) []byte {
	list := AppendU32(nil, uint32(len(names)))
	for _, i := range slices.Sorted(maps.Keys(names)) {
		list = AppendBlock(AppendU32(list, i), names[i])
	}
	return AppendSection(out, SectionCustom, AppendSection(AppendBlock(nil, nameSection), functionNames, list))
}

// Exported returns the index of an exported function.
func (m *Module) Exported(name string) (index uint32, ok bool) {
	for _, e := range m.Exports {
		if e.Kind == KindFunction && e.Name == name {
			return e.Index, true
		}
	}
	return 0, false
}

// Type returns the index of the type of a function.
func (m *Module) Type(function uint32) uint32 {
	if own := int(function) - len(m.Imports); own >= 0 {
		return m.Functions[own]
	}
	return m.Imports[function].Type
}
