package candid

import (
	"fmt"
	"slices"
	"strings"
)

// Type is a Candid type. Types are graphs: a recursive type refers to itself. They are immutable once made, so they can
// be shared.
type Type struct {
	kind    Kind
	name    string
	elem    *Type
	fields  []Field
	fn      *Signature
	methods []Method
}

// Label is the id of a record field or variant case and, if known, the name whose hash is the id.
type Label struct {
	ID   uint32
	Name string
}

// Field is one field of a record type or one case of a variant type.
type Field struct {
	Label
	Type *Type
}

// Annotation is a set of function annotations.
type Annotation uint8

// The annotations of a function (Candid specification, "Functions").
const (
	Query Annotation = 1 << iota
	Oneway
	CompositeQuery
)

// Signature is the type of a function. Names of arguments are documentation; they may be absent ("").
type Signature struct {
	Args        []*Type
	Results     []*Type
	ArgNames    []string
	ResultNames []string
	Annotation  Annotation
}

// Method is one method of a service type; Type is a func type.
type Method struct {
	Name string
	Type *Type
}

// Named returns the label of a name.
func Named(name string) Label { return Label{ID: Hash(name), Name: name} }

// Numbered returns a label without a name.
func Numbered(id uint32) Label { return Label{ID: id} }

// Hash returns the id of a field name (Candid specification, "Symbolic Field Ids"): Σ utf8[i]·223^(k−i) mod 2^32.
func Hash(name string) uint32 {
	var h uint32
	for i := range len(name) {
		h = h*223 + uint32(name[i])
	}
	return h
}

// OptOf returns opt elem.
func OptOf(elem *Type) *Type { return &Type{kind: KindOpt, elem: elem} }

// VecOf returns vec elem.
func VecOf(elem *Type) *Type {
	if elem == primitives[KindNat8] {
		return blobType
	}
	return &Type{kind: KindVec, elem: elem}
}

// RecordOf returns a record type. It fails if two fields have the same id.
func RecordOf(fields ...Field) (*Type, error) { return composite(KindRecord, fields) }

// VariantOf returns a variant type. It fails if two cases have the same id.
func VariantOf(cases ...Field) (*Type, error) { return composite(KindVariant, cases) }

func composite(kind Kind, fields []Field) (*Type, error) {
	sorted := slices.Clone(fields)
	slices.SortFunc(sorted, func(a, b Field) int { return compareIDs(a.ID, b.ID) })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].ID == sorted[i-1].ID {
			return nil, collision(kind, sorted[i-1].Label, sorted[i].Label)
		}
	}
	return &Type{kind: kind, fields: sorted}, nil
}

func collision(kind Kind, a, b Label) error {
	if a.Name == b.Name {
		return fmt.Errorf("%s has the field %s twice", kind, a)
	}
	return fmt.Errorf("the %s fields %s and %s have the same id %d: rename one", kind, a, b, a.ID)
}

func compareIDs(a, b uint32) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TupleOf returns a record type with the ids 0, 1, ….
func TupleOf(elems ...*Type) *Type {
	fields := make([]Field, len(elems))
	for i, t := range elems {
		fields[i] = Field{Label: Numbered(uint32(i)), Type: t}
	}
	return &Type{kind: KindRecord, fields: fields}
}

// FuncOf returns a func type. A oneway function has no results.
func FuncOf(s Signature) (*Type, error) {
	if s.Annotation&Oneway != 0 && len(s.Results) > 0 {
		return nil, fmt.Errorf("a oneway function has no results, this one has %d", len(s.Results))
	}
	return &Type{kind: KindFunc, fn: &s}, nil
}

// ServiceOf returns a service type. It fails if two methods have the same name.
func ServiceOf(methods ...Method) (*Type, error) {
	sorted := slices.Clone(methods)
	slices.SortFunc(sorted, func(a, b Method) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Name == sorted[i-1].Name {
			return nil, fmt.Errorf("the service has the method %q twice", sorted[i].Name)
		}
	}
	return &Type{kind: KindService, methods: sorted}, nil
}

// Recursive returns a named type before its definition is known: define sets the definition and must be called exactly
// once, before the type is used for anything except building other types.
func Recursive(name string) (t *Type, define func(*Type)) {
	t = &Type{kind: KindNamed, name: name}
	return t, func(def *Type) {
		if t.elem != nil {
			panic("candid: type " + name + " is defined twice")
		}
		t.elem = def
	}
}

// resolve follows names. The parser of definitions rejects vacuous types, so the chain ends; the limit is for types
// built by hand.
func (t *Type) resolve() *Type {
	for range MaxDepth {
		if t == nil {
			panic("candid: a type is nil or has a name without a definition")
		}
		if t.kind != KindNamed {
			return t
		}
		t = t.elem
	}
	panic("candid: type " + t.name + " is defined as itself")
}

// Kind returns the outermost constructor, after following names.
func (t *Type) Kind() Kind { return t.resolve().kind }

// Name returns the name of a type made by [Recursive], or "".
func (t *Type) Name() string { return t.name }

// Elem returns the type inside opt and vec, nil for others.
func (t *Type) Elem() *Type { return t.resolve().elem }

// Fields returns the fields of a record or the cases of a variant, by ascending id. The caller must not change them.
func (t *Type) Fields() []Field { return t.resolve().fields }

// Signature returns the signature of a func type, nil for others.
func (t *Type) Signature() *Signature { return t.resolve().fn }

// Methods returns the methods of a service type, by name. The caller must not change them.
func (t *Type) Methods() []Method { return t.resolve().methods }

// IsBlob reports whether the type is vec nat8.
func (t *Type) IsBlob() bool {
	r := t.resolve()
	return r == blobType || r.kind == KindVec && r.elem.resolve().kind == KindNat8
}

// optional reports whether a value of the type may be absent: null, opt and
// reserved (Candid specification, "Records").
func (t *Type) optional() bool {
	k := t.resolve().kind
	return k == KindOpt || k == KindNull || k == KindReserved || k == KindFuture
}

// field returns the index of the field with this id.
func (t *Type) field(id uint32) (index int, ok bool) {
	return slices.BinarySearchFunc(t.fields, id, func(f Field, id uint32) int { return compareIDs(f.ID, id) })
}
