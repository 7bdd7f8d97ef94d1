package candid

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"
)

// MarshalAt writes a message of Go values at the types of an interface, one for each argument. It takes what [Marshal]
// takes, and numbers of any Go type if they fit: 100 is written as a nat, a nat64 or an int8, whatever the method
// takes. A principal is written as a reference to a service. Missing optional arguments and fields are filled in,
// fields that the types do not have are dropped. A nil argument is null.
func MarshalAt(types []*Type, args ...any) ([]byte, error) {
	values := make([]Value, len(args))
	for i, arg := range args {
		if arg == nil {
			values[i] = Null{}
			continue
		}
		message, err := Marshal(arg)
		if err != nil {
			return nil, err
		}
		decoded, _, err := Decode(message)
		if err != nil {
			return nil, inside(err, "argument "+strconv.Itoa(i))
		}
		values[i] = decoded[0]
	}
	if len(values) > len(types) {
		_, err := ConformArgs(values, types)
		return nil, err
	}
	fitted, err := fitAll(values, types)
	if err != nil {
		return nil, err
	}
	return Encode(fitted, types)
}

// UnmarshalFit reads a message into what the targets point to. It reads what [Unmarshal] reads, and numbers of any type
// if they fit the Go type: a nat into a uint64 or an int. A value that does not fit an option of the Go type is an
// error, not nil. Arguments after the last target are dropped.
func UnmarshalFit(message []byte, targets ...any) error {
	values, _, err := Decode(message)
	if err != nil {
		return err
	}
	types := make([]*Type, len(targets))
	for i, target := range targets {
		v := reflect.ValueOf(target)
		if v.Kind() != reflect.Pointer || v.IsNil() {
			return fmt.Errorf("target %d is a %T: give a pointer to read into", i, target)
		}
		p, err := planFor(v.Type().Elem())
		if err != nil {
			return err
		}
		types[i] = p.typ
	}
	fitted, err := fitAll(values[:min(len(values), len(types))], types)
	if err != nil {
		return err
	}
	exact, err := Encode(fitted, types)
	if err != nil {
		return err
	}
	return Unmarshal(exact, targets...)
}

// fitAll is [ConformArgs] with numbers of any type.
func fitAll(values []Value, types []*Type) ([]Value, error) {
	fitted := make([]Value, len(types))
	for i, t := range types {
		var err error
		if i < len(values) {
			c := conformer{loose: true}
			fitted[i], err = c.value(values[i], t)
		} else {
			fitted[i], err = filler(t)
		}
		if err != nil {
			return nil, inside(err, "argument "+strconv.Itoa(i))
		}
	}
	return fitted, nil
}

// asLiteral returns a number as a literal without a type, and a principal as the service it may name.
func asLiteral(v Value, t *Type) Value {
	switch n := v.(type) {
	case Nat:
		return literal{whole: n.Big()}
	case Int:
		return literal{whole: n.Big()}
	case Float32:
		return floatLiteral(float64(n), 32, v, t)
	case Float64:
		return floatLiteral(float64(n), 64, v, t)
	case Principal:
		if t.kind == KindService {
			return Service(n)
		}
		return v
	}
	kind, word := word(v)
	switch bits := integerBits[kind]; {
	case bits > 0:
		return literal{whole: new(big.Int).SetUint64(word)}
	case bits < 0:
		return literal{whole: big.NewInt(int64(word))}
	}
	return v
}

// floatLiteral returns a floating-point number for another type than its own.
func floatLiteral(f float64, bits int, v Value, t *Type) Value {
	if kindOf(v) == t.kind {
		return v
	}
	return literal{text: strconv.FormatFloat(f, 'g', -1, bits)}
}
