package candid

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/canisterd/canisterd/candid/principal"
)

// Encode writes a message of the values at the types, one type for each value. A nat may be written at int, Null and a
// missing field at opt, anything at reserved; a field that the type does not have is an error, as is every other
// difference.
func Encode(values []Value, types []*Type) ([]byte, error) {
	if len(values) != len(types) {
		return nil, fmt.Errorf("%d values cannot be written at %d types", len(values), len(types))
	}
	e := &encoder{buf: appendHeader(nil, types)}
	for i, v := range values {
		if err := e.value(v, types[i]); err != nil {
			return nil, inside(err, "argument "+strconv.Itoa(i))
		}
	}
	return e.buf, nil
}

// EncodeValues writes a message of the values at their own types, see [TypeOf].
func EncodeValues(values ...Value) ([]byte, error) {
	types, err := TypesOf(values)
	if err != nil {
		return nil, err
	}
	return Encode(values, types)
}

// EncodeTypes writes the part of a message that is in front of its values: the type table, and the types of the values.
func EncodeTypes(types []*Type) []byte { return appendHeader(nil, types) }

type encoder struct {
	buf   []byte
	depth int
}

var errTooDeep = fmt.Errorf("values nest deeper than %d levels", MaxDepth)

func misfit(v Value, t *Type) error {
	if v == nil {
		return fmt.Errorf("there is no value at type %s", t.brief())
	}
	own, err := TypeOf(v)
	if err != nil {
		return fmt.Errorf("a value cannot be written at type %s", t.brief())
	}
	return fmt.Errorf("a value of type %s cannot be written at type %s", own.brief(), t.brief())
}

func (e *encoder) value(v Value, named *Type) error {
	if e.depth++; e.depth > MaxDepth {
		return errTooDeep
	}
	err := e.valueAt(v, named.resolve())
	e.depth--
	return err
}

func (e *encoder) valueAt(v Value, t *Type) error {
	switch t.kind {
	case KindReserved, KindFuture:
		return nil
	case KindOpt:
		return e.opt(v, t)
	case KindVec:
		return e.vec(v, t)
	case KindRecord:
		return e.record(v, t)
	case KindVariant:
		return e.variant(v, t)
	}
	ok, err := e.plain(v, t)
	if !ok && err == nil {
		err = misfit(v, t)
	}
	return err
}

func (e *encoder) opt(v Value, t *Type) error {
	o, ok := v.(Opt)
	if _, null := v.(Null); null || ok && o.Value == nil {
		e.buf = append(e.buf, 0)
		return nil
	}
	if !ok {
		return misfit(v, t)
	}
	e.buf = append(e.buf, 1)
	return e.value(o.Value, t.elem)
}

func (e *encoder) vec(v Value, t *Type) error {
	if t.elem.resolve().kind == KindNat8 {
		return e.blob(v, t)
	}
	if b, ok := v.(Blob); ok && len(b) == 0 {
		v = Vec{}
	}
	vec, ok := v.(Vec)
	if !ok {
		return misfit(v, t)
	}
	e.uleb(uint64(len(vec)))
	for i, elem := range vec {
		if err := e.value(elem, t.elem); err != nil {
			return inside(err, "vec element "+strconv.Itoa(i))
		}
	}
	return nil
}

func (e *encoder) blob(v Value, t *Type) error {
	switch v := v.(type) {
	case Blob:
		e.bytes(v)
		return nil
	case Vec:
		e.uleb(uint64(len(v)))
		for i, elem := range v {
			b, ok := elem.(Nat8)
			if !ok {
				return inside(misfit(elem, t.elem), "vec element "+strconv.Itoa(i))
			}
			e.buf = append(e.buf, byte(b))
		}
		return nil
	}
	return misfit(v, t)
}

// vecSample is how many elements of a vec are written before their size says how much room the rest takes.
const vecSample = 8

// expect makes room for n more bytes and a quarter, or for as many as are allocated based on a guess alone.
func (e *encoder) expect(n int) { e.buf = slices.Grow(e.buf, min(n+n/4, maxPreallocBytes)) }

// afterBytes is room for what often follows bytes, such as principals.
const afterBytes = 64

// bytes appends a length and the bytes, and grows the buffer at most once.
func (e *encoder) bytes(b []byte) {
	if need := len(e.buf) + len(b) + 10 + afterBytes; need > cap(e.buf) {
		grown := make([]byte, len(e.buf), max(need, 2*cap(e.buf)))
		copy(grown, e.buf)
		e.buf = grown
	}
	e.uleb(uint64(len(b)))
	e.buf = append(e.buf, b...)
}

// uleb appends n in unsigned LEB128. Unlike with the result of a function, the compiler appends to e.buf in place.
func (e *encoder) uleb(n uint64) {
	for ; n >= 0x80; n >>= 7 {
		e.buf = append(e.buf, byte(n)|0x80)
	}
	e.buf = append(e.buf, byte(n))
}

func (e *encoder) record(v Value, t *Type) error {
	r, ok := v.(Record)
	if !ok {
		return misfit(v, t)
	}
	at := 0
	for _, f := range t.fields {
		var field Value
		if at < len(r) && r[at].ID == f.ID {
			field = r[at].Value
			at++
		} else if f.Type.optional() {
			field = Null{}
		} else {
			return fmt.Errorf("the record has no field %s", f.Label)
		}
		if err := e.value(field, f.Type); err != nil {
			return inside(err, "field "+f.Label.String())
		}
	}
	if at < len(r) {
		return fmt.Errorf("field %s is not in the type or the fields are not sorted by id", r[at].Label)
	}
	return nil
}

func (e *encoder) variant(v Value, t *Type) error {
	c, ok := v.(Variant)
	if !ok {
		return misfit(v, t)
	}
	i, ok := t.field(c.ID)
	if !ok {
		return fmt.Errorf("the variant type has no case %s", c.Label)
	}
	e.uleb(uint64(i))
	if err := e.value(c.Value, t.fields[i].Type); err != nil {
		return inside(err, "case "+t.fields[i].Label.String())
	}
	return nil
}

func (e *encoder) principal(p principal.Principal) {
	e.buf = append(e.buf, 1, byte(p.Len()))
	e.buf = p.Append(e.buf)
}

func (e *encoder) text(s string) error {
	if !validText(unsafe.Slice(unsafe.StringData(s), len(s))) {
		return errors.New("a text is valid UTF-8, this one is not: use a blob for bytes")
	}
	e.uleb(uint64(len(s)))
	e.buf = append(e.buf, s...)
	return nil
}

// plain writes a value without parts. It returns false if the value is not of type t.
func (e *encoder) plain(v Value, t *Type) (bool, error) {
	switch v := v.(type) {
	case Nat:
		switch t.kind {
		case KindNat:
			e.buf = appendNat(e.buf, v)
			return true, nil
		case KindInt:
			e.buf = appendInt(e.buf, v.Int())
			return true, nil
		}
		return false, nil
	case Int:
		if t.kind == KindInt {
			e.buf = appendInt(e.buf, v)
		}
		return t.kind == KindInt, nil
	case Text:
		if t.kind != KindText {
			return false, nil
		}
		return true, e.text(string(v))
	case Principal:
		e.principal(principal.Principal(v))
		return t.kind == KindPrincipal, nil
	case Service:
		e.principal(principal.Principal(v))
		return t.kind == KindService || t.kind == KindPrincipal, nil
	case Func:
		e.buf = append(e.buf, 1)
		e.principal(v.Service)
		return t.kind == KindFunc, e.text(v.Method)
	case Null:
		return t.kind == KindNull, nil
	}
	return e.fixed(v, t.kind), nil
}

// fixed writes a value of fixed size.
func (e *encoder) fixed(v Value, kind Kind) bool {
	own, w := word(v)
	if own == KindInvalid || own != kind {
		return false
	}
	e.word(w, fixedSize[kind])
	return true
}

// word returns the kind of a value of fixed size and its bits, and KindInvalid for other values.
func word(v Value) (Kind, uint64) {
	switch v := v.(type) {
	case Bool:
		if v {
			return KindBool, 1
		}
		return KindBool, 0
	case Nat8:
		return KindNat8, uint64(v)
	case Nat16:
		return KindNat16, uint64(v)
	case Nat32:
		return KindNat32, uint64(v)
	case Nat64:
		return KindNat64, uint64(v)
	case Int8:
		return KindInt8, uint64(v)
	case Int16:
		return KindInt16, uint64(v)
	case Int32:
		return KindInt32, uint64(v)
	case Int64:
		return KindInt64, uint64(v)
	case Float32:
		return KindFloat32, uint64(math.Float32bits(float32(v)))
	case Float64:
		return KindFloat64, math.Float64bits(float64(v))
	}
	return KindInvalid, 0
}
