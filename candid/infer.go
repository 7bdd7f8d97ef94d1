package candid

import (
	"fmt"
	"slices"
	"strconv"
)

// TypeOf returns the smallest type of a value. A vector has the type that all its elements fit; an empty one is vec
// empty, an empty option is opt empty. A func reference has the type func () -> (), a service reference service {}.
func TypeOf(v Value) (*Type, error) { return typeOf(v, 0) }

// TypesOf is [TypeOf] for each value.
func TypesOf(values []Value) ([]*Type, error) {
	types := make([]*Type, len(values))
	for i, v := range values {
		t, err := TypeOf(v)
		if err != nil {
			return nil, inside(err, "argument "+strconv.Itoa(i))
		}
		types[i] = t
	}
	return types, nil
}

var (
	plainFunc    = &Type{kind: KindFunc, fn: &Signature{}}
	plainService = &Type{kind: KindService}
)

func typeOf(v Value, depth int) (*Type, error) {
	if depth > MaxDepth {
		return nil, errTooDeep
	}
	switch v := v.(type) {
	case nil:
		return nil, fmt.Errorf("a value is missing")
	case Null:
		return primitives[KindNull], nil
	case Reserved:
		return primitives[KindReserved], nil
	case Nat:
		return primitives[KindNat], nil
	case Int:
		return primitives[KindInt], nil
	case Text:
		return primitives[KindText], nil
	case Principal:
		return primitives[KindPrincipal], nil
	case Service:
		return plainService, nil
	case Func:
		return plainFunc, nil
	case Blob:
		return blobType, nil
	case Opt, Vec, Record, Variant:
		return typeOfParts(v, depth)
	}
	kind, _ := word(v)
	return primitives[kind], nil
}

func typeOfParts(v Value, depth int) (*Type, error) {
	switch v := v.(type) {
	case Opt:
		if v.Value == nil {
			return OptOf(primitives[KindEmpty]), nil
		}
		t, err := typeOf(v.Value, depth+1)
		return OptOf(t), err
	case Variant:
		t, err := typeOf(v.Value, depth+1)
		return &Type{kind: KindVariant, fields: []Field{{v.Label, t}}}, err
	case Record:
		fields := make([]Field, len(v))
		for i, f := range v {
			t, err := typeOf(f.Value, depth+1)
			if err != nil {
				return nil, err
			}
			fields[i] = Field{f.Label, t}
		}
		return RecordOf(fields...)
	}
	elem := primitives[KindEmpty]
	for i, e := range v.(Vec) {
		t, err := typeOf(e, depth+1)
		if err != nil {
			return nil, err
		}
		if elem, err = join(elem, t, depth+1); err != nil {
			return nil, inside(err, "vec element "+strconv.Itoa(i))
		}
	}
	return VecOf(elem), nil
}

// join returns a type at which the values of both types can be written.
func join(a, b *Type, depth int) (*Type, error) {
	if a == b || b.kind == KindEmpty {
		return a, nil
	}
	if a.kind == KindEmpty {
		return b, nil
	}
	if depth > MaxDepth {
		return nil, errTooDeep
	}
	if a.kind > b.kind {
		a, b = b, a
	}
	switch {
	case a.kind == KindNat && b.kind == KindInt,
		a.kind == KindNull && b.kind == KindOpt:
		return b, nil
	case a.kind != b.kind:
		return nil, fmt.Errorf("%s and %s do not go into the same vec", a.brief(), b.brief())
	}
	switch a.kind {
	case KindOpt, KindVec:
		elem, err := join(a.elem, b.elem, depth+1)
		if err != nil || a.kind == KindOpt {
			return OptOf(elem), err
		}
		return VecOf(elem), nil
	case KindRecord, KindVariant:
		return joinFields(a, b, depth)
	}
	return a, nil
}

// maxInferredCases limits the cases of a variant type inferred from the values of a vec: every new case is compared
// with the previous ones.
const maxInferredCases = 1000

// joinFields joins records of the same fields and variants of any cases.
func joinFields(a, b *Type, depth int) (*Type, error) {
	fields, own := a.fields, false
	for _, f := range b.fields {
		i, shared := a.field(f.ID)
		t := f.Type
		if shared {
			var err error
			if t, err = join(a.fields[i].Type, f.Type, depth+1); err != nil {
				return nil, err
			}
			if t == a.fields[i].Type {
				continue
			}
		} else if a.kind == KindRecord {
			return nil, fmt.Errorf("the field %s is in one record of a vec and not in another", f.Label)
		}
		if !own {
			fields, own = slices.Clone(fields), true
		}
		if shared {
			fields[i].Type = t
		} else {
			fields = append(fields, f)
		}
	}
	switch {
	case a.kind == KindRecord && len(a.fields) != len(b.fields):
		return nil, fmt.Errorf("the records of a vec do not have the same fields")
	case a.kind == KindVariant && len(fields) > maxInferredCases:
		return nil, fmt.Errorf("the variants of a vec have more than %d cases: give the vec a type", maxInferredCases)
	case !own:
		return a, nil
	}
	return composite(a.kind, fields)
}
