package components

import (
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/canister/internal/wasmfile"
	"github.com/canisterd/canisterd/component"
)

// methods are the functions that a component exports, by their numbers, and the start function of the linked module.
type methods struct {
	functions []*component.ComponentFunc
	exports   []string // of the linked module
	names     []string // of methods; empty for entry points
	kinds     []candid.Annotation
	flags     []uint32
	start     uint32
}

const entryType = "\x60\x00\x00" // of entry points: no parameters, no results

// interfaceSection is the metadata with the interface.
const interfaceSection = "icp:public candid:service"

// prefixes are what the exports of methods begin with.
var prefixes = map[candid.Annotation]string{0: "canister_update ", candid.Query: "canister_query ", candid.CompositeQuery: "canister_composite_query "}

// collect finds the methods and entry points.
func (l *linker) collect() {
	m, taken := &l.methods, map[string]string{}
	for _, e := range l.linking.Exports {
		f := e.Func
		checkExported(e.Name, f)
		var (
			export, name string
			flags        uint32
			annotation   candid.Annotation
		)
		if short, ok := ofPackage(e.Name); ok {
			entry, known := entryPoints[short]
			if !known {
				refuse("the component exports %s, which is no entry point of canisters", e.Name)
			}
			checkShape(e.Name, f.Type, entry.typ)
			export, flags = entry.export, entry.flags
		} else {
			name, annotation = method(e.Name, f)
			export = prefixes[annotation] + name
			if other, ok := taken[name]; ok {
				refuse("the component exports %s and %s, which would be the same method %s", other, e.Name, name)
			}
			taken[name] = e.Name
		}
		if f.Options.Async {
			flags |= flagAsync
		}
		if f.Options.PostReturn != nil {
			flags |= flagPostReturn
		}
		m.functions, m.exports, m.names = append(m.functions, f), append(m.exports, export), append(m.names, name)
		m.kinds, m.flags = append(m.kinds, annotation), append(m.flags, flags)
	}
}

// checkExported checks how a function is lifted.
func checkExported(name string, f *component.ComponentFunc) {
	switch {
	case f.Core == nil:
		refuse("the component exports %s, which it imports", name)
	case f.Options.Async && f.Options.Callback == nil:
		refuse("function %s waits on a stack of its own: in a canister, functions wait with callbacks alone", name)
	}
	checkEncoding(f.Options)
}

// method returns the name and the kind of the method of a function. Functions of an interface whose name ends in queries are
// queries, and composite queries if they are asynchronous.
func method(export string, f *component.ComponentFunc) (name string, kind candid.Annotation) {
	path, function, inside := strings.Cut(export, "#")
	if !inside {
		return snake(export), 0
	}
	path, _, _ = strings.Cut(path, "@")
	switch {
	case !strings.HasSuffix(path, "queries"):
	case f.Type.Async:
		kind = candid.CompositeQuery
	default:
		kind = candid.Query
	}
	return snake(function), kind
}

// exportAll writes the functions into the tables, and makes the exports and the interface.
func (l *linker) exportAll() {
	m := &l.methods
	for i, f := range m.functions {
		l.tables.setFunction(i, m.names[i], f, m.flags[i])
		entry := l.add(m.exports[i], entryType, body(0, code{}.i32(int32(i)).call(l.of("enter"))))
		l.exports = append(l.exports, wasmfile.Export{Name: m.exports[i], Kind: wasmfile.KindFunction, Index: entry})
	}
	l.metadata = append(l.metadata, append(wasmfile.AppendBlock(nil, interfaceSection), l.service()...))
}

// service writes the interface in Candid, in the order of the component.
func (l *linker) service() string {
	m := &l.methods
	text := "service : {\n"
	for i, f := range m.functions {
		if m.names[i] != "" {
			own := l.tables.candid.function(f.Type, m.kinds[i]).String()
			text += "  " + candid.Named(m.names[i]).String() + " : " + strings.TrimPrefix(own, "func ") + ";\n"
		}
	}
	if len(text) > maxInterfaceBytes {
		refuse("the interface of the component has more than the limit of %d bytes in Candid", maxInterfaceBytes)
	}
	return text + "}\n"
}
