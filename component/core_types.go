package component

import (
	"fmt"
	"slices"
	"strings"
)

// coreValue is the type of a core value: its bytes in the binary format.
type coreValue string

const (
	coreI32       coreValue = "\x7f"
	coreI64       coreValue = "\x7e"
	coreF32       coreValue = "\x7d"
	coreF64       coreValue = "\x7c"
	coreFuncref   coreValue = "\x70"
	coreExternref coreValue = "\x6f"
)

var coreValueNames = map[coreValue]string{
	coreI32: "i32", coreI64: "i64", coreF32: "f32", coreF64: "f64", "\x7b": "v128",
	coreFuncref: "funcref", coreExternref: "externref", "\x69": "exnref",
}

func (v coreValue) String() string {
	if name, ok := coreValueNames[v]; ok {
		return name
	}
	return fmt.Sprintf("type 0x%x", string(v))
}

// coreFunc is the type of a core function or of a tag.
type coreFunc struct{ params, results []coreValue }

func (f *coreFunc) equal(g *coreFunc) bool {
	return slices.Equal(f.params, g.params) && slices.Equal(f.results, g.results)
}

// String writes the type as the text format does.
func (f *coreFunc) String() string {
	var s strings.Builder
	s.WriteString("(func")
	for _, part := range []struct {
		name  string
		types []coreValue
	}{{"param", f.params}, {"result", f.results}} {
		if len(part.types) > 0 {
			fmt.Fprintf(&s, " (%s", part.name)
			for _, t := range part.types {
				fmt.Fprintf(&s, " %s", t)
			}
			s.WriteString(")")
		}
	}
	return s.String() + ")"
}

// signature reads one as in the table of canonical definitions: i is i32, l is i64, and a colon is before the results.
func signature(text string) *coreFunc {
	params, results, _ := strings.Cut(text, ":")
	values := func(letters string) (types []coreValue) {
		for _, letter := range letters {
			types = append(types, map[rune]coreValue{'i': coreI32, 'l': coreI64}[letter])
		}
		return types
	}
	return &coreFunc{values(params), values(results)}
}

// otherCoreType is a core type that is no function type: components cannot use it.
type otherCoreType struct{}

// limits are those of a table or memory.
type limits struct {
	min, max uint64
	bounded  bool
	shared   bool
	wide     bool // 64-bit indices
}

// coreExtern is the type of an import or export of a core module. Only the fields of its sort are set.
type coreExtern struct {
	sort    sort
	fn      *coreFunc // of a function or a tag
	value   coreValue // of a global, and the elements of a table
	mutable bool
	limits  limits
}

// coreExternRef is the same in the binary format: a function or a tag has the index of its type.
type coreExternRef struct {
	coreExtern
	index uint32
}

type coreImport struct {
	module, name string
	item         coreExtern
}

type coreExport struct {
	name string
	item coreExtern
}

// moduleType is the type of a core module. Instances have its exports.
type moduleType struct {
	imports  []coreImport
	imported map[[2]string]int // places in imports
	exports  coreExternMap
}

// coreExternMap has the exports of a module or an instance in their order.
type coreExternMap struct {
	items []coreExport
	index map[string]int
}

func (e *coreExternMap) add(name string, item coreExtern) bool {
	if _, taken := e.index[name]; taken {
		return false
	}
	if e.index == nil {
		e.index = map[string]int{}
	}
	e.index[name] = len(e.items)
	e.items = append(e.items, coreExport{name, item})
	return true
}

func (e *coreExternMap) find(name string) (coreExtern, bool) {
	i, ok := e.index[name]
	if !ok {
		return coreExtern{}, false
	}
	return e.items[i].item, true
}
