package fragment

import (
	"math"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
)

// writer writes a fragment.
type writer struct {
	*Source
	types     types
	imports   []wasmfile.Import
	functions map[uint32]uint32 // function of the module -> index in the fragment
	others    map[string]uint32 // host function or caller -> index in the fragment
	globals   map[uint32]uint32 // global of the base -> index in the fragment
	global    []uint32          // globals of the base, by their index in the fragment
}

// Fragment returns the fragment with some functions.
func (s *Source) Fragment(functions []uint32) []byte {
	w := &writer{Source: s, functions: make(map[uint32]uint32), others: make(map[string]uint32), globals: make(map[uint32]uint32)}
	w.importFunctions(functions)
	own := make([]uint32, len(functions))
	for i, f := range functions {
		w.functions[f] = uint32(len(w.imports) + i)
		own[i] = w.types.of(s.signature(f))
	}
	to := &wasmfile.Renumbering{
		Function: func(f uint32) uint32 { return w.functions[f] },
		Global:   w.globalIndex,
		Type:     func(t uint32) uint32 { return w.types.of(s.file.Types[t]) },
		Replace:  w.replace,
	}
	bodies := make([][]byte, len(functions))
	for i, f := range functions {
		body := s.body(f)
		bodies[i] = wasmfile.NewReader(body).Body(make([]byte, 0, len(body)+len(body)/4), to)
	}
	out := []byte(wasmfile.Header)
	out = wasmfile.AppendList(out, wasmfile.SectionType, w.types.list, wasmfile.AppendRaw[string])
	out = wasmfile.AppendList(out, wasmfile.SectionImport, w.allImports(), wasmfile.AppendRaw[[]byte])
	out = wasmfile.AppendList(out, wasmfile.SectionFunction, own, wasmfile.AppendU32)
	out = wasmfile.AppendList(out, wasmfile.SectionExport, functions, func(out []byte, f uint32) []byte {
		return wasmfile.AppendExport(out, wasmfile.Export{Name: Export(f), Kind: wasmfile.KindFunction, Index: w.functions[f]})
	})
	out = wasmfile.AppendList(out, wasmfile.SectionElement, w.elements(functions), wasmfile.AppendRaw[[]byte])
	out = wasmfile.AppendList(out, wasmfile.SectionCode, bodies, wasmfile.AppendBlock[[]byte])
	names := make(map[uint32]string, len(functions))
	for _, f := range functions {
		names[w.functions[f]] = s.name(f)
	}
	return wasmfile.AppendNames(out, names)
}

// importFunctions imports the functions that the module imports and these functions call, the callers of others, and the
// host functions of a cut module.
func (w *writer) importFunctions(functions []uint32) {
	for _, f := range functions {
		for _, called := range w.calls(f) {
			if _, known := w.functions[called]; known {
				continue
			}
			if called >= w.Source.imports {
				w.importCaller(w.signature(called))
				continue
			}
			item := w.file.Imports[called]
			w.functions[called] = uint32(len(w.imports))
			w.imports = append(w.imports, wasmfile.Import{Module: item.Module, Name: item.Name, Type: w.types.of(w.file.Types[item.Type])})
		}
	}
	for _, host := range []struct{ name, signature string }{{LoadFunction, typeLoad}, {LoadEntry, typeLoad}, {MemoryInit, typeInit}, {DataDrop, typeLoad}} {
		w.importOther(Host, host.name, host.signature)
	}
}

func (w *writer) importOther(module, name, signature string) {
	if _, known := w.others[name]; !known {
		w.others[name] = uint32(len(w.imports))
		w.imports = append(w.imports, wasmfile.Import{Module: module, Name: name, Type: w.types.of(signature)})
	}
}

// importCaller imports the caller of functions of a type, if there is one.
func (w *writer) importCaller(signature string) {
	if inRegisters(signature, 1) {
		w.importOther(Base, callerName(signature), callerType(signature))
	}
}

// globalIndex returns the index of a global in the fragment, which imports it.
func (w *writer) globalIndex(global uint32) uint32 {
	i, ok := w.globals[global]
	if !ok {
		i = uint32(len(w.global))
		w.global, w.globals[global] = append(w.global, global), i
	}
	return i
}

// allImports returns the encoded imports: functions, and what the fragment needs of the base.
func (w *writer) allImports() [][]byte {
	all := make([][]byte, 0, len(w.imports)+len(w.global)+3)
	for _, item := range w.imports {
		all = append(all, wasmfile.AppendImport(nil, item))
	}
	ofBase := func(name string, kind byte, description []byte) {
		item := append(wasmfile.AppendBlock(wasmfile.AppendBlock(nil, Base), name), kind)
		all = append(all, append(item, description...))
	}
	tables := w.tables()
	if w.hasTable {
		ofBase(baseTable, wasmfile.KindTable, tables[0])
	}
	ofBase(baseEntries, wasmfile.KindTable, tables[w.entriesTable()])
	if m := w.file.Memory; m != nil {
		ofBase(baseMemory, wasmfile.KindMemory, wasmfile.AppendMemory(nil, *m))
	}
	for _, g := range w.global {
		if g == w.callee() {
			ofBase(baseCallee, wasmfile.KindGlobal, []byte(mutable))
		} else {
			ofBase(globalPrefix+Export(g), wasmfile.KindGlobal, w.file.Globals[g][:2])
		}
	}
	return all
}

// elements puts the functions into their entries.
func (w *writer) elements(functions []uint32) [][]byte {
	var segments [][]byte
	for _, f := range functions {
		own := []uint32{w.functions[f]}
		segments = append(segments, appendElements(nil, w.entriesTable(), f, own))
		for _, at := range w.slots[f-w.Source.imports] {
			segments = append(segments, appendElements(nil, 0, at, own))
		}
	}
	return segments
}

// replace writes calls of functions outside of the fragment, indirect calls, and instructions on data segments.
func (w *writer) replace(out []byte, i wasmfile.Instruction) ([]byte, bool) {
	switch i.Op {
	case wasmfile.OpCall, wasmfile.OpReturnCall:
		if _, here := w.functions[i.Index]; here {
			return out, false
		}
		return w.callOutside(out, i), true
	case wasmfile.OpCallIndirect, wasmfile.OpReturnCallIndirect:
		return w.callIndirect(out, i), true
	case wasmfile.OpMisc:
		out = appendConstant(out, i.Index)
		if i.Misc == wasmfile.DataDrop {
			return w.callHost(out, DataDrop), true
		}
		return appendTrap(w.callHost(out, MemoryInit)), true
	}
	return out, false
}

// appendTrap traps as an instruction on memory does if the value on the stack is not zero: it loads from an address that
// no memory has.
func appendTrap(out []byte) []byte {
	out = appendConstant(append(out, wasmfile.OpIf, wasmfile.BlockEmpty), math.MaxUint32)
	out = wasmfile.AppendU32(append(out, wasmfile.OpI32Load8U, 0), math.MaxUint32)
	return append(out, wasmfile.OpDrop, wasmfile.OpEnd)
}

// callOutside calls a function through its entry.
func (w *writer) callOutside(out []byte, i wasmfile.Instruction) []byte {
	signature := w.signature(i.Index)
	out = appendConstant(out, i.Index)
	if inRegisters(signature, 1) {
		return wasmfile.AppendU32(append(out, i.Op), w.others[callerName(signature)])
	}
	out = append(wasmfile.AppendU32(append(out, wasmfile.OpTableGet), w.entriesTable()), wasmfile.OpRefIsNull, wasmfile.OpIf, wasmfile.BlockEmpty)
	out = append(w.callHost(appendConstant(out, i.Index), LoadFunction), wasmfile.OpEnd)
	return w.throughTable(appendConstant(out, i.Index), i.Op-wasmfile.OpCall+wasmfile.OpCallIndirect, signature, w.entriesTable())
}

// callIndirect calls through the module's table; the entry is on the stack.
func (w *writer) callIndirect(out []byte, i wasmfile.Instruction) []byte {
	signature := w.file.Types[i.Index]
	out = w.onCallee(w.onCallee(out, wasmfile.OpGlobalSet), wasmfile.OpGlobalGet)
	if !inRegisters(signature, 0) {
		out = w.onCallee(w.callHost(out, LoadEntry), wasmfile.OpGlobalGet)
	}
	return w.throughTable(out, i.Op, signature, i.Table)
}

func appendConstant(out []byte, n uint32) []byte {
	return wasmfile.AppendI32(append(out, wasmfile.OpI32Const), int32(n))
}

func (w *writer) onCallee(out []byte, op byte) []byte {
	return wasmfile.AppendU32(append(out, op), w.globalIndex(w.callee()))
}

func (w *writer) callHost(out []byte, name string) []byte {
	return wasmfile.AppendU32(append(out, wasmfile.OpCall), w.others[name])
}

func (w *writer) throughTable(out []byte, op byte, signature string, table uint32) []byte {
	return wasmfile.AppendU32(wasmfile.AppendU32(append(out, op), w.types.of(signature)), table)
}
