package components

import (
	"slices"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
)

// part is a core module that is merged, with the places of its items in the linked module.
type part struct {
	linker   *linker
	number   int // among the instances of the component
	m        *wasmfile.Module
	exports  map[exportKey]uint32
	segments []wasmfile.Segment

	functions, globals, elements, data uint32   // places of its first own items
	ownTables                          []uint32 // places of the first elements of its own tables
	boundFunctions                     []uint32 // what its imports are
	boundGlobals                       []uint32
	boundTables                        []uint32

	referred map[uint32]bool // its functions that are exported, or that its code, tables or globals refer to
	assigned [][]uint32      // places of the globals that each of its own functions assigns
	assigns  []uint32        // those of the function that is copied
}

type exportKey struct {
	kind byte
	name string
}

func (l *linker) newPart(binary []byte) *part {
	p := &part{linker: l, number: len(l.parts), m: wasmfile.Parse(binary), exports: map[exportKey]uint32{}, referred: map[uint32]bool{}}
	for _, e := range p.m.Exports {
		p.exports[exportKey{e.Kind, e.Name}] = e.Index
		if e.Kind == wasmfile.KindFunction {
			p.referred[e.Index] = true
		}
	}
	if p.m.Start != nil {
		p.referred[*p.m.Start] = true
	}
	if content, ok := p.m.Raw[wasmfile.SectionData]; ok {
		wasmfile.NewReader(content).EachSegment(func(s wasmfile.Segment) { p.segments = append(p.segments, s) })
	}
	l.parts = append(l.parts, p)
	return p
}

// ownGlobals are the globals that the linker adds, for the runtime.
type ownGlobals struct {
	stackPointer, memoryBase, tableBase uint32 // as position-independent code has them
	slots                               uint32 // where the runtime's memory begins
	heap, heapEnd                       uint32 // of the allocator of a program that has none
	allocator                           uint32 // of the imported function that is called: a place in linker.importAllocators, from 1
}

const ownGlobalCount = 7

// merge gives all items of the core modules their places, and then copies them.
func (l *linker) merge() {
	if len(l.linking.Modules) == 0 {
		refuse("the component has no core module")
	}
	if n := len(l.linking.Modules); n > maxCoreInstances {
		refuse("the component makes %d instances of core modules; one that is a canister makes at most %d", n, maxCoreInstances)
	}
	size := 0
	for _, m := range l.linking.Modules {
		size += len(m.Binary)
		if size > maxLinkedBytes {
			refuse("the core modules of the component have more than the limit of %d bytes", maxLinkedBytes)
		}
		l.newPart(m.Binary)
	}
	l.runtime = l.newPart(runtime)
	l.findMemory()
	l.place()
	for _, p := range l.parts {
		p.bind()
	}
	for _, p := range l.parts {
		p.copy()
	}
	l.removeUnused()
	l.fixGlobals()
}

// findMemory finds the part with the memory: pointers of several could not be told apart.
func (l *linker) findMemory() {
	for _, p := range l.parts {
		if p.m.Memory == nil {
			continue
		}
		if l.memory != nil {
			refuse("the component has more than one memory: core modules %d and %d have one", l.memory.number, p.number)
		}
		if p.m.Memories > 1 || p.importsMemory() {
			refuse("core module %d of the component has more than one memory", p.number)
		}
		l.memory = p
	}
}

func (p *part) importsMemory() bool {
	return slices.ContainsFunc(p.m.Others, func(o wasmfile.OtherImport) bool { return o.Kind == wasmfile.KindMemory })
}

// place gives items their places. The table of the part with the memory comes first: its indices stay as they are.
func (l *linker) place() {
	for _, item := range l.runtime.m.Imports {
		if item.Module == systemModule {
			item.Type = l.typeOf(l.runtime.m.Types[item.Type])
			l.imports = append(l.imports, item)
		}
	}
	next, globals, elements, data := uint32(len(l.imports)), uint32(0), uint32(0), uint32(0)
	for _, p := range l.parts {
		p.functions, p.globals, p.elements, p.data = next, globals, elements, data
		next += uint32(len(p.m.Functions))
		globals += uint32(len(p.m.Globals))
		elements += uint32(len(p.m.Elements))
		data += uint32(len(p.segments))
	}
	l.first = next
	if l.memory != nil {
		l.memory.placeTables()
	}
	for _, p := range l.parts {
		if p != l.memory {
			p.placeTables()
		}
	}
	l.own = ownGlobals{globals, globals + 1, globals + 2, globals + 3, globals + 4, globals + 5, globals + 6}
}

// placeTables puts the tables of a part behind those of others: a canister has one table.
func (p *part) placeTables() {
	content, ok := p.m.Raw[wasmfile.SectionTable]
	if !ok {
		return
	}
	wasmfile.NewReader(content).EachTable(func(elements byte, size uint64) {
		if elements != typeFuncref {
			refuse("core module %d has a table whose elements are no functions", p.number)
		}
		p.ownTables = append(p.ownTables, p.linker.tableSize)
		if size > maxTableElements-uint64(p.linker.tableSize) {
			refuse("the tables of the component have more than the limit of %d elements", maxTableElements)
		}
		p.linker.tableSize += uint32(size)
	})
}
