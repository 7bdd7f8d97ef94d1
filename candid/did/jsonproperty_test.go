package did

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

var leaves = []candid.Kind{
	candid.KindNull, candid.KindBool, candid.KindNat, candid.KindInt, candid.KindNat8, candid.KindNat16,
	candid.KindNat32, candid.KindNat64, candid.KindInt8, candid.KindInt16, candid.KindInt32, candid.KindInt64,
	candid.KindFloat32, candid.KindFloat64, candid.KindText, candid.KindReserved, candid.KindPrincipal,
}

// labels are ids, names, and names that look like ids.
var labels = []candid.Label{
	candid.Numbered(0), candid.Numbered(1), candid.Numbered(7), candid.Named("_7_"), candid.Named("owner"),
	candid.Named("a \"b\""), candid.Named(""), candid.Named("_x_"), candid.Named("base64"),
}

// drawTyped draws a type and a way to draw its values.
func drawTyped(t *rapid.T, depth int) (*candid.Type, func() candid.Value) {
	shape := 0
	if depth > 0 {
		shape = rapid.IntRange(0, 6).Draw(t, "shape")
	}
	switch shape {
	case 1:
		typ, value := drawTyped(t, depth-1)
		return candid.OptOf(typ), func() candid.Value {
			if !rapid.Bool().Draw(t, "some") {
				return candid.Opt{}
			}
			return candid.Opt{Value: value()}
		}
	case 2:
		return drawVec(t, depth-1)
	case 3, 4:
		return drawFields(t, depth-1, shape == 3)
	case 5:
		fn, _ := candid.FuncOf(candid.Signature{})
		return fn, func() candid.Value {
			return candid.Func{Service: drawPrincipal(t), Method: rapid.String().Draw(t, "method")}
		}
	case 6:
		service, _ := candid.ServiceOf()
		return service, func() candid.Value { return candid.Service(drawPrincipal(t)) }
	}
	kind := rapid.SampledFrom(leaves).Draw(t, "leaf")
	return kind.Type(), func() candid.Value { return drawLeaf(t, kind) }
}

func drawVec(t *rapid.T, depth int) (*candid.Type, func() candid.Value) {
	elem, value := drawTyped(t, depth)
	typ := candid.VecOf(elem)
	return typ, func() candid.Value {
		vec := candid.Vec{}
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			vec = append(vec, value())
		}
		v, err := candid.Conform(vec, typ) // a blob, where it is one
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func drawFields(t *rapid.T, depth int, record bool) (*candid.Type, func() candid.Value) {
	var fields []candid.Field
	values := make(map[uint32]func() candid.Value)
	for i, l := range labels {
		if len(fields) == 4 || !rapid.Bool().Draw(t, fmt.Sprint("has ", i)) {
			continue
		}
		if _, twice := values[l.ID]; twice {
			continue
		}
		f := candid.Field{Label: l}
		f.Type, values[l.ID] = drawTyped(t, depth)
		fields = append(fields, f)
	}
	if !record && len(fields) > 0 {
		typ, err := candid.VariantOf(fields...)
		if err != nil {
			t.Fatal(err)
		}
		return typ, func() candid.Value {
			f := rapid.SampledFrom(fields).Draw(t, "case")
			return candid.Variant{Label: f.Label, Value: values[f.ID]()}
		}
	}
	typ, err := candid.RecordOf(fields...)
	if err != nil {
		t.Fatal(err)
	}
	return typ, func() candid.Value {
		r := candid.Record{}
		for _, f := range typ.Fields() {
			r = append(r, candid.FieldValue{Label: f.Label, Value: values[f.ID]()})
		}
		return r
	}
}

func drawPrincipal(t *rapid.T) principal.Principal {
	return principal.Canister(rapid.Uint64().Draw(t, "principal"))
}

func drawLeaf(t *rapid.T, kind candid.Kind) candid.Value {
	switch kind {
	case candid.KindNull:
		return candid.Null{}
	case candid.KindReserved:
		return candid.Reserved{}
	case candid.KindBool:
		return candid.Bool(rapid.Bool().Draw(t, "bool"))
	case candid.KindFloat32:
		return candid.Float32(rapid.Float32().Draw(t, "float32"))
	case candid.KindFloat64:
		return candid.Float64(rapid.Float64().Draw(t, "float64"))
	case candid.KindText:
		return candid.Text(rapid.String().Draw(t, "text"))
	case candid.KindPrincipal:
		return candid.Principal(drawPrincipal(t))
	}
	i := rapid.Int64().Draw(t, "number") >> rapid.IntRange(0, 63).Draw(t, "shift")
	switch kind {
	case candid.KindNat:
		n := candid.NatOf(uint64(i)).Big()
		nat, err := candid.NatOfBig(n.Mul(n, n))
		if err != nil {
			t.Fatal(err)
		}
		return nat
	case candid.KindInt:
		n := candid.IntOf(i).Big()
		return candid.IntOfBig(n.Mul(n, n).Mul(n, candid.IntOf(i).Big()))
	}
	bits, signed := integerBits(kind)
	if signed {
		return integerAt(kind, fmt.Sprint(i>>(64-bits)))
	}
	return integerAt(kind, fmt.Sprint(uint64(i)>>(64-bits)))
}

func TestEveryValueSurvivesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ, value := drawTyped(t, 3)
		types, values := []*candid.Type{typ}, []candid.Value{value()}
		text, err := FormatJSON(values, types)
		if err != nil || !json.Valid(text) {
			t.Fatalf("%s : %s as JSON: %s, %v", candid.FormatArgs(values), typ, text, err)
		}
		again, err := ParseJSON(text, types)
		if err != nil || !sameValue(again[0], values[0]) {
			t.Fatalf("%s : %s through %s: %v, %v", candid.FormatArgs(values), typ, text, again, err)
		}
		// What another library makes of the text is still the value.
		var decoded any
		if err := json.Unmarshal(text, &decoded); err != nil {
			t.Fatal(err)
		}
		if text, err = json.Marshal(decoded); err != nil {
			t.Fatal(err)
		}
		if again, err = ParseJSON(text, types); hasNegativeZero(decoded) {
			return
		}
		if err != nil || !sameValue(again[0], values[0]) {
			t.Fatalf("%s : %s through %s of another library: %v, %v", candid.FormatArgs(values), typ, text, again, err)
		}
	})
}

// hasNegativeZero reports whether there is one, which a library may take for 0.
func hasNegativeZero(decoded any) bool {
	switch d := decoded.(type) {
	case float64:
		return d == 0 && math.Signbit(d)
	case []any:
		for _, e := range d {
			if hasNegativeZero(e) {
				return true
			}
		}
	case map[string]any:
		for _, e := range d {
			if hasNegativeZero(e) {
				return true
			}
		}
	}
	return false
}

// sameValue is candid.Equal, where one NaN is as good as another.
func sameValue(a, b candid.Value) bool {
	return candid.Equal(a, b) || candid.Format(a) == candid.Format(b)
}

func tooMuch(err error) bool {
	var e *JSONError
	return errors.As(err, &e) && e.Limit
}

// FuzzJSON reads messages at their own types: through JSON they are the same.
func FuzzJSON(f *testing.F) {
	for _, args := range []string{
		`()`,
		`(record { a = opt 5; b = vec { "x"; "y" }; c = variant { ok = blob "\00\01" } }, null)`,
		`(1 : nat, -1, 1 : nat8, -1 : int16, 1.5, 1.5 : float32, true, principal "aaaaa-aa")`,
		`(func "aaaaa-aa".x, service "aaaaa-aa", vec { vec {} }, record { 1; record { "a" } })`,
		`(opt opt opt null, 18446744073709551616, nan, -inf : float32, record { 7 = 1; 8 = null : reserved })`,
	} {
		values, err := candid.ParseArgs(args)
		if err != nil {
			f.Fatal(err)
		}
		message, err := candid.EncodeValues(values...)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(message)
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		values, types, err := candid.Decode(message)
		if err != nil {
			return
		}
		text, err := FormatJSON(values, types)
		if tooMuch(err) {
			return
		}
		if err != nil || !json.Valid(text) {
			t.Fatalf("%s as JSON: %s, %v", candid.FormatArgs(values), text, err)
		}
		again, err := ParseJSON(text, types)
		if tooMuch(err) {
			return
		}
		if err != nil || !sameValue(candid.Vec(again), candid.Vec(values)) {
			t.Fatalf("%s through %s: %s, %v", candid.FormatArgs(values), text, candid.FormatArgs(again), err)
		}
	})
}

// FuzzJSONText reads texts at a few types. What is read has one form, and what is read at reserved is what
// encoding/json takes for JSON, except strings that it would change.
func FuzzJSONText(f *testing.F) {
	var types []*candid.Type
	for _, typ := range []string{"Account", "State", "List", "Odd", "Method", "Actor", "blob", "opt opt nat", "float32", "int64", "nat", "record { nat; opt text }"} {
		types = append(types, jsonType(f, typ))
	}
	for _, seed := range []string{
		`[{"owner":"aaaaa-aa","subaccount":[1,2]}]`, `["stopped"]`, `[{"two words":[1,"x"]}]`, `[{"head":1,"tail":null}]`,
		`[{"_7_":1,"":2}]`, `[{"canister":"aaaaa-aa","method":"\u00e9"}]`, `[{"base64":"AA=="}]`, `[[[5]]]`, `[-1.5e-3]`,
		`["NaN"]`, `["12345678901234567890"]`, `[{"_0_":1,"_1_":"x"}]`, `[ tru ]`, `["\ud83d\udca1"]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, typ := range types {
			at := []*candid.Type{typ}
			values, err := ParseJSON(text, at)
			if err != nil {
				continue
			}
			printed, err := FormatJSON(values, at)
			if err != nil {
				t.Fatalf("%s read at %s cannot be written: %v", text, typ.Definition(), err)
			}
			if again, err := ParseJSON(printed, at); err != nil || !sameValue(again[0], values[0]) {
				t.Fatalf("%s read at %s, written as %s: %v, %v", text, typ.Definition(), printed, again, err)
			}
		}
		r := newJSONReader(text)
		r.read()
		fault := cmp.Or(r.malformed(), r.end())
		if valid := json.Valid(text); valid != (fault == nil) && !(valid && changes(text)) {
			t.Fatalf("%q: encoding/json says %v, we %v", text, valid, fault)
		}
	})
}

// changes reports whether encoding/json replaces something in a string.
func changes(text []byte) bool {
	var decoded any
	if !utf8.Valid(text) || json.Unmarshal(text, &decoded) != nil {
		return true
	}
	again, err := json.Marshal(decoded)
	return err != nil || containsReplacement(again)
}

func containsReplacement(text []byte) bool {
	for _, r := range string(text) {
		if r == utf8.RuneError {
			return true
		}
	}
	return false
}
