//go:build components

package component

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// suiteValue is a value of a script, as wasm-tools json-from-wast writes it.
type suiteValue struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// values reads the values of a script by their types.
func valuesOf(list []suiteValue, types []field) ([]any, error) {
	if len(list) != len(types) {
		return nil, fmt.Errorf("%d values for %d types", len(list), len(types))
	}
	values := make([]any, len(list))
	for i, v := range list {
		var err error
		if values[i], err = v.of(types[i].typ); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// of reads the value by its type.
func (v suiteValue) of(t *valueType) (any, error) {
	switch t.kind {
	case kindPrimitive:
		return v.primitive(t.prim)
	case kindRecord:
		var pairs [][2]json.RawMessage
		if err := json.Unmarshal(v.Value, &pairs); err != nil {
			return nil, err
		}
		list := make([]suiteValue, len(pairs))
		for i, p := range pairs {
			if err := json.Unmarshal(p[1], &list[i]); err != nil {
				return nil, err
			}
		}
		values, err := valuesOf(list, t.fields)
		return values, err
	case kindTuple, kindList, kindFixedList:
		var list []suiteValue
		if err := json.Unmarshal(v.Value, &list); err != nil {
			return nil, err
		}
		types := t.fields
		if t.kind != kindTuple {
			types = slices.Repeat(t.fields, len(list))
		}
		values, err := valuesOf(list, types)
		if !t.isBytes() || err != nil {
			return values, err
		}
		b := []byte{}
		for _, v := range values {
			b = append(b, v.(uint8))
		}
		return b, nil
	case kindEnum:
		var label string
		err := json.Unmarshal(v.Value, &label)
		return Enum(t.place(label)), err
	case kindFlags:
		var labels []string
		err := json.Unmarshal(v.Value, &labels)
		var flags Flags
		for _, label := range labels {
			flags |= 1 << t.place(label)
		}
		return flags, err
	}
	return v.variant(t)
}

func (t *valueType) place(label string) int {
	return slices.IndexFunc(t.fields, func(f field) bool { return f.name == label })
}

func (v suiteValue) variant(t *valueType) (any, error) {
	var which struct {
		Case    string      `json:"case"`
		Payload *suiteValue `json:"payload"`
	}
	variant := Variant{}
	payload := &suiteValue{}
	switch {
	case t.kind == kindVariant:
		if err := json.Unmarshal(v.Value, &which); err != nil {
			return nil, err
		}
		variant.Case, payload = uint32(t.place(which.Case)), which.Payload
	case bytes.Equal(v.Value, []byte("null")) || len(v.Value) == 0:
		payload = nil
	case t.kind == kindOption:
		variant.Case = 1
		if err := json.Unmarshal(v.Value, payload); err != nil {
			return nil, err
		}
	default:
		var result map[string]*suiteValue
		if err := json.Unmarshal(v.Value, &result); err != nil {
			return nil, err
		}
		_, failed := result["Err"]
		if failed {
			variant.Case = 1
		}
		payload = result[map[bool]string{false: "Ok", true: "Err"}[failed]]
	}
	typ := t.payload(variant.Case)
	if typ == nil || payload == nil {
		return variant, nil
	}
	var err error
	variant.Payload, err = payload.of(typ)
	return variant, err
}

func (v suiteValue) primitive(p primitive) (any, error) {
	var text string
	if p == primBool {
		var b bool
		err := json.Unmarshal(v.Value, &b)
		return b, err
	}
	if err := json.Unmarshal(v.Value, &text); err != nil {
		return nil, err
	}
	signed := func(bits int) (int64, error) { return strconv.ParseInt(text, 10, bits) }
	unsigned := func(bits int) (uint64, error) { return strconv.ParseUint(text, 10, bits) }
	switch p {
	case primString:
		return text, nil
	case primChar:
		r, _ := utf8.DecodeRuneInString(text)
		return Char(r), nil
	case primF32:
		bits, err := unsigned(32)
		return math.Float32frombits(uint32(bits)), err
	case primF64:
		bits, err := unsigned(64)
		return math.Float64frombits(bits), err
	case primS8, primS16, primS32, primS64:
		n, err := signed(64)
		return reflect.ValueOf(n).Convert(goTypes[p]).Interface(), err
	}
	n, err := unsigned(64)
	return reflect.ValueOf(n).Convert(goTypes[p]).Interface(), err
}

var goTypes = map[primitive]reflect.Type{
	primS8: reflect.TypeFor[int8](), primS16: reflect.TypeFor[int16](), primS32: reflect.TypeFor[int32](), primS64: reflect.TypeFor[int64](),
	primU8: reflect.TypeFor[uint8](), primU16: reflect.TypeFor[uint16](), primU32: reflect.TypeFor[uint32](), primU64: reflect.TypeFor[uint64](),
}
