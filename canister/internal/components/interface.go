package components

import (
	"slices"
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/canister/internal/wasmfile"
	"github.com/canisterd/canisterd/component"
)

// An exported function is a method or an entry point. Its place in linker.exported is its number.
type exported struct {
	function *component.ComponentFunc
	export   string // of the linked module
	method   string // its name; empty for an entry point
	kind     candid.Annotation
	flags    uint32 // flagAsync …
}

const entryType = "\x60\x00\x00" // of entry points: no parameters, no results

// interfaceSection is the metadata with the interface.
const interfaceSection = "icp:public candid:service"

// prefixes are what the exports of methods begin with.
var prefixes = map[candid.Annotation]string{0: "canister_update ", candid.Query: "canister_query ", candid.CompositeQuery: "canister_composite_query "}

// collect finds the methods and entry points.
func (l *linker) collect() {
	taken := map[string]string{}
	for _, e := range l.linking.Exports {
		checkExported(e.Name, e.Func)
		x := exported{function: e.Func}
		if short, ok := ofPackage(e.Name); ok {
			entry, known := entryPoints[short]
			if !known {
				refuse("the component exports %s, which is no entry point of canisters", e.Name)
			}
			checkShape(e.Name, e.Func.Type, entry.typ)
			x.export, x.flags = entry.export, entry.flags
		} else {
			x.method, x.kind = method(e.Name, e.Func)
			x.export = prefixes[x.kind] + x.method
			if other, ok := taken[x.method]; ok {
				refuse("the component exports %s and %s, which would be the same method %s", other, e.Name, x.method)
			}
			taken[x.method] = e.Name
		}
		if e.Func.Options.Async {
			x.flags |= flagAsync
		}
		if e.Func.Options.PostReturn != nil {
			x.flags |= flagPostReturn
		}
		l.exported = append(l.exported, x)
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

// installations are the entry points that begin with the start function if the component imports WASI: no start function of a module
// may ask for the time.
var installations = []string{"canister_init", "canister_post_upgrade"}

// exportAll writes the functions into the tables, and makes the exports and the interface.
func (l *linker) exportAll() {
	missing := slices.Clone(installations)
	for i, x := range l.exported {
		l.tables.setFunction(i, x)
		l.entry(x.export, code{}.call(l.checkIdentity).i32(int32(i)).call(l.of("enter")))
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == x.export })
	}
	if l.wasi {
		for _, name := range missing {
			l.entry(name, nil)
		}
	}
	l.metadata = append(l.metadata, append(wasmfile.AppendBlock(nil, interfaceSection), l.service()...))
}

// entry exports an entry point.
func (l *linker) entry(name string, run code) {
	if l.wasi && slices.Contains(installations, name) {
		run = append(code{}.call(l.start), run...)
	}
	l.exports = append(l.exports, wasmfile.Export{Name: name, Kind: wasmfile.KindFunction, Index: l.add(name, entryType, body(0, run))})
}

// service writes the interface in Candid, in the order of the component.
func (l *linker) service() string {
	text := "service : {\n"
	for _, x := range l.exported {
		if x.method != "" {
			own := l.tables.candid.function(x.function.Type, x.kind).String()
			text += "  " + candid.Named(x.method).String() + " : " + strings.TrimPrefix(own, "func ") + ";\n"
		}
		if len(text) > maxInterfaceBytes {
			refuse("the interface of the component has more than the limit of %d bytes in Candid", maxInterfaceBytes)
		}
	}
	return text + "}\n"
}
