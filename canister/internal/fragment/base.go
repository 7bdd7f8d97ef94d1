package fragment

import (
	"encoding/hex"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
)

const (
	// Base is the import module under which a fragment imports from the base.
	Base = "canisterd base"
	// Host is the import module of the host functions that base and fragments need.
	Host = "canisterd fragments"
	// LoadFunction (function i32) loads a function, and LoadEntry (entry i32) the function in an entry of the module's
	// table, if there is one.
	LoadFunction = "load_function"
	LoadEntry    = "load_entry"
	// MemoryInit (to, from, n, segment i32) -> i32 and DataDrop (segment i32) are the instructions on the data segments of
	// the base. The result of MemoryInit is 1 if it is out of bounds, and then the function traps; otherwise 0.
	MemoryInit = "memory_init"
	DataDrop   = "data_drop"
)

// Exports of the base, beside those of the module that are no functions.
const (
	basePrefix   = "canisterd base "
	baseMemory   = basePrefix + "memory"
	baseTable    = basePrefix + "table"
	baseEntries  = basePrefix + "functions"
	baseCallee   = basePrefix + "callee"
	globalPrefix = basePrefix + "global "
	callerPrefix = basePrefix + "call "
)

// Types of host functions, and of parts of the base.
const (
	typeLoad = "\x60\x01\x7f\x00"
	typeInit = "\x60\x04\x7f\x7f\x7f\x7f\x01\x7f"
	typeI32  = 0x7f
	funcref  = 0x70
	mutable  = "\x7f\x01" // the type of a mutable i32 global
)

// types are the types of a module that is written.
type types struct {
	list  []string
	index map[string]uint32
}

func (t *types) of(signature string) uint32 {
	i, ok := t.index[signature]
	if !ok {
		if t.index == nil {
			t.index = make(map[string]uint32)
		}
		i = uint32(len(t.list))
		t.list, t.index[signature] = append(t.list, signature), i
	}
	return i
}

// base is a base that is written.
type base struct {
	*Source
	types       types
	functions   []uint32          // types of the callers and trampolines
	bodies      [][]byte          // of the same
	callers     []string          // types of functions that have a caller, in order
	trampolines map[string]uint32 // functions, by type
}

// Imports of the base.
const (
	importLoadFunction = iota
	importLoadEntry
	baseImports
)

// Base returns the base.
func (s *Source) Base() []byte {
	b := &base{Source: s, trampolines: make(map[string]uint32)}
	b.addCallers()
	elements := b.elements()
	imports := []wasmfile.Import{{Module: Host, Name: LoadFunction, Type: b.types.of(typeLoad)}, {Module: Host, Name: LoadEntry, Type: b.types.of(typeLoad)}}
	out := []byte(wasmfile.Header)
	out = wasmfile.AppendList(out, wasmfile.SectionType, b.types.list, wasmfile.AppendRaw[string])
	out = wasmfile.AppendList(out, wasmfile.SectionImport, imports, wasmfile.AppendImport)
	out = wasmfile.AppendList(out, wasmfile.SectionFunction, b.functions, wasmfile.AppendU32)
	out = wasmfile.AppendList(out, wasmfile.SectionTable, b.tables(), wasmfile.AppendRaw[[]byte])
	if m := s.file.Memory; m != nil {
		out = wasmfile.AppendSection(out, wasmfile.SectionMemory, wasmfile.AppendMemory([]byte{1}, *m))
	}
	callee := append([]byte(mutable), wasmfile.OpI32Const, 0, wasmfile.OpEnd)
	out = wasmfile.AppendList(out, wasmfile.SectionGlobal, append(s.file.Globals[:len(s.file.Globals):len(s.file.Globals)], callee), wasmfile.AppendRaw[[]byte])
	out = wasmfile.AppendList(out, wasmfile.SectionExport, append(b.exports(), b.callerExports()...), wasmfile.AppendExport)
	out = wasmfile.AppendList(out, wasmfile.SectionElement, elements, wasmfile.AppendRaw[[]byte])
	if count, ok := s.file.Raw[wasmfile.SectionDataCount]; ok {
		out = wasmfile.AppendSection(out, wasmfile.SectionDataCount, count)
	}
	out = wasmfile.AppendList(out, wasmfile.SectionCode, b.bodies, wasmfile.AppendBlock[[]byte])
	if data, ok := s.file.Raw[wasmfile.SectionData]; ok {
		out = wasmfile.AppendSection(out, wasmfile.SectionData, data)
	}
	return out
}

// entriesTable returns the index of the table with an entry for each function: it follows the module's own.
func (s *Source) entriesTable() uint32 {
	if s.hasTable {
		return 1
	}
	return 0
}

func (s *Source) tables() [][]byte {
	var tables [][]byte
	if s.hasTable {
		tables = append(tables, s.file.Raw[wasmfile.SectionTable][1:])
	}
	return append(tables, wasmfile.AppendU32([]byte{funcref, 0}, s.imports+uint32(len(s.file.Functions))))
}

func (s *Source) exports() []wasmfile.Export {
	var exports []wasmfile.Export
	for _, e := range s.file.Exports {
		if e.Kind != wasmfile.KindFunction {
			exports = append(exports, e)
		}
	}
	add := func(name string, kind byte, index uint32) {
		exports = append(exports, wasmfile.Export{Name: name, Kind: kind, Index: index})
	}
	if s.file.Memory != nil {
		add(baseMemory, wasmfile.KindMemory, 0)
	}
	if s.hasTable {
		add(baseTable, wasmfile.KindTable, 0)
	}
	add(baseEntries, wasmfile.KindTable, s.entriesTable())
	for i := range s.file.Globals {
		add(globalPrefix+Export(uint32(i)), wasmfile.KindGlobal, uint32(i))
	}
	add(baseCallee, wasmfile.KindGlobal, s.callee())
	return exports
}

// callee returns the index of the global with the entry that is being called.
func (s *Source) callee() uint32 { return uint32(len(s.file.Globals)) }

// addCallers makes the callers. They come before the trampolines.
func (b *base) addCallers() {
	known := map[string]bool{}
	for i := range b.file.Functions {
		signature := b.signature(b.imports + uint32(i))
		if known[signature] || !inRegisters(signature, 1) {
			continue
		}
		known[signature] = true
		b.callers = append(b.callers, signature)
		entry := parameters(signature)
		get := func(body []byte) []byte { return wasmfile.AppendU32(append(body, wasmfile.OpLocalGet), entry) }
		body := wasmfile.AppendU32(append(get([]byte{0}), wasmfile.OpTableGet), b.entriesTable())
		body = get(append(body, wasmfile.OpRefIsNull, wasmfile.OpIf, wasmfile.BlockEmpty))
		body = append(wasmfile.AppendU32(append(body, wasmfile.OpCall), importLoadFunction), wasmfile.OpEnd)
		body = get(appendParameters(body, signature))
		b.add(callerType(signature), b.tailCall(body, signature, b.entriesTable()))
	}
}

func (b *base) add(signature string, body []byte) (function uint32) {
	b.functions, b.bodies = append(b.functions, b.types.of(signature)), append(b.bodies, append(body, wasmfile.OpEnd))
	return baseImports + uint32(len(b.bodies)) - 1
}

// appendParameters gets all parameters of a function.
func appendParameters(body []byte, signature string) []byte {
	for i := range parameters(signature) {
		body = wasmfile.AppendU32(append(body, wasmfile.OpLocalGet), i)
	}
	return body
}

func (b *base) tailCall(body []byte, signature string, table uint32) []byte {
	return wasmfile.AppendU32(wasmfile.AppendU32(append(body, wasmfile.OpReturnCallIndirect), b.types.of(signature)), table)
}

// callerExports exports the callers, under their types.
func (b *base) callerExports() []wasmfile.Export {
	exports := make([]wasmfile.Export, len(b.callers))
	for i, signature := range b.callers {
		exports[i] = wasmfile.Export{Name: callerName(signature), Kind: wasmfile.KindFunction, Index: baseImports + uint32(i)}
	}
	return exports
}

func callerName(signature string) string { return callerPrefix + hex.EncodeToString([]byte(signature)) }

// callerType returns the type of a caller: that of the function, and the function.
func callerType(signature string) string {
	r := wasmfile.NewReader([]byte(signature[1:]))
	params, results := r.Block(), r.Block()
	out := wasmfile.AppendU32([]byte(signature[:1]), uint32(len(params)+1))
	return string(wasmfile.AppendBlock(append(append(out, params...), typeI32), results))
}

// elements puts the trampolines into the module's table.
func (b *base) elements() [][]byte {
	var segments [][]byte
	for at := 0; at < len(b.entries); at++ {
		var run []uint32
		for at+len(run) < len(b.entries) && b.entries[at+len(run)] != 0 {
			run = append(run, b.trampoline(b.signature(b.entries[at+len(run)])))
		}
		if len(run) > 0 {
			segments = append(segments, appendElements(nil, 0, uint32(at), run))
		}
		at += len(run)
	}
	return segments
}

// appendElements appends an element segment.
func appendElements(out []byte, table, at uint32, functions []uint32) []byte {
	const functionKind = 0
	out = wasmfile.AppendU32(append(out, wasmfile.ElementIndexed), table)
	out = append(wasmfile.AppendI32(append(out, wasmfile.OpI32Const), int32(at)), wasmfile.OpEnd, functionKind)
	out = wasmfile.AppendU32(out, uint32(len(functions)))
	for _, f := range functions {
		out = wasmfile.AppendU32(out, f)
	}
	return out
}

// trampoline returns the function that loads the callee of a type and calls it through the module's table. The one of a type
// that needs more than registers is never called: it is there for its type.
func (b *base) trampoline(signature string) uint32 {
	if i, ok := b.trampolines[signature]; ok {
		return i
	}
	body := []byte{0} // no locals
	if inRegisters(signature, 0) {
		get := func(body []byte) []byte { return wasmfile.AppendU32(append(body, wasmfile.OpGlobalGet), b.callee()) }
		body = wasmfile.AppendU32(append(get(body), wasmfile.OpCall), importLoadEntry)
		body = b.tailCall(get(appendParameters(body, signature)), signature, 0)
	} else {
		body = append(body, wasmfile.OpUnreachable)
	}
	i := b.add(signature, body)
	b.trampolines[signature] = i
	return i
}
