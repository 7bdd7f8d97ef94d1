package polyfill

import (
	"encoding/binary"
	"maps"
	"slices"
)

const maxPages = 1 << 16 // of a memory

// write returns the linked module.
func (l *linker) write() []byte {
	p := l.program
	code := l.code() // it may add types
	functions := l.functionTypes()
	out := []byte("\x00asm\x01\x00\x00\x00")
	out = appendList(out, sectionType, l.types, func(out []byte, t string) []byte { return append(out, t...) })
	out = appendList(out, sectionImport, l.imports, func(out []byte, i imported) []byte {
		out = appendBlock(appendBlock(out, []byte(i.module)), []byte(i.name))
		return appendU32(append(out, kindFunction), i.typ)
	})
	out = appendList(out, sectionFunction, functions, appendU32)
	out = l.raw(out, sectionTable)
	out = appendSection(out, sectionMemory, l.memory())
	globals := p.globals
	to := l.ofProgram()
	out = appendList(out, sectionGlobal, slices.Concat(globals, l.library.globals), func(out, g []byte) []byte {
		return (&reader{data: g, pos: 2}).expression(append(out, g[:2]...), to)
	})
	out = appendList(out, sectionExport, l.exports, func(out []byte, e exported) []byte {
		return appendU32(append(appendBlock(out, []byte(e.name)), e.kind), e.index)
	})
	out = appendList(out, sectionElement, p.elements, func(out, e []byte) []byte { return (&reader{data: e}).element(out, to) })
	out = l.raw(out, sectionDataCount)
	out = appendList(out, sectionCode, code, appendBlock)
	out = l.raw(out, sectionData)
	for _, m := range p.metadata {
		out = appendSection(out, sectionCustom, m)
	}
	return l.appendNames(out)
}

// appendList appends a section that is a list, unless it is empty.
func appendList[T any](out []byte, id byte, items []T, item func([]byte, T) []byte) []byte {
	if len(items) == 0 {
		return out
	}
	content := appendU32(nil, uint32(len(items)))
	for _, x := range items {
		content = item(content, x)
	}
	return appendSection(out, id, content)
}

// raw appends a section of the program unchanged.
func (l *linker) raw(out []byte, id byte) []byte {
	if content, ok := l.program.raw[id]; ok {
		return appendSection(out, id, content)
	}
	return out
}

// functionTypes returns the types of the functions that are not imported.
func (l *linker) functionTypes() []uint32 {
	all := slices.Clone(l.program.functions)
	for _, own := range l.added {
		all = append(all, l.typeIndex(l.library.types[l.library.functions[own]]))
	}
	for range l.entries {
		all = append(all, l.typeIndex(entryType))
	}
	return all
}

// code returns the bodies of the functions that are not imported.
func (l *linker) code() [][]byte {
	all := make([][]byte, 0, len(l.program.bodies)+len(l.added)+len(l.entries))
	to := l.ofProgram()
	for _, b := range l.program.bodies {
		all = append(all, (&reader{data: b}).body(make([]byte, 0, len(b)+len(b)/8), to))
	}
	to = l.ofLibrary()
	for _, own := range l.added {
		all = append(all, (&reader{data: l.library.bodies[own]}).body(nil, to))
	}
	return append(all, l.entries...)
}

// memory returns the memory of the program with one more page.
func (l *linker) memory() []byte {
	size := memory{}
	if l.program.memory != nil {
		size = *l.program.memory
	}
	out := []byte{1, 0}
	if size.hasMax {
		out[1] = 1
	}
	out = binary.AppendUvarint(out, min(size.min+1, maxPages))
	if size.hasMax {
		out = binary.AppendUvarint(out, min(size.max+1, maxPages))
	}
	return out
}

// appendNames appends the names of all functions that have one, for backtraces.
func (l *linker) appendNames(out []byte) []byte {
	names := make(map[uint32]string)
	// The order has no effect: each name has its own index.
	for i, name := range l.program.names {
		if int(i) < len(l.program.imports)+len(l.program.functions) {
			names[l.function(i)] = name
		}
	}
	for _, e := range l.library.exports {
		if i, ok := l.place[e.index]; ok && e.kind == kindFunction {
			names[i] = e.name
		}
	}
	first := uint32(len(l.imports) + len(l.program.functions) + len(l.added))
	for i, name := range l.entryName {
		names[first+uint32(i)] = name
	}
	const functions = 1
	list := appendU32(nil, uint32(len(names)))
	for _, i := range slices.Sorted(maps.Keys(names)) {
		list = appendBlock(appendU32(list, i), []byte(names[i]))
	}
	return appendSection(out, sectionCustom, appendSection(appendBlock(nil, []byte("name")), functions, list))
}
