package components

import (
	"strings"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/component"
)

// candidTypes has the Candid type of each WIT type that was seen.
type candidTypes struct {
	types map[component.Type]*candid.Type
}

func newCandidTypes() *candidTypes { return &candidTypes{map[component.Type]*candid.Type{}} }

// primitiveNames are the Candid types of primitive types.
var primitiveNames = map[component.Kind]string{
	component.KindBool: "bool", component.KindString: "text", component.KindChar: "nat32",
	component.KindS8: "int8", component.KindS16: "int16", component.KindS32: "int32", component.KindS64: "int64",
	component.KindU8: "nat8", component.KindU16: "nat16", component.KindU32: "nat32", component.KindU64: "nat64",
	component.KindF32: "float32", component.KindF64: "float64",
}

func primitiveNamed(name string) *candid.Type {
	t, ok := candid.PrimitiveByName(name)
	if !ok {
		panic("Candid has no type " + name)
	}
	return t
}

// of returns the Candid type of a WIT type; null for none.
func (c *candidTypes) of(typ component.Type) *candid.Type {
	if typ.Kind() == 0 {
		return primitiveNamed("null")
	}
	if name, ok := primitiveNames[typ.Kind()]; ok {
		return primitiveNamed(name)
	}
	own, ok := c.types[typ]
	if !ok {
		own = c.compose(typ)
		c.types[typ] = own
	}
	return own
}

func (c *candidTypes) compose(typ component.Type) *candid.Type {
	switch typ.Kind() {
	case component.KindList, component.KindFixedList:
		return candid.VecOf(c.of(typ.Element()))
	case component.KindMap:
		fields := typ.Fields()
		return candid.VecOf(candid.TupleOf(c.of(fields[0].Type), c.of(fields[1].Type)))
	case component.KindOption:
		return candid.OptOf(c.of(typ.Element()))
	case component.KindRecord, component.KindTuple, component.KindFlags:
		if special := specialOf(typ); special != "" {
			return primitiveNamed(special)
		}
		own, err := candid.RecordOf(c.fields(typ)...)
		return checked(own, err)
	case component.KindVariant, component.KindEnum, component.KindResult:
		own, err := candid.VariantOf(c.fields(typ)...)
		return checked(own, err)
	}
	what, ok := unsendable[typ.Kind()]
	if !ok {
		what = "a " + typ.Kind().String()
	}
	refuse("a function has a type with %s, which canisters cannot send", what)
	return nil
}

// unsendable are kinds of types that no message has and whose name says too little.
var unsendable = map[component.Kind]string{
	component.KindOwn: "an owned resource", component.KindBorrow: "a borrowed resource", component.KindErrorContext: "an error context",
}

func checked(own *candid.Type, err error) *candid.Type {
	if err != nil {
		refuse("a type of the component is no type of Candid: %v", err)
	}
	return own
}

func (c *candidTypes) fields(typ component.Type) (fields []candid.Field) {
	for i, f := range typ.Fields() {
		own := primitiveNamed("bool")
		if typ.Kind() != component.KindFlags {
			own = c.of(f.Type)
		}
		fields = append(fields, candid.Field{Label: label(typ.Kind(), i, f), Type: own})
	}
	return fields
}

// label is the label of a field, case or flag.
func label(kind component.Kind, i int, f component.Field) candid.Label {
	switch kind {
	case component.KindTuple:
		return candid.Numbered(uint32(i))
	case component.KindResult:
		return candid.Named([]string{"ok", "err"}[i])
	}
	return candid.Named(snake(f.Name))
}

// snake writes a name of WIT as names in Candid are written.
func snake(name string) string { return strings.ReplaceAll(name, "-", "_") }

// specialOf returns the Candid type of records of ic:canister/types that stand for one, by the name of their only field.
func specialOf(typ component.Type) string {
	fields := typ.Fields()
	if typ.Kind() != component.KindRecord || len(fields) != 1 {
		return ""
	}
	name, content := fields[0].Name, fields[0].Type
	if _, ok := specialTables[name]; ok && content.Kind() == component.KindList && content.Element().Kind() == component.KindU8 {
		return name
	}
	return ""
}

// header is what a reply begins with.
func (c *candidTypes) header(result component.Type) []byte {
	var types []*candid.Type
	if result.Kind() != 0 {
		types = append(types, c.of(result))
	}
	return candid.EncodeTypes(types)
}

// function is the type of an exported function.
func (c *candidTypes) function(f component.FuncType, annotation candid.Annotation) *candid.Type {
	s := candid.Signature{Annotation: annotation}
	for _, p := range f.Params {
		s.Args, s.ArgNames = append(s.Args, c.of(p.Type)), append(s.ArgNames, snake(p.Name))
	}
	if f.Result.Kind() != 0 {
		s.Results = []*candid.Type{c.of(f.Result)}
	}
	own, err := candid.FuncOf(s)
	return checked(own, err)
}
