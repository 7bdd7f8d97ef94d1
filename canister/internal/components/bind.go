package components

import (
	"slices"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
	"github.com/canisterd/canisterd/component"
)

// Modules that the runtime imports from.
const (
	systemModule  = "ic0"
	programModule = "program" // functions that are generated
)

// bind finds what the imports of a part are.
func (p *part) bind() {
	if p == p.linker.runtime {
		p.bindRuntime()
		return
	}
	items := p.linker.linking.Modules[p.number].Imports
	for _, i := range p.m.Imports {
		p.boundFunctions = append(p.boundFunctions, p.linker.function(items[component.CoreImport{Module: i.Module, Name: i.Name}]))
	}
	for _, o := range p.m.Others {
		item := items[component.CoreImport{Module: o.Module, Name: o.Name}]
		from := p.linker.parts[item.Module]
		switch o.Kind {
		case wasmfile.KindTable:
			p.boundTables = append(p.boundTables, from.table(from.exported(o.Kind, item.Name)))
		case wasmfile.KindGlobal:
			p.boundGlobals = append(p.boundGlobals, from.global(from.exported(o.Kind, item.Name)))
		}
	}
}

func (p *part) bindRuntime() {
	l := p.linker
	system := uint32(0)
	for _, i := range p.m.Imports {
		if i.Module == systemModule {
			p.boundFunctions = append(p.boundFunctions, system)
			system++
		} else {
			p.boundFunctions = append(p.boundFunctions, l.program(i.Name, p.m.Types[i.Type]))
		}
	}
	for _, o := range p.m.Others {
		switch o.Kind {
		case wasmfile.KindTable:
			p.boundTables = append(p.boundTables, 0)
		case wasmfile.KindGlobal:
			p.boundGlobals = append(p.boundGlobals, map[string]uint32{
				"__stack_pointer": l.own.stackPointer, "__memory_base": l.own.memoryBase, "__table_base": l.own.tableBase,
			}[o.Name])
		}
	}
}

// exported returns the index of an export.
func (p *part) exported(kind byte, name string) uint32 {
	i, ok := p.exports[exportKey{kind, name}]
	if !ok {
		refuse("core module %d of the component does not export %q", p.number, name)
	}
	return i
}

// function returns the place of a function of the part in the linked module.
func (p *part) function(i uint32) uint32 {
	if i < uint32(len(p.boundFunctions)) {
		return p.boundFunctions[i]
	}
	return p.functions + i - uint32(len(p.m.Imports))
}

func (p *part) global(i uint32) uint32 {
	if i < uint32(len(p.boundGlobals)) {
		return p.boundGlobals[i]
	}
	return p.globals + i - uint32(len(p.boundGlobals))
}

// table returns the place of the first element of a table.
func (p *part) table(i uint32) uint32 {
	if i < uint32(len(p.boundTables)) {
		return p.boundTables[i]
	}
	return p.ownTables[i-uint32(len(p.boundTables))]
}

// function returns the place of a function that a component names.
func (l *linker) function(item component.CoreItem) uint32 {
	if item.Canon != nil {
		return l.canonical(item.Canon)
	}
	p := l.parts[item.Module]
	return p.function(p.exported(wasmfile.KindFunction, item.Name))
}

// typeOfFunction returns the type of such a function.
func (l *linker) typeOfFunction(item component.CoreItem) string {
	if item.Canon != nil {
		return functionType(item.Canon.Params, item.Canon.Results)
	}
	p := l.parts[item.Module]
	i := p.exported(wasmfile.KindFunction, item.Name)
	if i >= uint32(len(p.m.Imports)) {
		return p.m.Types[p.m.Type(i)]
	}
	imported := p.m.Imports[i]
	return l.typeOfFunction(l.linking.Modules[p.number].Imports[component.CoreImport{Module: imported.Module, Name: imported.Name}])
}

// runtimeFunction returns the place of a function that the runtime exports, and its type.
func (l *linker) runtimeFunction(name string) (place uint32, typ string, ok bool) {
	i, ok := l.runtime.exports[exportKey{wasmfile.KindFunction, name}]
	if !ok {
		return 0, "", false
	}
	return l.runtime.functions + i - uint32(len(l.runtime.m.Imports)), l.runtime.m.Types[l.runtime.m.Type(i)], true
}

// of is runtimeFunction for a function that the linker needs.
func (l *linker) of(name string) uint32 {
	place, _, ok := l.runtimeFunction(name)
	if !ok {
		panic("the runtime has no function " + name)
	}
	return place
}

// system returns the place of a function of the network that the runtime imports.
func (l *linker) system(name string) uint32 {
	i := slices.IndexFunc(l.imports, func(i wasmfile.Import) bool { return i.Name == name })
	if i < 0 {
		panic("the runtime does not import ic0." + name)
	}
	return uint32(i)
}
