package components

import (
	"strconv"
	"strings"

	"github.com/canisterd/canisterd/component"
)

// packageName is the WIT package of this folder, and packageVersion the versions of it that the linker knows.
const (
	packageName    = "ic:canister/"
	packageVersion = "@0.1."
)

// A networkFunction is a function of ic:canister: name is that of the runtime's function.
type networkFunction struct {
	name  string
	async bool
	typ   string // see shape
}

const (
	shapePrincipal = "record{principal:list<u8>}"
	shapeCycles    = "record{low:u64,high:u64}"
)

// importable are the functions that a component can import, by INTERFACE#FUNCTION.
var importable = map[string]networkFunction{
	"calls#call": {"call", true, "(" + shapePrincipal + ",string,list<u8>,record{cycles:" + shapeCycles +
		",timeout-seconds:option<u32>})->result<list<u8>,record{code:u32,message:string}>"},
	"message#caller":              {"message#caller", false, "()->" + shapePrincipal},
	"message#cycles-available":    {"message#cycles-available", false, "()->" + shapeCycles},
	"message#cycles-accept":       {"message#cycles-accept", false, "(" + shapeCycles + ")->" + shapeCycles},
	"message#reply":               {"message#reply", false, "(list<u8>)"},
	"message#reject":              {"message#reject", false, "(string)"},
	"canister#self":               {"canister#self", false, "()->" + shapePrincipal},
	"canister#cycle-balance":      {"canister#cycle-balance", false, "()->" + shapeCycles},
	"canister#log":                {"canister#log", false, "(string)"},
	"canister#now":                {"canister#now", false, "()->u64"},
	"canister#set-timer":          {"canister#set-timer", false, "(u64)->u64"},
	"canister#set-certified-data": {"canister#set-certified-data", false, "(list<u8>)"},
	"canister#data-certificate":   {"canister#data-certificate", false, "()->option<list<u8>>"},
	"stable-memory#size":          {"stable-memory#size", false, "()->u64"},
	"stable-memory#grow":          {"stable-memory#grow", false, "(u64)->option<u64>"},
	"stable-memory#read":          {"stable-memory#read", false, "(u64,u32)->list<u8>"},
	"stable-memory#write":         {"stable-memory#write", false, "(u64,list<u8>)"},
}

// entryPoint is a function of ic:canister that a component can export.
type entryPoint struct {
	export string // of the linked module
	flags  uint32
	typ    string
}

// entryPoints are these functions, by INTERFACE#FUNCTION.
var entryPoints = map[string]entryPoint{
	"installation#init":         {"canister_init", flagRaw | flagSilent, "(list<u8>)"},
	"installation#pre-upgrade":  {"canister_pre_upgrade", flagSilent, "()"},
	"installation#post-upgrade": {"canister_post_upgrade", flagRaw | flagSilent, "(list<u8>)"},
	"timer-handler#fire":        {"canister_global_timer", flagSilent, "()"},
}

// ofPackage returns the name of a function of ic:canister without package and version.
func ofPackage(name string) (short string, ok bool) {
	rest, ok := strings.CutPrefix(name, packageName)
	if !ok {
		return "", false
	}
	path, function, _ := strings.Cut(rest, "#")
	at := strings.IndexByte(path, '@')
	if at < 0 || !strings.HasPrefix(path[at:], packageVersion) {
		refuse("the component uses %s: the version of the package must be 0.1", name)
	}
	return path[:at] + "#" + function, true
}

// importedFunction returns the function of ic:canister that a component imports.
func importedFunction(f *component.ComponentFunc) networkFunction {
	name, _ := ofPackage(f.Import)
	found, ok := importable[name]
	if !ok {
		refuse("the component imports %s, which no canister has: it can import functions of %s alone", f.Import, strings.TrimSuffix(packageName, "/"))
	}
	checkShape(f.Import, f.Type, found.typ)
	return found
}

func checkShape(name string, f component.FuncType, want string) {
	if got := functionShape(f); got != want {
		refuse("%s has the type %s; in a canister it is %s", name, got, want)
	}
}

// functionShape writes a type of a function without the names of its types, so that all that is equal in memory is equal. The
// text of a large type is cut.
func functionShape(f component.FuncType) string {
	s := new(shape)
	s.add("(")
	for i, p := range f.Params {
		s.separate(i)
		s.typ(p.Type)
	}
	s.add(")")
	if f.Result.Kind() != 0 {
		s.add("->")
		s.typ(f.Result)
	}
	return string(*s)
}

// shape is the text of a type.
type shape []byte

func (s *shape) add(text string) { *s = append(*s, text...) }

func (s *shape) separate(i int) {
	if i > 0 {
		s.add(",")
	}
}

func (s *shape) typ(t component.Type) {
	s.add(t.Kind().String())
	fields := t.Fields()
	opening, closing := "<", ">"
	switch {
	case t.Kind() == component.KindRecord:
		opening, closing = "{", "}"
	case len(fields) == 0:
		return
	}
	s.add(opening)
	for i, f := range fields {
		if len(*s) > maxShapeBytes {
			s.add("…")
			return
		}
		s.separate(i)
		switch s.add(f.Name); {
		case f.Type.Kind() != 0 && f.Name != "":
			s.add(":")
			s.typ(f.Type)
		case f.Type.Kind() != 0:
			s.typ(f.Type)
		case f.Name == "":
			s.add("_")
		}
	}
	if t.Kind() == component.KindFixedList {
		s.add("," + strconv.FormatUint(uint64(t.Length()), 10))
	}
	s.add(closing)
}
