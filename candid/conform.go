package candid

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
)

// Conform converts a value that was parsed from text, or built by hand, to a value of the type: numbers get the type's
// size, nat becomes int, a value becomes an opt of its type, missing optional fields are filled in, fields that the
// type does not have are dropped, labels get the type's names. Unlike in a decoded message, a value that does not fit
// an option is an error, not null: a person wrote it.
func Conform(v Value, t *Type) (Value, error) {
	c := conformer{}
	return c.value(v, t)
}

// ConformArgs is [Conform] for an argument list.
func ConformArgs(values []Value, types []*Type) ([]Value, error) {
	if len(values) > len(types) {
		plural := "s"
		if len(values) == 1 {
			plural = ""
		}
		return nil, fmt.Errorf("%d argument%s given, at most %d expected", len(values), plural, len(types))
	}
	out := make([]Value, len(types))
	for i, t := range types {
		var err error
		if i >= len(values) {
			out[i], err = filler(t)
		} else {
			out[i], err = Conform(values[i], t)
		}
		if err != nil {
			return nil, inside(err, "argument "+strconv.Itoa(i))
		}
	}
	return out, nil
}

// filler returns the value of an absent argument or field.
func filler(t *Type) (Value, error) {
	switch t.Kind() {
	case KindOpt:
		return Opt{}, nil
	case KindNull:
		return Null{}, nil
	case KindReserved, KindFuture:
		return Reserved{}, nil
	}
	return nil, fmt.Errorf("a value of type %s is missing", t.brief())
}

type conformer struct {
	depth int
	loose bool // a number of any type is a literal, a principal can be a service
}

func (c *conformer) value(v Value, named *Type) (Value, error) {
	if c.depth++; c.depth > MaxDepth {
		return nil, errTooDeep
	}
	defer func() { c.depth-- }()
	t := named.resolve()
	switch t.kind {
	case KindReserved, KindFuture:
		return Reserved{}, nil
	case KindOpt:
		return c.opt(v, t)
	}
	if c.loose {
		v = asLiteral(v, t)
	}
	switch v := v.(type) {
	case literal:
		return v.at(t)
	case Nat:
		if t.kind == KindInt {
			return v.Int(), nil
		}
	case Service:
		if t.kind == KindPrincipal {
			return Principal(v), nil
		}
	case Blob:
		if t.kind == KindVec && t.elem.resolve().kind != KindNat8 {
			return c.vec(blobElements(v), t)
		}
	case Vec:
		if t.kind == KindVec {
			return c.vec(v, t)
		}
	case Record:
		if t.kind == KindRecord {
			return c.record(v, t)
		}
	case Variant:
		if t.kind == KindVariant {
			return c.variant(v, t)
		}
	}
	if kindOf(v) != t.kind {
		return nil, unfit(v, t)
	}
	return v, nil
}

func unfit(v Value, t *Type) error {
	return fmt.Errorf("%s is not a value of type %s", clip(Format(v)), t.brief())
}

// blobElements returns a blob as a vec of its bytes.
func blobElements(b Blob) Vec {
	vec := make(Vec, len(b))
	for i, c := range b {
		vec[i] = Nat8(c)
	}
	return vec
}

func (c *conformer) opt(v Value, t *Type) (Value, error) {
	switch o := v.(type) {
	case Null, Reserved:
		return Opt{}, nil
	case Opt:
		if o.Value == nil {
			return Opt{}, nil
		}
		inner, err := c.value(o.Value, t.elem)
		return Opt{inner}, err
	}
	inner, err := c.value(v, t.elem)
	return Opt{inner}, err
}

func (c *conformer) vec(v Vec, t *Type) (Value, error) {
	bytes := t.elem.resolve().kind == KindNat8
	out := make(Vec, 0, len(v))
	var blob Blob
	for i, e := range v {
		e, err := c.value(e, t.elem)
		if err != nil {
			return nil, inside(err, "vec element "+strconv.Itoa(i))
		}
		if bytes {
			blob = append(blob, byte(e.(Nat8)))
			continue
		}
		out = append(out, e)
	}
	if bytes {
		return append(Blob{}, blob...), nil
	}
	return out, nil
}

func (c *conformer) record(r Record, t *Type) (Value, error) {
	sorted, err := sortFields(r)
	if err != nil {
		return nil, err
	}
	out := make(Record, len(t.fields))
	at := 0
	for i, f := range t.fields {
		for at < len(sorted) && sorted[at].ID < f.ID {
			at++
		}
		var v Value
		if at < len(sorted) && sorted[at].ID == f.ID {
			v, err = c.value(sorted[at].Value, f.Type)
		} else {
			v, err = filler(f.Type)
		}
		if err != nil {
			return nil, inside(err, "field "+f.Label.String())
		}
		out[i] = FieldValue{f.Label, v}
	}
	return out, nil
}

// sortFields returns the record with its fields by ascending id.
func sortFields(r Record) (Record, error) {
	byID := func(a, b FieldValue) int { return compareIDs(a.ID, b.ID) }
	if !slices.IsSortedFunc(r, byID) {
		r = slices.Clone(r)
		slices.SortStableFunc(r, byID)
	}
	for i := 1; i < len(r); i++ {
		if r[i].ID == r[i-1].ID {
			return nil, collision(KindRecord, r[i-1].Label, r[i].Label)
		}
	}
	return r, nil
}

func (c *conformer) variant(v Variant, t *Type) (Value, error) {
	i, ok := t.field(v.ID)
	if !ok {
		return nil, fmt.Errorf("%s has no case %s", t.brief(), v.Label)
	}
	inner, err := c.value(v.Value, t.fields[i].Type)
	if err != nil {
		return nil, inside(err, "case "+t.fields[i].Label.String())
	}
	return Variant{t.fields[i].Label, inner}, nil
}

// kindOf returns the kind of a value's type.
func kindOf(v Value) Kind {
	switch v.(type) {
	case Null:
		return KindNull
	case Reserved:
		return KindReserved
	case Nat:
		return KindNat
	case Int:
		return KindInt
	case Text:
		return KindText
	case Opt:
		return KindOpt
	case Vec, Blob:
		return KindVec
	case Record:
		return KindRecord
	case Variant:
		return KindVariant
	case Principal:
		return KindPrincipal
	case Service:
		return KindService
	case Func:
		return KindFunc
	}
	kind, _ := word(v)
	return kind
}

// integerBits are the bits of the integers of fixed size, negative if they have a sign.
var integerBits = [kindCount]int{
	KindNat8: 8, KindNat16: 16, KindNat32: 32, KindNat64: 64,
	KindInt8: -8, KindInt16: -16, KindInt32: -32, KindInt64: -64,
}

// at returns the number at a number type.
func (l literal) at(t *Type) (Value, error) {
	switch t.kind {
	case KindFloat32:
		f, err := l.float(32)
		return Float32(f), err
	case KindFloat64:
		f, err := l.float(64)
		return Float64(f), err
	}
	bits := integerBits[t.kind]
	switch {
	case l.whole == nil || bits == 0 && t.kind != KindNat && t.kind != KindInt:
		return nil, unfit(l, t)
	case t.kind == KindInt:
		return intOf(l.whole), nil
	case t.kind == KindNat && l.whole.Sign() >= 0:
		return natOf(l.whole), nil
	case bits > 0 && l.whole.Sign() >= 0 && l.whole.BitLen() <= bits:
		return ofWord(t.kind, l.whole.Uint64()), nil
	case bits < 0 && fitsSigned(l.whole, -bits):
		return ofWord(t.kind, uint64(l.whole.Int64())), nil
	}
	return nil, fmt.Errorf("%s does not fit %s", clip(l.whole.String()), t)
}

func fitsSigned(n *big.Int, bits int) bool {
	if n.Sign() < 0 {
		return new(big.Int).Not(n).BitLen() < bits
	}
	return n.BitLen() < bits
}

// settle gives the numbers in a value their default types. A vec of numbers and Nat8 values, as in vec { 1 : nat8; 2 :
// nat8 }, becomes a blob.
func settle(v Value) (Value, error) {
	var err error
	switch v := v.(type) {
	case literal:
		if v.whole != nil {
			return intOf(v.whole), nil
		}
		f, err := v.float(64)
		return Float64(f), err
	case Opt:
		if v.Value == nil {
			return v, nil
		}
		inner, err := settle(v.Value)
		return Opt{inner}, err
	case Variant:
		v.Value, err = settle(v.Value)
		return v, err
	case Record:
		for i := range v {
			if v[i].Value, err = settle(v[i].Value); err != nil {
				return nil, err
			}
		}
		return v, nil
	case Vec:
		return settleVec(v)
	}
	return v, nil
}

func settleVec(v Vec) (Value, error) {
	bytes := len(v) > 0
	var err error
	for i := range v {
		if v[i], err = settle(v[i]); err != nil {
			return nil, err
		}
		_, isByte := v[i].(Nat8)
		bytes = bytes && isByte
	}
	if !bytes {
		return v, nil
	}
	blob := make(Blob, len(v))
	for i := range v {
		blob[i] = byte(v[i].(Nat8))
	}
	return blob, nil
}
