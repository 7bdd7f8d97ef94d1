package polyfill

import (
	"slices"
	"strings"
)

// WASI is the import module that the functions of the library replace.
const WASI = "wasi_snapshot_preview1"

// System entry points at which the initializer runs.
const (
	initEntry        = "canister_init"
	postUpgradeEntry = "canister_post_upgrade"
	initializeExport = "_initialize"
	systemModule     = "ic0"
)

// linker puts the library into a program. In the linked module the functions of the System API come first, then those
// of the program, the needed ones of the library, and the entry points.
type linker struct {
	program, library *module

	imports   []imported
	types     []string
	added     []uint32          // needed own functions of the library, by their place in it
	place     map[uint32]uint32 // function of the library -> index in the linked module
	kept      []uint32          // import of the program -> index in the linked module, if it is not of WASI
	entries   [][]byte          // bodies of the entry points
	entryName []string
	exports   []exported
}

// Link returns a valid module with the functions of WASI in it. It imports functions of the System API and of [WASI].
func Link(program []byte) []byte {
	l := &linker{program: parse(program), library: parse(library), place: make(map[uint32]uint32)}
	l.types = slices.Clone(l.program.types)
	l.resolve()
	l.exportAll()
	return l.write()
}

// resolve finds the functions of the library that are needed, and assigns the indices of all functions.
func (l *linker) resolve() {
	needed := make(map[uint32]bool)
	for _, item := range l.program.imports {
		if item.module == WASI {
			l.need(item.name, needed)
			continue
		}
		l.imports = append(l.imports, item)
	}
	for _, name := range []string{"memory_size", "memory_grow", "end_line"} {
		l.need(name, needed)
	}
	for i, item := range l.library.imports {
		if needed[uint32(i)] {
			l.place[uint32(i)] = l.importSystem(item)
		}
	}
	l.kept = make([]uint32, len(l.program.imports))
	next := uint32(0)
	for i, item := range l.program.imports {
		if item.module != WASI {
			l.kept[i] = next
			next++
		}
	}
	first := uint32(len(l.imports) + len(l.program.functions))
	for i := range l.library.functions {
		if f := uint32(len(l.library.imports) + i); needed[f] {
			l.place[f] = first + uint32(len(l.added))
			l.added = append(l.added, uint32(i))
		}
	}
}

// importSystem returns the index of a System API function that the library imports, and imports it if necessary.
func (l *linker) importSystem(item imported) uint32 {
	for i, x := range l.imports {
		if x.module == systemModule && x.name == item.name {
			return uint32(i)
		}
	}
	item.typ = l.typeIndex(l.library.types[item.typ])
	l.imports = append(l.imports, item)
	return uint32(len(l.imports) - 1)
}

// need adds a function of the library, and all that it calls.
func (l *linker) need(name string, needed map[uint32]bool) {
	first, ok := l.library.function(name)
	if !ok {
		panic("the library of WASI has no function " + name)
	}
	for todo := []uint32{first}; len(todo) > 0; {
		f := todo[0]
		if todo = todo[1:]; needed[f] {
			continue
		}
		needed[f] = true
		if own := int(f) - len(l.library.imports); own >= 0 {
			same := func(i uint32) uint32 { return i }
			called := func(i uint32) uint32 {
				todo = append(todo, i)
				return i
			}
			(&reader{data: l.library.bodies[own]}).body(nil, &renumbering{function: called, global: same, typ: same})
		}
	}
}

// typeIndex returns the index of a type, and adds the type if the linked module does not have it.
func (l *linker) typeIndex(typ string) uint32 {
	i := slices.Index(l.types, typ)
	if i < 0 {
		i = len(l.types)
		l.types = append(l.types, typ)
	}
	return uint32(i)
}

// exportOf returns the index of a function that the library exports.
func (l *linker) exportOf(name string) uint32 {
	f, _ := l.library.function(name)
	return l.place[f]
}

// ofProgram renumbers the program.
func (l *linker) ofProgram() *renumbering {
	same := func(i uint32) uint32 { return i }
	return &renumbering{function: l.function, global: same, typ: same, hidden: true, memorySize: l.exportOf("memory_size"), memoryGrow: l.exportOf("memory_grow")}
}

// function returns the index of a function of the program.
func (l *linker) function(i uint32) uint32 {
	own := int(i) - len(l.program.imports)
	switch {
	case own >= 0:
		return uint32(len(l.imports) + own)
	case l.program.imports[i].module == WASI:
		return l.exportOf(l.program.imports[i].name)
	}
	return l.kept[i]
}

// ofLibrary renumbers the library.
func (l *linker) ofLibrary() *renumbering {
	return &renumbering{
		function: func(i uint32) uint32 { return l.place[i] },
		global:   func(i uint32) uint32 { return uint32(len(l.program.globals)) + i },
		typ:      func(i uint32) uint32 { return l.typeIndex(l.library.types[i]) },
	}
}

// exportAll makes the exports. Entry points become functions that call them and end the line of a stream.
func (l *linker) exportAll() {
	initializer, initializes := l.program.function(initializeExport)
	if l.program.start != nil {
		initializer, initializes = *l.program.start, true
	}
	runs := func(name string) bool { return initializes && (name == initEntry || name == postUpgradeEntry) }
	seen := make(map[string]bool)
	for _, e := range l.program.exports {
		switch {
		case e.kind != kindFunction:
		case e.name == initializeExport:
			continue
		case !strings.HasPrefix(e.name, "canister_") || l.program.signature(e.index) != entryType:
			e.index = l.function(e.index)
		case runs(e.name):
			e.index = l.entry(e.name, initializer, e.index)
		default:
			e.name = spaced(e.name)
			e.index = l.entry(e.name, e.index)
		}
		seen[e.name] = true
		l.exports = append(l.exports, e)
	}
	for _, name := range []string{initEntry, postUpgradeEntry} {
		if runs(name) && !seen[name] {
			l.exports = append(l.exports, exported{name, kindFunction, l.entry(name, initializer)})
		}
	}
}

// entryType is the type of entry points: no parameters, no results.
const entryType = "\x60\x00\x00"

// signature returns the type of a function.
func (m *module) signature(i uint32) string {
	if own := int(i) - len(m.imports); own >= 0 {
		return m.types[m.functions[own]]
	}
	return m.types[m.imports[i].typ]
}

// spaced returns the name of a method's export with the space that a compiler could not write.
func spaced(export string) string {
	for _, kind := range []string{"canister_update", "canister_query", "canister_composite_query"} {
		if name, ok := strings.CutPrefix(export, kind+"_"); ok {
			return kind + " " + name
		}
	}
	return export
}

// entry adds an entry point that calls functions of the program, and returns its index.
func (l *linker) entry(name string, functions ...uint32) uint32 {
	body := []byte{0} // no locals
	for _, f := range functions {
		body = appendU32(append(body, opCall), l.function(f))
	}
	body = appendU32(append(body, opCall), l.exportOf("end_line"))
	l.entries, l.entryName = append(l.entries, append(body, opEnd)), append(l.entryName, name)
	return uint32(len(l.imports) + len(l.program.functions) + len(l.added) + len(l.entries) - 1)
}
