package component

import "encoding/binary"

// The engine has one memory in each module. A module with more of them becomes a module with the first one, and a module
// for each other one, which has its memory and a function for each way to access it. The first module calls these functions
// through a table that it exports and the others fill:
//
//	i32.load $second offset=8    becomes    call $f
//	(func $f (param i32) (result i32)  local.get 0  i32.const 3  call_indirect $accesses)     added to the module
//	(func (param i32) (result i32)  local.get 0  i32.load offset=8)     the element 3, in the module of the memory
//
// Everything is added at the end of its index space, so no index changes.

// accessTable is the export of the table.
const accessTable = importPrefix + "accesses"

// The modules of memories import the table and the memory under these names of modules.
const (
	tableModule  = importPrefix + "table"
	memoryImport = importPrefix + "memory"
)

// engineModule is a core module for the engine, with modules for its memories but the first.
type engineModule struct {
	code     []byte
	memories []memoryModule
}

type memoryModule struct {
	code       []byte
	from, name string   // of the import that is the memory
	exports    []string // of the core module that are its memory; it has the same names
}

// memorySplit is a module while its memories are taken apart.
type memorySplit struct {
	sections  map[byte]*reader
	out       map[byte][]byte
	functions int // of the index space, before any is added
	tables    int
	defined   map[byte]int // items of the sections that get more of them
	memories  []splitMemory
	accesses  []access
	added     map[string]int // places in accesses, by memory and code
}

// splitMemory is a memory of a module.
type splitMemory struct {
	module, name string // if it is imported
	imported     bool
	limits       limits
	data         [][]byte // active segments for it
	exports      []string
}

// splitMemories takes a core module with several memories apart, which was read before.
func splitMemories(data []byte) engineModule {
	r := &reader{data: data, end: len(data), read: &quota{}}
	s := &memorySplit{sections: r.coreSections(), out: map[byte][]byte{}, defined: map[byte]int{}, added: map[string]int{}}
	if start := s.sections[8]; start != nil {
		malformed(start.pos, "start functions of modules with several memories are not supported")
	}
	for _, code := range coreSectionOrder {
		if section := s.sections[code]; section != nil {
			s.section(code, section)
		}
	}
	s.finish()
	m := engineModule{code: append([]byte{}, corePreamble...)}
	for _, code := range coreSectionOrder {
		if content, ok := s.out[code]; ok {
			m.code = appendSection(m.code, code, content)
		}
	}
	for i := range s.memories[1:] {
		memory := s.memories[i+1]
		m.memories = append(m.memories, memoryModule{s.memoryModule(uint32(i + 1)), memory.module, memory.name, memory.exports})
	}
	return m
}

func (s *memorySplit) section(code byte, r *reader) {
	switch code {
	case 1, 3:
		s.defined[code] = r.count(maxTypes, "items")
		s.out[code] = r.data[r.pos:r.end]
	case 4:
		s.defined[code] = r.count(maxTypes, "tables")
		s.out[code] = boundTables(r, s.defined[code])
	case 2:
		s.imports(r)
	case 5:
		for range r.count(maxTypes, "memories") {
			offset := r.pos
			s.addMemory(offset, splitMemory{limits: r.limits()})
		}
		if !s.memories[0].imported {
			s.out[5] = s.memories[0].limits.append([]byte{1})
		}
	case 7:
		s.exports(r)
	case 10:
		s.bodies(r)
	case 11:
		s.segments(r)
	default:
		s.out[code] = r.data[r.pos:r.end]
	}
}

func (s *memorySplit) addMemory(offset int, m splitMemory) {
	if m.limits.wide {
		malformed(offset, "memories with 64-bit addresses are not supported")
	}
	s.memories = append(s.memories, m)
}

func (s *memorySplit) imports(r *reader) {
	kept, count := []byte(nil), uint64(0)
	for range r.count(maxExterns, "imports") {
		module := r.name()
		start := r.pos
		name := r.name()
		item := r.coreExtern()
		switch item.sort {
		case sortCoreFunc:
			s.functions++
		case sortCoreTable:
			s.tables++
		case sortCoreMemory:
			s.addMemory(start, splitMemory{module: module, name: name, imported: true, limits: item.limits})
			if len(s.memories) > 1 {
				continue
			}
		}
		count++
		kept = append(appendName(kept, importPrefix+module), r.data[start:r.pos]...)
	}
	s.out[2] = append(binary.AppendUvarint(nil, count), kept...)
}

func (s *memorySplit) exports(r *reader) {
	kept, count := []byte(nil), uint64(1)
	for range r.count(maxExterns, "exports") {
		start := r.pos
		name := r.name()
		sort := r.coreSort("external kind")
		if index := r.u32(); sort == sortCoreMemory && index > 0 {
			s.memories[index].exports = append(s.memories[index].exports, name)
			continue
		}
		count++
		kept = append(kept, r.data[start:r.pos]...)
	}
	s.out[7] = append(binary.AppendUvarint(nil, count), kept...)
}

// bodies replaces accesses of other memories than the first by calls.
func (s *memorySplit) bodies(r *reader) {
	var all []byte
	s.functions += s.defined[3]
	s.defined[10] = r.count(maxFunctions, "bodies")
	for range s.defined[10] {
		body := r.within(r.u32())
		var out []byte
		start := body.pos
		for range body.count(maxTypes, "locals") {
			body.u32()
			body.coreValue()
		}
		for !body.done() {
			at := body.pos
			a, uses := body.instruction()
			if !uses || a.memory == 0 {
				continue
			}
			out = append(out, body.data[start:at]...)
			out = binary.AppendUvarint(append(out, 0x10), uint64(s.functions+s.place(at, a)))
			start = body.pos
		}
		out = append(out, body.data[start:body.end]...)
		all = append(binary.AppendUvarint(all, uint64(len(out))), out...)
	}
	s.out[10] = all
}

// place gives the place of an access in the table.
func (s *memorySplit) place(at int, a access) int {
	if uint64(a.memory) >= uint64(len(s.memories)) {
		invalid(at, "unknown memory %d: memory index out of bounds", a.memory)
	}
	key := string(binary.AppendUvarint(nil, uint64(a.memory))) + a.code
	place, ok := s.added[key]
	if !ok {
		place = len(s.accesses)
		s.added[key] = place
		s.accesses = append(s.accesses, a)
	}
	return place
}

// segments takes active segments for other memories than the first. A segment without bytes stays in their places.
func (s *memorySplit) segments(r *reader) {
	count := r.count(maxTypes, "data segments")
	out := binary.AppendUvarint(nil, uint64(count))
	for range count {
		start := r.pos
		kind := r.code("data segment", 0, 1, 2)
		memory := uint32(0)
		if kind == 2 {
			memory = r.u32()
		}
		content := r.pos
		if kind != 1 {
			r.skipExpression()
		}
		r.bytes(r.u32())
		switch {
		case memory == 0:
			out = append(out, r.data[start:r.pos]...)
			continue
		case uint64(memory) >= uint64(len(s.memories)):
			invalid(start, "unknown memory %d: memory index out of bounds", memory)
		case r.data[content] != 0x41: // i32.const
			malformed(start, "the offset of a segment for another memory than the first must be a number")
		}
		s.memories[memory].data = append(s.memories[memory].data, r.data[content:r.pos])
		out = append(out, 1, 0)
	}
	s.out[11] = out
}

// finish adds the table of accesses, with a function for each.
func (s *memorySplit) finish() {
	n := len(s.accesses)
	s.tables += s.defined[4]
	types, functions, bodies := []byte(nil), []byte(nil), []byte(nil)
	for i, a := range s.accesses {
		types = a.typ.append(types)
		functions = binary.AppendUvarint(functions, uint64(s.defined[1]+i))
		body := appendConstant(a.parameters(), i)
		body = binary.AppendUvarint(append(body, 0x11), uint64(s.defined[1]+i))
		body = append(binary.AppendUvarint(body, uint64(s.tables)), 0x0b)
		bodies = append(binary.AppendUvarint(bodies, uint64(len(body))), body...)
	}
	s.extend(1, n, types)
	s.extend(3, n, functions)
	table := limits{min: uint64(n), max: uint64(n), bounded: true}
	s.extend(4, 1, table.append([]byte(coreFuncref)))
	export := append(appendName(nil, accessTable), byte(sortCoreTable-coreSort))
	if s.out[7] == nil {
		s.out[7] = []byte{1}
	}
	s.out[7] = append(s.out[7], binary.AppendUvarint(export, uint64(s.tables))...)
	s.extend(10, n, bodies)
}

// extend adds items to a section whose count was taken off.
func (s *memorySplit) extend(code byte, added int, items []byte) {
	if count := s.defined[code] + added; count > 0 {
		s.out[code] = append(append(binary.AppendUvarint(nil, uint64(count)), s.out[code]...), items...)
	}
}

// parameters begins a body that passes the parameters on.
func (a access) parameters() []byte {
	body := []byte{0} // no locals
	for i := range a.typ.params {
		body = append(body, 0x20, byte(i))
	}
	return body
}

func appendConstant(out []byte, n int) []byte {
	out = append(out, 0x41)
	for n >= 0x40 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n))
}

// memoryModule writes the module of a memory.
func (s *memorySplit) memoryModule(index uint32) []byte {
	m := s.memories[index]
	table := limits{min: uint64(len(s.accesses)), max: uint64(len(s.accesses)), bounded: true}
	imports := appendName(appendName([]byte{1}, tableModule), accessTable)
	imports = table.append(append(imports, byte(sortCoreTable-coreSort), coreFuncref[0]))
	if m.imported {
		imports[0] = 2
		imports = append(appendName(appendName(imports, memoryImport), m.name), byte(sortCoreMemory-coreSort))
		imports = m.limits.append(imports)
	}
	var types, functions, elements, bodies []byte
	count := 0
	for i, a := range s.accesses {
		if a.memory != index {
			continue
		}
		types = a.typ.append(types)
		functions = binary.AppendUvarint(functions, uint64(count))
		elements = append(appendConstant(append(elements, 0), i), 0x0b, 1)
		elements = binary.AppendUvarint(elements, uint64(count))
		body := append(append(a.parameters(), a.code...), 0x0b)
		bodies = append(binary.AppendUvarint(bodies, uint64(len(body))), body...)
		count++
	}
	counted := func(content []byte) []byte { return append(binary.AppendUvarint(nil, uint64(count)), content...) }
	out := appendSection(append([]byte{}, corePreamble...), 1, counted(types))
	out = appendSection(out, 2, imports)
	out = appendSection(out, 3, counted(functions))
	if !m.imported {
		out = appendSection(out, 5, m.limits.append([]byte{1}))
	}
	exports := binary.AppendUvarint(nil, uint64(len(m.exports)))
	for _, name := range m.exports {
		exports = append(appendName(exports, name), byte(sortCoreMemory-coreSort), 0)
	}
	out = appendSection(out, 7, exports)
	out = appendSection(out, 9, counted(elements))
	out = appendSection(out, 10, counted(bodies))
	data := binary.AppendUvarint(nil, uint64(len(m.data)))
	for _, segment := range m.data {
		data = append(append(data, 0), segment...)
	}
	return appendSection(out, 11, data)
}
