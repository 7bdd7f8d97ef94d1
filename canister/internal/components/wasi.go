package components

import (
	"strings"

	"github.com/canisterd/canisterd/canister/internal/wasmfile"
	"github.com/canisterd/canisterd/component"
)

// wasiVersion is the version of WASI that the linker has: later ones are compatible.
const wasiVersion = "0.2"

// Shapes of functions of WASI (functionShape).
const (
	shapeStreamError = "variant<last-operation-failed:own,closed>"
	shapeWritten     = "->result<_," + shapeStreamError + ">"
	shapeMoved       = "->result<u64," + shapeStreamError + ">"
	shapeRead        = "(borrow,u64)->result<list<u8>," + shapeStreamError + ">"
	shapeZeroes      = "(borrow,u64)" + shapeWritten
	shapeBytes       = "(borrow,list<u8>)" + shapeWritten
	shapeSplice      = "(borrow,borrow,u64)" + shapeMoved
	shapeSubscribe   = "(borrow)->own"
	shapeTerminal    = "()->option<own>"
	shapeRandom      = "(u64)->list<u8>"
	shapeDatetime    = "()->record{seconds:u64,nanoseconds:u32}"
)

const (
	inputStream  = "wasi:io/streams#[method]input-stream."
	outputStream = "wasi:io/streams#[method]output-stream."
)

// wasiFunctions are the functions of WASI that a component can import, by INTERFACE#FUNCTION, with those of the runtime.
var wasiFunctions = map[string]networkFunction{
	"wasi:cli/environment#get-environment":           {name: "wasi:cli/environment#get-environment", typ: "()->list<tuple<string,string>>"},
	"wasi:cli/environment#get-arguments":             {name: "wasi:cli/environment#get-arguments", typ: "()->list<string>"},
	"wasi:cli/environment#initial-cwd":               {name: "wasi:cli/environment#initial-cwd", typ: "()->option<string>"},
	"wasi:cli/exit#exit":                             {name: "wasi:cli/exit#exit", typ: "(result<_,_>)"},
	"wasi:cli/exit#exit-with-code":                   {name: "wasi:cli/exit#exit-with-code", typ: "(u8)"},
	"wasi:cli/stdin#get-stdin":                       {name: "wasi:cli/stdin#get-stdin", typ: "()->own"},
	"wasi:cli/stdout#get-stdout":                     {name: "wasi:cli/stdout#get-stdout", typ: "()->own"},
	"wasi:cli/stderr#get-stderr":                     {name: "wasi:cli/stderr#get-stderr", typ: "()->own"},
	"wasi:cli/terminal-stdin#get-terminal-stdin":     {name: "no-terminal", typ: shapeTerminal},
	"wasi:cli/terminal-stdout#get-terminal-stdout":   {name: "no-terminal", typ: shapeTerminal},
	"wasi:cli/terminal-stderr#get-terminal-stderr":   {name: "no-terminal", typ: shapeTerminal},
	"wasi:clocks/monotonic-clock#now":                {name: "wasi:clocks/monotonic-clock#now", typ: "()->u64"},
	"wasi:clocks/monotonic-clock#resolution":         {name: "wasi:clocks/monotonic-clock#resolution", typ: "()->u64"},
	"wasi:clocks/monotonic-clock#subscribe-instant":  {name: "wasi:clocks/monotonic-clock#subscribe-instant", typ: "(u64)->own"},
	"wasi:clocks/monotonic-clock#subscribe-duration": {name: "wasi:clocks/monotonic-clock#subscribe-duration", typ: "(u64)->own"},
	"wasi:clocks/wall-clock#now":                     {name: "wasi:clocks/wall-clock#now", typ: shapeDatetime},
	"wasi:clocks/wall-clock#resolution":              {name: "wasi:clocks/wall-clock#resolution", typ: shapeDatetime},
	"wasi:filesystem/preopens#get-directories":       {name: "wasi:filesystem/preopens#get-directories", typ: "()->list<tuple<own,string>>"},
	"wasi:io/poll#[method]pollable.ready":            {name: "wasi:io/poll#[method]pollable.ready", typ: "(borrow)->bool"},
	"wasi:io/poll#[method]pollable.block":            {name: "wasi:io/poll#[method]pollable.block", typ: "(borrow)"},
	"wasi:io/poll#poll":                              {name: "wasi:io/poll#poll", typ: "(list<borrow>)->list<u32>"},
	inputStream + "read":                             {name: inputStream + "read", typ: shapeRead},
	inputStream + "blocking-read":                    {name: inputStream + "read", typ: shapeRead},
	inputStream + "skip":                             {name: inputStream + "skip", typ: "(borrow,u64)" + shapeMoved},
	inputStream + "blocking-skip":                    {name: inputStream + "skip", typ: "(borrow,u64)" + shapeMoved},
	inputStream + "subscribe":                        {name: inputStream + "subscribe", typ: shapeSubscribe},
	outputStream + "check-write":                     {name: outputStream + "check-write", typ: "(borrow)" + shapeMoved},
	outputStream + "write":                           {name: outputStream + "write", typ: shapeBytes},
	outputStream + "blocking-write-and-flush":        {name: outputStream + "blocking-write-and-flush", typ: shapeBytes},
	outputStream + "write-zeroes":                    {name: outputStream + "write-zeroes", typ: shapeZeroes},
	outputStream + "blocking-write-zeroes-and-flush": {name: outputStream + "blocking-write-zeroes-and-flush", typ: shapeZeroes},
	outputStream + "flush":                           {name: outputStream + "flush", typ: "(borrow)" + shapeWritten},
	outputStream + "blocking-flush":                  {name: outputStream + "flush", typ: "(borrow)" + shapeWritten},
	outputStream + "splice":                          {name: outputStream + "splice", typ: shapeSplice},
	outputStream + "blocking-splice":                 {name: outputStream + "splice", typ: shapeSplice},
	outputStream + "subscribe":                       {name: outputStream + "subscribe", typ: shapeSubscribe},
	"wasi:random/random#get-random-bytes":            {name: "random-bytes", typ: shapeRandom},
	"wasi:random/random#get-random-u64":              {name: "random-u64", typ: "()->u64"},
	"wasi:random/insecure#get-insecure-random-bytes": {name: "random-bytes", typ: shapeRandom},
	"wasi:random/insecure#get-insecure-random-u64":   {name: "random-u64", typ: "()->u64"},
	"wasi:random/insecure-seed#insecure-seed":        {name: "wasi:random/insecure-seed#insecure-seed", typ: "()->tuple<u64,u64>"},
	"wasi:logging/logging#log":                       {name: "wasi:logging/logging#log", typ: "(enum<trace,debug,info,warn,error,critical>,string,string)"},
}

// wasiResources are the functions that drop a resource.
var wasiResources = map[string]string{
	"wasi:io/streams#input-stream": "drop-input-stream", "wasi:io/streams#output-stream": "drop-output-stream", "wasi:io/poll#pollable": "drop-pollable",
}

// absent are interfaces whose functions need something that no canister has. A component that imports them runs until it calls
// one. Those of wasi:sockets are among them, because some C libraries import them for all programs.
var absent = map[string]string{
	"wasi:io/error": "an error of a stream", "wasi:filesystem/types": "a file", "wasi:clocks/timezone": "a time zone",
	"wasi:cli/terminal-input": "a terminal", "wasi:cli/terminal-output": "a terminal",
	"wasi:sockets/network": "a network", "wasi:sockets/instance-network": "a network", "wasi:sockets/ip-name-lookup": "a network",
	"wasi:sockets/tcp": "a network", "wasi:sockets/tcp-create-socket": "a network",
	"wasi:sockets/udp": "a network", "wasi:sockets/udp-create-socket": "a network",
}

// ofWASI returns the name of an item of WASI without the version. It refuses what no canister has.
func ofWASI(name string) (short string, ok bool) {
	if !strings.HasPrefix(name, "wasi:") {
		return "", false
	}
	imported, item, _ := strings.Cut(name, "#")
	path, version, _ := strings.Cut(imported, "@")
	pkg, _, _ := strings.Cut(path, "/")
	switch {
	case pkg == "wasi:http":
		refuse("the component imports %s, and a canister has no network: build it without %s", imported, pkg)
	case pkg == "wasi:logging":
		if version != "" && !strings.HasPrefix(version, "0.1.0-draft") {
			refuse("the component imports %s, and a canister has version 0.1.0-draft of it", imported)
		}
	case version != wasiVersion && !strings.HasPrefix(version, wasiVersion+".") || strings.Contains(version, "-"):
		refuse("the component imports %s, and a canister has version %s of WASI", imported, wasiVersion)
	}
	return path + "#" + item, true
}

// wasiImport returns the function that a component calls for one of WASI: of the runtime, or one that traps.
func (l *linker) wasiImport(c *component.Canon, short, typ string) uint32 {
	l.wasi = true
	f, ok := wasiFunctions[short]
	path, _, _ := strings.Cut(short, "#")
	switch what := absent[path]; {
	case ok:
		checkShape(c.Func.Import, c.Func.Type, f.typ)
		return l.withAllocator(c, typ, l.typed(f.name, typ))
	case short == "wasi:filesystem/types#filesystem-error-code":
		return l.add(short, typ, body(0, l.fails(absent["wasi:io/error"])))
	case what != "":
		return l.add(short, typ, body(0, l.fails(what)))
	}
	refuse("the component imports %s, which no canister has", c.Func.Import)
	return 0
}

// fails is the body of a function that traps.
func (l *linker) fails(what string) code {
	return code{}.i32(int32(l.tables.put([]byte(what)))).i32(int32(len(what))).call(l.of("no-such-resource")).op(wasmfile.OpUnreachable)
}

// drop returns the function that drops a resource of WASI.
func (l *linker) drop(c *component.Canon, typ string) uint32 {
	short, ok := ofWASI(l.resourceNames()[c.Resource])
	if !ok {
		refuse("the component uses %s of a resource that it imports, which no canister has", c.Name)
	}
	l.wasi = true
	if name, ok := wasiResources[short]; ok {
		return l.typed(name, typ)
	}
	_, resource, _ := strings.Cut(short, "#")
	return l.add(c.Name+" "+resource, typ, body(0, l.fails("a resource of the type "+resource)))
}

// resourceNames are the names of the resources that the component imports: INTERFACE#RESOURCE, of the interface that has them
// first.
func (l *linker) resourceNames() map[component.Type]string {
	if l.resources != nil {
		return l.resources
	}
	l.resources = map[component.Type]string{}
	for _, i := range l.linking.Imports {
		for _, item := range i.Instance {
			if _, ok := l.resources[item.Type]; !ok && item.Type.Kind() == component.KindResource {
				l.resources[item.Type] = i.Name + "#" + item.Name
			}
		}
	}
	return l.resources
}
