package polyfill

import (
	"slices"
	"strings"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
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
	program, library *wasmfile.Module

	imports   []wasmfile.Import
	types     []string
	added     []uint32          // needed own functions of the library, by their place in it
	place     map[uint32]uint32 // function of the library -> index in the linked module
	kept      []uint32          // import of the program -> index in the linked module, if it is not of WASI
	entries   [][]byte          // bodies of the entry points
	entryName []string
	exports   []wasmfile.Export
}

// Link returns a valid module with the functions of WASI in it. It imports functions of the System API and of [WASI].
func Link(program []byte) []byte {
	l := &linker{program: wasmfile.Parse(program), library: wasmfile.Parse(library), place: make(map[uint32]uint32)}
	l.types = slices.Clone(l.program.Types)
	l.resolve()
	l.exportAll()
	return l.write()
}

// resolve finds the functions of the library that are needed, and assigns the indices of all functions.
func (l *linker) resolve() {
	needed := make(map[uint32]bool)
	for _, item := range l.program.Imports {
		if item.Module == WASI {
			l.need(item.Name, needed)
			continue
		}
		l.imports = append(l.imports, item)
	}
	for _, name := range []string{"memory_size", "memory_grow", "end_line"} {
		l.need(name, needed)
	}
	for i, item := range l.library.Imports {
		if needed[uint32(i)] {
			l.place[uint32(i)] = l.importSystem(item)
		}
	}
	l.kept = make([]uint32, len(l.program.Imports))
	next := uint32(0)
	for i, item := range l.program.Imports {
		if item.Module != WASI {
			l.kept[i] = next
			next++
		}
	}
	first := uint32(len(l.imports) + len(l.program.Functions))
	for i := range l.library.Functions {
		if f := uint32(len(l.library.Imports) + i); needed[f] {
			l.place[f] = first + uint32(len(l.added))
			l.added = append(l.added, uint32(i))
		}
	}
}

// importSystem returns the index of a System API function that the library imports, and imports it if necessary.
func (l *linker) importSystem(item wasmfile.Import) uint32 {
	for i, x := range l.imports {
		if x.Module == systemModule && x.Name == item.Name {
			return uint32(i)
		}
	}
	item.Type = l.typeIndex(l.library.Types[item.Type])
	l.imports = append(l.imports, item)
	return uint32(len(l.imports) - 1)
}

// need adds a function of the library, and all that it calls.
func (l *linker) need(name string, needed map[uint32]bool) {
	first, ok := l.library.Exported(name)
	if !ok {
		panic("the library of WASI has no function " + name)
	}
	for todo := []uint32{first}; len(todo) > 0; {
		f := todo[0]
		if todo = todo[1:]; needed[f] {
			continue
		}
		needed[f] = true
		if own := int(f) - len(l.library.Imports); own >= 0 {
			same := func(i uint32) uint32 { return i }
			called := func(i uint32) uint32 {
				todo = append(todo, i)
				return i
			}
			wasmfile.NewReader(l.library.Bodies[own]).Body(nil, &wasmfile.Renumbering{Function: called, Global: same, Type: same})
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
	f, _ := l.library.Exported(name)
	return l.place[f]
}

// ofProgram renumbers the program, and hides the last page from it.
func (l *linker) ofProgram() *wasmfile.Renumbering {
	same := func(i uint32) uint32 { return i }
	size, grow := l.exportOf("memory_size"), l.exportOf("memory_grow")
	replace := func(out []byte, i wasmfile.Instruction) ([]byte, bool) {
		switch i.Op {
		case wasmfile.OpMemorySize:
			return wasmfile.AppendU32(append(out, wasmfile.OpCall), size), true
		case wasmfile.OpMemoryGrow:
			return wasmfile.AppendU32(append(out, wasmfile.OpCall), grow), true
		}
		return out, false
	}
	return &wasmfile.Renumbering{Function: l.function, Global: same, Type: same, Replace: replace}
}

// function returns the index of a function of the program.
func (l *linker) function(i uint32) uint32 {
	own := int(i) - len(l.program.Imports)
	switch {
	case own >= 0:
		return uint32(len(l.imports) + own)
	case l.program.Imports[i].Module == WASI:
		return l.exportOf(l.program.Imports[i].Name)
	}
	return l.kept[i]
}

// ofLibrary renumbers the library.
func (l *linker) ofLibrary() *wasmfile.Renumbering {
	return &wasmfile.Renumbering{
		Function: func(i uint32) uint32 { return l.place[i] },
		Global:   func(i uint32) uint32 { return uint32(len(l.program.Globals)) + i },
		Type:     func(i uint32) uint32 { return l.typeIndex(l.library.Types[i]) },
	}
}

// exportAll makes the exports. Entry points become functions that call them and end the line of a stream.
func (l *linker) exportAll() {
	initializer, initializes := l.program.Exported(initializeExport)
	if l.program.Start != nil {
		initializer, initializes = *l.program.Start, true
	}
	runs := func(name string) bool { return initializes && (name == initEntry || name == postUpgradeEntry) }
	seen := make(map[string]bool)
	for _, e := range l.program.Exports {
		switch {
		case e.Kind != wasmfile.KindFunction:
		case e.Name == initializeExport:
			continue
		case !strings.HasPrefix(e.Name, "canister_") || l.program.Types[l.program.Type(e.Index)] != entryType:
			e.Index = l.function(e.Index)
		case runs(e.Name):
			e.Index = l.entry(e.Name, initializer, e.Index)
		default:
			e.Name = spaced(e.Name)
			e.Index = l.entry(e.Name, e.Index)
		}
		seen[e.Name] = true
		l.exports = append(l.exports, e)
	}
	for _, name := range []string{initEntry, postUpgradeEntry} {
		if runs(name) && !seen[name] {
			l.exports = append(l.exports, wasmfile.Export{Name: name, Kind: wasmfile.KindFunction, Index: l.entry(name, initializer)})
		}
	}
}

// entryType is the type of entry points: no parameters, no results.
const entryType = "\x60\x00\x00"

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
		body = wasmfile.AppendU32(append(body, wasmfile.OpCall), l.function(f))
	}
	body = wasmfile.AppendU32(append(body, wasmfile.OpCall), l.exportOf("end_line"))
	l.entries, l.entryName = append(l.entries, append(body, wasmfile.OpEnd)), append(l.entryName, name)
	return uint32(len(l.imports) + len(l.program.Functions) + len(l.added) + len(l.entries) - 1)
}
