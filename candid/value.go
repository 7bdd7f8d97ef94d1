package candid

import (
	"bytes"
	"math"

	"github.com/canisterd/canisterd/candid/principal"
)

// Value is a Candid value: one of the types of this file, [Nat] or [Int].
type Value interface{ candidValue() }

type (
	// Null is the value of type null. As a Go field it maps to null.
	Null struct{}
	// Reserved is the value of type reserved. As a Go field it maps to reserved.
	Reserved struct{}
	// Bool is a truth value.
	Bool bool
	// Nat8 is a natural number of 8 bits.
	Nat8 uint8
	// Nat16 is a natural number of 16 bits.
	Nat16 uint16
	// Nat32 is a natural number of 32 bits.
	Nat32 uint32
	// Nat64 is a natural number of 64 bits.
	Nat64 uint64
	// Int8 is an integer of 8 bits.
	Int8 int8
	// Int16 is an integer of 16 bits.
	Int16 int16
	// Int32 is an integer of 32 bits.
	Int32 int32
	// Int64 is an integer of 64 bits.
	Int64 int64
	// Float32 is a binary32 number.
	Float32 float32
	// Float64 is a binary64 number.
	Float64 float64
	// Text is valid UTF-8.
	Text string
	// Opt is an option; its Value is nil if there is none.
	Opt struct{ Value Value }
	// Vec is a vector of anything but nat8.
	Vec []Value
	// Blob is a vector of nat8.
	Blob []byte
	// Record is a record with its fields by ascending id.
	Record []FieldValue
	// Variant is one case of a variant.
	Variant struct {
		Label
		Value Value
	}
	// Principal is a principal reference.
	Principal principal.Principal
	// Service is a reference to a service.
	Service principal.Principal
	// Func is a reference to a method of a service.
	Func struct {
		Service principal.Principal
		Method  string
	}
)

// FieldValue is one field of a record.
type FieldValue struct {
	Label
	Value Value
}

func (Null) candidValue()      {}
func (Reserved) candidValue()  {}
func (Bool) candidValue()      {}
func (Nat) candidValue()       {}
func (Int) candidValue()       {}
func (Nat8) candidValue()      {}
func (Nat16) candidValue()     {}
func (Nat32) candidValue()     {}
func (Nat64) candidValue()     {}
func (Int8) candidValue()      {}
func (Int16) candidValue()     {}
func (Int32) candidValue()     {}
func (Int64) candidValue()     {}
func (Float32) candidValue()   {}
func (Float64) candidValue()   {}
func (Text) candidValue()      {}
func (Opt) candidValue()       {}
func (Vec) candidValue()       {}
func (Blob) candidValue()      {}
func (Record) candidValue()    {}
func (Variant) candidValue()   {}
func (Principal) candidValue() {}
func (Service) candidValue()   {}
func (Func) candidValue()      {}

// String returns the textual form of the principal.
func (p Principal) String() string { return principal.Principal(p).String() }

// String returns the textual form of the service's principal.
func (s Service) String() string { return principal.Principal(s).String() }

// Get returns the value of the field with this name, nil if there is none.
func (r Record) Get(name string) Value {
	id := Hash(name)
	for _, f := range r {
		if f.ID == id {
			return f.Value
		}
	}
	return nil
}

// Equal reports whether two values are equal. Names of labels do not matter; floating-point numbers are compared by
// their bits.
func Equal(a, b Value) bool {
	switch a := a.(type) {
	case Nat:
		b, ok := b.(Nat)
		return ok && a.Cmp(b) == 0
	case Int:
		b, ok := b.(Int)
		return ok && a.Cmp(b) == 0
	case Float32:
		b, ok := b.(Float32)
		return ok && math.Float32bits(float32(a)) == math.Float32bits(float32(b))
	case Float64:
		b, ok := b.(Float64)
		return ok && math.Float64bits(float64(a)) == math.Float64bits(float64(b))
	case Blob:
		b, ok := b.(Blob)
		return ok && bytes.Equal(a, b)
	case Opt, Vec, Record, Variant:
		return equalParts(a, b)
	}
	switch b.(type) {
	case Opt, Vec, Record, Variant, Blob:
		return false
	}
	return a == b
}

func equalParts(a, b Value) bool {
	switch a := a.(type) {
	case Opt:
		b, ok := b.(Opt)
		if !ok || a.Value == nil || b.Value == nil {
			return ok && a.Value == b.Value
		}
		return Equal(a.Value, b.Value)
	case Variant:
		b, ok := b.(Variant)
		return ok && a.ID == b.ID && Equal(a.Value, b.Value)
	case Vec:
		b, ok := b.(Vec)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !Equal(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	x, _ := a.(Record)
	y, ok := b.(Record)
	if !ok || len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].ID != y[i].ID || !Equal(x[i].Value, y[i].Value) {
			return false
		}
	}
	return true
}
