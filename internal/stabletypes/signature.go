package stabletypes

import (
	"slices"
	"strings"
)

// MetadataSection is the metadata in which the Motoko compiler stores the signature.
const MetadataSection = "motoko:stable-types"

// Signature has the stable variables of a module.
type Signature struct {
	// before are the variables that an upgrade to this version accepts. They differ from after if the program has a
	// migration function.
	before []variable
	after  []variable // variables of the running program
	// chain are the migrations of version 4.0.0 in the order in which they run; nil for a program without.
	chain   []migration
	chained bool // version 4.0.0
}

// variable is one stable variable. Whether it is mutable is not kept: it may change at an upgrade.
type variable struct {
	name     string
	typ      *typ
	required bool // a migration function reads it, so that the previous version must have it
}

// migration is one migration of a chain: a function from some variables to others.
type migration struct {
	name          string
	input, output []variable
}

// Variables returns the names of the stable variables of the running program.
func (s *Signature) Variables() []string {
	names := make([]string, len(s.after))
	for i, v := range s.after {
		names[i] = v.name
	}
	return names
}

// find returns the variable with a name in a sorted list, nil if there is none.
func find(all []variable, name string) *variable {
	at, found := slices.BinarySearchFunc(all, name, func(v variable, name string) int { return strings.Compare(v.name, name) })
	if !found {
		return nil
	}
	return &all[at]
}

// kind is the outermost constructor of a type.
type kind uint8

const (
	named    kind = iota // a primitive type, a defined type with its arguments, or a type parameter
	option               // ?T
	weak                 // weak T
	mutable              // var T, of a field or the elements of an array
	array                // [T]
	tuple                // (A, B)
	object               // {a : A; b : B}, also of the sorts actor and module
	variant              // {#a : A; #b}
	function             // shared A -> async B
	async                // async T
)

// typ is a type as it was written.
type typ struct {
	kind   kind
	word   string      // name of a named type; sort of an object or a function; async or async*
	def    *definition // of a defined type; nil for a primitive type or a type parameter
	parts  []*typ      // arguments, elements, fields, cases; of a function its parameters and then its results
	labels []string    // of an object or a variant, sorted; one for each part
	inputs int         // number of the parameters of a function
	binds  []parameter // type parameters of a function
}

// parameter is a type parameter with its upper bound, nil for Any.
type parameter struct {
	name  string
	bound *typ
}

// definition is one definition of a type.
type definition struct {
	name   string
	params []parameter
	body   *typ
}

// substitute returns t with types in place of the type parameters.
func (t *typ) substitute(params []parameter, args []*typ) *typ {
	if t == nil || len(params) == 0 {
		return t
	}
	if t.kind == named && t.def == nil && len(t.parts) == 0 {
		for i, p := range params {
			if p.name == t.word {
				return args[i]
			}
		}
		return t
	}
	params, args = t.notBound(params, args)
	changed := *t
	changed.parts = make([]*typ, len(t.parts))
	for i, part := range t.parts {
		changed.parts[i] = part.substitute(params, args)
	}
	changed.binds = make([]parameter, len(t.binds))
	for i, b := range t.binds {
		changed.binds[i] = parameter{b.name, b.bound.substitute(params, args)}
	}
	return &changed
}

// notBound returns the type parameters, with their types, whose names a function does not bind again.
func (t *typ) notBound(params []parameter, args []*typ) (left []parameter, types []*typ) {
	if len(t.binds) == 0 {
		return params, args
	}
	for i, p := range params {
		if !slices.ContainsFunc(t.binds, func(b parameter) bool { return b.name == p.name }) {
			left, types = append(left, p), append(types, args[i])
		}
	}
	return left, types
}
