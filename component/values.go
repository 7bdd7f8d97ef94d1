package component

import (
	"fmt"
	"unicode/utf8"
)

// Values of component functions are Go values of these types:
//
//	bool                    bool
//	s8, u8 … s64, u64       int8, uint8 … int64, uint64
//	f32, f64                float32, float64
//	char                    Char
//	string                  string
//	list<u8>                []byte
//	list, tuple, record     []any, with one value for each element or field
//	map                     []any of []any{key, value}
//	variant, result, option Variant
//	enum                    Enum
//	flags                   Flags
//	own, borrow             *Resource
//	stream, future          *Stream, *Future
//	error-context           *ErrorContext
type (
	// Char is a Unicode scalar value.
	Char rune
	// Enum is the index of a case.
	Enum uint32
	// Flags has a bit for each label, the first in the lowest bit.
	Flags uint32
	// Variant is a case of a variant, with its payload if it has one. An option has the cases none (0) and some (1), a
	// result ok (0) and error (1).
	Variant struct {
		Case    uint32
		Payload any
	}
	// Resource is a handle of a resource. A host that receives it as own passes it as own once, or drops it
	// ([Instance.Drop]). A borrowed handle can be passed as borrow until the call returns.
	Resource struct {
		implementation *resourceInstance
		representation uint32
		state          resourceState
	}
)

// resourceState says what may be done with a handle outside components.
type resourceState uint8

const (
	resourceOwned resourceState = iota
	resourceBorrowed
	resourceGone // passed as own, dropped, or borrowed by a call that returned
)

// mismatchOf says why a Go value is none of a type. It is empty if it is one.
func mismatchOf(v any, t *valueType) string {
	want := goTypeOf(t)
	switch v := v.(type) {
	case []any:
		return elementsMismatch(v, t)
	case Variant:
		return variantMismatch(v, t)
	case Enum:
		if t.kind == kindEnum && int(v) >= len(t.fields) {
			return fmt.Sprintf("case %d does not exist: the enum has %d", v, len(t.fields))
		}
	case Flags:
		if t.kind == kindFlags && uint64(v)>>len(t.fields) != 0 {
			return fmt.Sprintf("flags 0x%x have more than %d bits", uint32(v), len(t.fields))
		}
	case Char:
		if t.prim == primChar && !utf8.ValidRune(rune(v)) {
			return fmt.Sprintf("0x%x is not a Unicode scalar value", int32(v))
		}
	case *Resource:
		if v == nil || v.state == resourceGone || t.kind == kindOwn && v.state != resourceOwned {
			return fmt.Sprintf("the resource cannot be passed as %s: it is not there any more, or only borrowed", t.kind)
		}
	case *Stream:
		if t.kind == kindStream {
			return v.end().mismatch(t.fields[0].typ)
		}
	case *Future:
		if t.kind == kindFuture {
			return v.end().mismatch(t.fields[0].typ)
		}
	case *ErrorContext:
		if v == nil {
			return "expected an error context, found nil"
		}
	case string:
		if t.prim == primString && !utf8.ValidString(v) {
			return "a string must be UTF-8"
		}
	}
	if have := fmt.Sprintf("%T", v); have != want {
		return fmt.Sprintf("expected %s for a value of type %s, found %s", want, valueName(t), have)
	}
	return ""
}

var goPrimitives = [...]string{
	primBool: "bool", primS8: "int8", primU8: "uint8", primS16: "int16", primU16: "uint16", primS32: "int32", primU32: "uint32",
	primS64: "int64", primU64: "uint64", primF32: "float32", primF64: "float64", primChar: "component.Char", primString: "string",
	primErrorContext: "*component.ErrorContext",
}

func goTypeOf(t *valueType) string {
	switch t.kind {
	case kindPrimitive:
		return goPrimitives[t.prim]
	case kindEnum:
		return "component.Enum"
	case kindFlags:
		return "component.Flags"
	case kindVariant, kindOption, kindResult:
		return "component.Variant"
	case kindOwn, kindBorrow:
		return "*component.Resource"
	case kindStream:
		return "*component.Stream"
	case kindFuture:
		return "*component.Future"
	case kindList:
		if t.isBytes() {
			return "[]uint8"
		}
	}
	return "[]interface {}"
}

// isBytes says whether a type is a list of bytes.
func (t *valueType) isBytes() bool {
	return t.kind == kindList && t.fields[0].typ.kind == kindPrimitive && t.fields[0].typ.prim == primU8
}

func elementsMismatch(v []any, t *valueType) string {
	element := func(int) *valueType { return t.fields[0].typ }
	want := len(v)
	switch t.kind {
	case kindList:
		if t.isBytes() {
			return "expected []byte for a list of u8, found []any"
		}
	case kindFixedList:
		want = int(t.length)
	case kindRecord, kindTuple:
		want = len(t.fields)
		element = func(i int) *valueType { return t.fields[i].typ }
	case kindMap:
		entry := t.entry()
		element = func(int) *valueType { return entry }
	default:
		return fmt.Sprintf("expected %s for a value of type %s, found []any", goTypeOf(t), valueName(t))
	}
	if len(v) != want {
		return fmt.Sprintf("expected %d elements for a value of type %s, found %d", want, valueName(t), len(v))
	}
	for i, e := range v {
		if reason := mismatchOf(e, element(i)); reason != "" {
			return fmt.Sprintf("element %d: %s", i, reason)
		}
	}
	return ""
}

func variantMismatch(v Variant, t *valueType) string {
	switch t.kind {
	case kindVariant, kindOption, kindResult:
	default:
		return fmt.Sprintf("expected %s for a value of type %s, found component.Variant", goTypeOf(t), valueName(t))
	}
	if int(v.Case) >= t.cases() {
		return fmt.Sprintf("case %d does not exist: the %s has %d", v.Case, t.kind, t.cases())
	}
	payload := t.payload(v.Case)
	if payload == nil {
		if v.Payload != nil {
			return fmt.Sprintf("case %d has no payload, found %T", v.Case, v.Payload)
		}
		return ""
	}
	return mismatchOf(v.Payload, payload)
}

// payload gives the type of the payload of a case; nil if it has none.
func (t *valueType) payload(index uint32) *valueType {
	if t.kind == kindOption {
		if index == 0 {
			return nil
		}
		index = 0
	}
	return t.fields[index].typ
}

// entry gives the type of the entries of a map: a tuple of key and value.
func (t *valueType) entry() *valueType {
	e := &valueType{kind: kindTuple, fields: t.fields}
	e.measure()
	return e
}
