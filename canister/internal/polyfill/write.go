package polyfill

import (
	"slices"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
)

const maxPages = 1 << 16 // of a memory

// write returns the linked module.
func (l *linker) write() []byte {
	p := l.program
	code := l.code() // it may add types
	functions := l.functionTypes()
	out := []byte(wasmfile.Header)
	out = wasmfile.AppendList(out, wasmfile.SectionType, l.types, wasmfile.AppendRaw[string])
	out = wasmfile.AppendList(out, wasmfile.SectionImport, l.imports, wasmfile.AppendImport)
	out = wasmfile.AppendList(out, wasmfile.SectionFunction, functions, wasmfile.AppendU32)
	out = l.raw(out, wasmfile.SectionTable)
	out = wasmfile.AppendSection(out, wasmfile.SectionMemory, l.memory())
	globals := p.Globals
	to := l.ofProgram()
	out = wasmfile.AppendList(out, wasmfile.SectionGlobal, slices.Concat(globals, l.library.Globals), func(out, g []byte) []byte {
		return wasmfile.NewReader(g[2:]).Expression(append(out, g[:2]...), to)
	})
	out = wasmfile.AppendList(out, wasmfile.SectionExport, l.exports, wasmfile.AppendExport)
	out = wasmfile.AppendList(out, wasmfile.SectionElement, p.Elements, func(out, e []byte) []byte { return wasmfile.NewReader(e).Element(out, to) })
	out = l.raw(out, wasmfile.SectionDataCount)
	out = wasmfile.AppendList(out, wasmfile.SectionCode, code, wasmfile.AppendBlock[[]byte])
	out = l.raw(out, wasmfile.SectionData)
	for _, m := range p.Metadata {
		out = wasmfile.AppendSection(out, wasmfile.SectionCustom, m)
	}
	return l.appendNames(out)
}

// raw appends a section of the program unchanged.
func (l *linker) raw(out []byte, id byte) []byte {
	if content, ok := l.program.Raw[id]; ok {
		return wasmfile.AppendSection(out, id, content)
	}
	return out
}

// functionTypes returns the types of the functions that are not imported.
func (l *linker) functionTypes() []uint32 {
	all := slices.Clone(l.program.Functions)
	for _, own := range l.added {
		all = append(all, l.typeIndex(l.library.Types[l.library.Functions[own]]))
	}
	for range l.entries {
		all = append(all, l.typeIndex(entryType))
	}
	return all
}

// code returns the bodies of the functions that are not imported.
func (l *linker) code() [][]byte {
	all := make([][]byte, 0, len(l.program.Bodies)+len(l.added)+len(l.entries))
	to := l.ofProgram()
	for _, b := range l.program.Bodies {
		all = append(all, wasmfile.NewReader(b).Body(make([]byte, 0, len(b)+len(b)/8), to))
	}
	to = l.ofLibrary()
	for _, own := range l.added {
		all = append(all, wasmfile.NewReader(l.library.Bodies[own]).Body(nil, to))
	}
	return append(all, l.entries...)
}

// memory returns the memory of the program with one more page.
func (l *linker) memory() []byte {
	size := wasmfile.Memory{}
	if l.program.Memory != nil {
		size = *l.program.Memory
	}
	size.Min, size.Max = min(size.Min+1, maxPages), min(size.Max+1, maxPages)
	return wasmfile.AppendMemory([]byte{1}, size)
}

// appendNames appends the names of all functions that have one, for backtraces.
func (l *linker) appendNames(out []byte) []byte {
	names := make(map[uint32]string)
	// The order has no effect: each name has its own index.
	for i, name := range l.program.Names {
		if int(i) < len(l.program.Imports)+len(l.program.Functions) {
			names[l.function(i)] = name
		}
	}
	for _, e := range l.library.Exports {
		if i, ok := l.place[e.Index]; ok && e.Kind == wasmfile.KindFunction {
			names[i] = e.Name
		}
	}
	first := uint32(len(l.imports) + len(l.program.Functions) + len(l.added))
	for i, name := range l.entryName {
		names[first+uint32(i)] = name
	}
	return wasmfile.AppendNames(out, names)
}
