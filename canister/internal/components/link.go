package components

import (
	"fmt"
	goruntime "runtime"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
	"github.com/canisterd/canisterd/component"
)

// Header begins a component. It differs from that of a module in the version and the layer.
const Header = "\x00asm\x0d\x00\x01\x00"

// refused is the panic of a component that cannot be linked. Link turns it into its error.
type refused struct{ text string }

func (r refused) Error() string { return r.text }

func refuse(format string, args ...any) { panic(refused{fmt.Sprintf(format, args...)}) }

// Link returns the module. The error says why the component is not valid, or cannot be a canister. The code of its core modules
// is not validated: the module of a component with other code is not valid, or the error says that it is not.
func Link(binary []byte) (module []byte, err error) {
	linking, err := component.Link(binary)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case refused:
			err = fault
		case goruntime.Error: // package wasmfile read code that is not valid
			err = fmt.Errorf("a core module of the component is not valid (%w)", fault)
		default:
			panic(fault)
		}
	}()
	l := &linker{
		linking: linking, functionOf: map[*component.Canon]uint32{}, typeIndex: map[string]uint32{}, names: map[uint32]string{},
		dispatchers: map[string]uint32{}, ownResources: map[*component.OwnResource]int32{},
	}
	l.collect()
	l.tables = newTables(len(l.exported))
	l.merge()
	l.start = l.add("start", entryType, nil)
	l.checkIdentity = l.add("check-identity", entryType, nil)
	l.exportAll()
	l.generate()
	return l.write(), nil
}

// linker puts everything together. In the linked module the functions of the System API come first, then those of the core
// modules and of the runtime, and the generated ones.
type linker struct {
	linking *component.Linking
	parts   []*part // instances of core modules, then the runtime
	runtime *part
	memory  *part // that has the memory; nil if none has

	types     []string
	typeIndex map[string]uint32
	imports   []wasmfile.Import
	globals   [][]byte
	tableSize uint32
	elements  [][]byte
	data      [][]byte
	bodies    [][]byte
	exports   []wasmfile.Export
	metadata  [][]byte
	names     map[uint32]string

	generated   []generated
	first       uint32                      // index of the first generated function
	functionOf  map[*component.Canon]uint32 // functions of canonical definitions
	canons      []*component.Canon          // the same definitions, in their order
	dispatchers map[string]uint32           // functions with which the runtime calls the program, by name
	own         ownGlobals
	realloc     uint32
	start       uint32

	identity      int32  // see identityOf
	checkIdentity uint32 // the function that checks it

	wasi             bool // the component imports WASI
	importAllocators []component.CoreItem
	resources        map[component.Type]string // see resourceNames
	ownResources     map[*component.OwnResource]int32
	tables           *tables
	exported         []exported
}

// generated is a function that the linker writes.
type generated struct {
	name string
	typ  string
	body []byte
}

// add adds a generated function, and returns its index. Its body may be set later.
func (l *linker) add(name, typ string, body []byte) uint32 {
	l.generated = append(l.generated, generated{name, typ, body})
	return l.first + uint32(len(l.generated)-1)
}

// setBody sets the body of a generated function, which has local variables of the type i32.
func (l *linker) setBody(function uint32, locals uint32, c code) {
	l.generated[function-l.first].body = body(locals, c)
}

func body(locals uint32, c code) []byte {
	out := []byte{0}
	if locals > 0 {
		out = append(wasmfile.AppendU32([]byte{1}, locals), typeI32)
	}
	return append(append(out, c...), wasmfile.OpEnd)
}

// typeOf returns the index of a type, which it adds if it is new.
func (l *linker) typeOf(typ string) uint32 {
	i, ok := l.typeIndex[typ]
	if !ok {
		i = uint32(len(l.types))
		l.types, l.typeIndex[typ] = append(l.types, typ), i
	}
	return i
}

// write returns the linked module.
func (l *linker) write() []byte {
	var functions []uint32
	for _, p := range l.parts {
		for _, t := range p.m.Functions {
			functions = append(functions, l.typeOf(p.m.Types[t]))
		}
	}
	for _, g := range l.generated {
		functions = append(functions, l.typeOf(g.typ))
		l.bodies = append(l.bodies, g.body)
	}
	memory := wasmfile.Memory{}
	if l.memory != nil {
		memory = *l.memory.m.Memory
	}
	out := []byte(wasmfile.Header)
	out = wasmfile.AppendList(out, wasmfile.SectionType, l.types, wasmfile.AppendRaw[string])
	out = wasmfile.AppendList(out, wasmfile.SectionImport, l.imports, wasmfile.AppendImport)
	out = wasmfile.AppendList(out, wasmfile.SectionFunction, functions, wasmfile.AppendU32)
	out = wasmfile.AppendSection(out, wasmfile.SectionTable, wasmfile.AppendU32([]byte{1, typeFuncref, 0}, l.tableSize))
	out = wasmfile.AppendSection(out, wasmfile.SectionMemory, wasmfile.AppendMemory([]byte{1}, memory))
	out = wasmfile.AppendList(out, wasmfile.SectionGlobal, l.globals, wasmfile.AppendRaw[[]byte])
	out = wasmfile.AppendList(out, wasmfile.SectionExport, l.exports, wasmfile.AppendExport)
	if !l.wasi {
		out = wasmfile.AppendSection(out, wasmfile.SectionStart, wasmfile.AppendU32(nil, l.start))
	}
	out = wasmfile.AppendList(out, wasmfile.SectionElement, l.elements, wasmfile.AppendRaw[[]byte])
	out = wasmfile.AppendSection(out, wasmfile.SectionDataCount, wasmfile.AppendU32(nil, uint32(len(l.data))))
	out = wasmfile.AppendList(out, wasmfile.SectionCode, l.bodies, wasmfile.AppendBlock[[]byte])
	out = wasmfile.AppendList(out, wasmfile.SectionData, l.data, wasmfile.AppendRaw[[]byte])
	for _, m := range l.metadata {
		out = wasmfile.AppendSection(out, wasmfile.SectionCustom, m)
	}
	for i, g := range l.generated {
		l.names[l.first+uint32(i)] = g.name
	}
	return wasmfile.AppendNames(out, l.names)
}
