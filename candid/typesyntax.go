package candid

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/internal/syntax"
)

// TypeFromSyntax makes a type from a type expression; lookup finds the types of names.
func TypeFromSyntax(e *syntax.Type, lookup func(name string) (*Type, bool)) (*Type, error) {
	switch e.Op {
	case "":
		t, ok := lookup(e.Name)
		if !ok {
			return nil, &nameError{e.Name, e.Pos}
		}
		return t, nil
	case "blob":
		return blobType, nil
	case "opt", "vec":
		elem, err := TypeFromSyntax(e.Elem, lookup)
		if err != nil {
			return nil, err
		}
		if e.Op == "opt" {
			return OptOf(elem), nil
		}
		return VecOf(elem), nil
	case "record", "variant":
		return fieldsFromSyntax(e, lookup)
	case "func":
		return funcFromSyntax(e.Func, lookup)
	case "service":
		return serviceFromSyntax(e, lookup)
	}
	t, ok := PrimitiveByName(e.Op)
	if !ok {
		return nil, fmt.Errorf("%q is not a type", e.Op)
	}
	return t, nil
}

// nameError is an undefined name.
type nameError struct {
	name string
	pos  int
}

func (e *nameError) Error() string { return "the type " + e.name + " is not defined" }

func fieldsFromSyntax(e *syntax.Type, lookup func(string) (*Type, bool)) (*Type, error) {
	fields := make([]Field, len(e.Fields))
	for i, f := range e.Fields {
		fields[i].Label = Numbered(f.ID)
		if f.Form == syntax.ByName {
			fields[i].Label = Named(f.Name)
		}
		fields[i].Type = primitives[KindNull]
		if f.Type == nil {
			continue
		}
		var err error
		if fields[i].Type, err = TypeFromSyntax(f.Type, lookup); err != nil {
			return nil, err
		}
	}
	if e.Op == "record" {
		return RecordOf(fields...)
	}
	return VariantOf(fields...)
}

func funcFromSyntax(f *syntax.Func, lookup func(string) (*Type, bool)) (*Type, error) {
	var s Signature
	var err error
	if s.Args, s.ArgNames, err = ArgsFromSyntax(f.Args, lookup); err != nil {
		return nil, err
	}
	if s.Results, s.ResultNames, err = ArgsFromSyntax(f.Results, lookup); err != nil {
		return nil, err
	}
	for _, mode := range f.Modes {
		switch mode {
		case "query":
			s.Annotation |= Query
		case "oneway":
			s.Annotation |= Oneway
		case "composite_query":
			s.Annotation |= CompositeQuery
		}
	}
	return FuncOf(s)
}

// ArgsFromSyntax makes the types and the names of an argument list.
func ArgsFromSyntax(args []syntax.Arg, lookup func(string) (*Type, bool)) (types []*Type, names []string, err error) {
	types, names = make([]*Type, len(args)), make([]string, len(args))
	for i, a := range args {
		names[i] = a.Name
		if types[i], err = TypeFromSyntax(a.Type, lookup); err != nil {
			return nil, nil, err
		}
	}
	return types, names, nil
}

func serviceFromSyntax(e *syntax.Type, lookup func(string) (*Type, bool)) (*Type, error) {
	methods := make([]Method, len(e.Methods))
	for i, m := range e.Methods {
		t, err := TypeFromSyntax(m.Type, lookup)
		if err != nil {
			return nil, err
		}
		methods[i] = Method{m.Name, t}
	}
	return ServiceOf(methods...)
}
