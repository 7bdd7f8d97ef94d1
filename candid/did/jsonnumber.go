package did

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/canisterd/canisterd/candid"
)

// exactInteger is the largest integer up to which JavaScript represents all integers, Number.MAX_SAFE_INTEGER.
const exactInteger = 1<<53 - 1

// canonicalNaN is the NaN that canisters make (WebAssembly, "Floating-Point").
const canonicalNaN = 0x7ff8_0000_0000_0000

// integer reads a number, or a string of its digits, at an integer type.
func (r *jsonReader) integer(t *candid.Type) (candid.Value, *jsonFault) {
	raw := r.read()
	digits := string(raw)
	switch raw.Kind() {
	case jsontext.KindString:
		digits = unquoted(raw)
	case jsontext.KindNumber:
	default:
		return nil, unfit(raw, valueOf(t))
	}
	if !decimal(digits) {
		return nil, unfit(raw, valueOf(t)+": an integer is written in decimal digits alone")
	}
	if len(digits) > candid.MaxNumberDigits {
		return nil, &jsonFault{limit: true, reason: "a number has at most " + strconv.Itoa(candid.MaxNumberDigits) + " digits"}
	}
	if v := integerAt(t.Kind(), digits); v != nil {
		return v, nil
	}
	return nil, &jsonFault{reason: cut(digits) + " does not fit " + cut(t.String())}
}

// decimal reports whether a text is digits, optionally after a minus sign.
func decimal(s string) bool {
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	for i := range len(s) {
		if s[i]-'0' > 9 {
			return false
		}
	}
	return s != ""
}

// integerBits returns the size of an integer kind, 0 for unbounded ones.
func integerBits(kind candid.Kind) (bits int, signed bool) {
	switch kind {
	case candid.KindNat8, candid.KindInt8:
		bits = 8
	case candid.KindNat16, candid.KindInt16:
		bits = 16
	case candid.KindNat32, candid.KindInt32:
		bits = 32
	case candid.KindNat64, candid.KindInt64:
		bits = 64
	}
	return bits, kind >= candid.KindInt8 && kind <= candid.KindInt64
}

// integerAt returns the number at the kind, nil if it does not fit.
func integerAt(kind candid.Kind, digits string) candid.Value {
	bits, signed := integerBits(kind)
	switch {
	case bits == 0:
		return unboundedAt(kind, digits)
	case signed:
		return signedAt(kind, digits, bits)
	case digits == "-0":
		digits = "0"
	}
	n, err := strconv.ParseUint(digits, 10, bits)
	if err != nil {
		return nil
	}
	switch kind {
	case candid.KindNat8:
		return candid.Nat8(n)
	case candid.KindNat16:
		return candid.Nat16(n)
	case candid.KindNat32:
		return candid.Nat32(n)
	}
	return candid.Nat64(n)
}

func signedAt(kind candid.Kind, digits string, bits int) candid.Value {
	i, err := strconv.ParseInt(digits, 10, bits)
	if err != nil {
		return nil
	}
	switch kind {
	case candid.KindInt8:
		return candid.Int8(i)
	case candid.KindInt16:
		return candid.Int16(i)
	case candid.KindInt32:
		return candid.Int32(i)
	}
	return candid.Int64(i)
}

func unboundedAt(kind candid.Kind, digits string) candid.Value {
	i, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err == nil && kind == candid.KindInt:
		return candid.IntOf(i)
	case err == nil && i >= 0:
		return candid.NatOf(uint64(i))
	}
	n, _ := new(big.Int).SetString(strings.Clone(digits), 10) // so that a short text stays on the stack
	if kind == candid.KindInt {
		return candid.IntOfBig(n)
	}
	nat, err := candid.NatOfBig(n)
	if err != nil {
		return nil
	}
	return nat
}

// float reads a number, "NaN", "Infinity" or "-Infinity".
func (r *jsonReader) float(t *candid.Type) (candid.Value, *jsonFault) {
	var f float64
	bits := 64
	if t.Kind() == candid.KindFloat32 {
		bits = 32
	}
	raw := r.read()
	switch text := string(raw); {
	case text == `"NaN"`:
		f = math.Float64frombits(canonicalNaN)
	case text == `"Infinity"`:
		f = math.Inf(1)
	case text == `"-Infinity"`:
		f = math.Inf(-1)
	case raw.Kind() == jsontext.KindNumber:
		var err error
		if f, err = strconv.ParseFloat(text, bits); err != nil {
			return nil, &jsonFault{reason: cut(text) + " does not fit " + cut(t.String())}
		}
	default:
		return nil, unfit(raw, valueOf(t)+`: a number, "NaN", "Infinity" or "-Infinity"`)
	}
	if bits == 32 {
		return candid.Float32(f), nil
	}
	return candid.Float64(f), nil
}

// appendInteger appends a value of an integer type.
func appendInteger(b []byte, v candid.Value) []byte {
	switch v := v.(type) {
	case candid.Nat:
		if n, ok := v.Uint64(); ok {
			return appendNatural(b, n)
		}
		return appendDigits(b, v.String())
	case candid.Int:
		if i, ok := v.Int64(); ok {
			return appendSigned(b, i)
		}
		return appendDigits(b, v.String())
	case candid.Nat8:
		return appendNatural(b, uint64(v))
	case candid.Nat16:
		return appendNatural(b, uint64(v))
	case candid.Nat32:
		return appendNatural(b, uint64(v))
	case candid.Nat64:
		return appendNatural(b, uint64(v))
	case candid.Int8:
		return appendSigned(b, int64(v))
	case candid.Int16:
		return appendSigned(b, int64(v))
	case candid.Int32:
		return appendSigned(b, int64(v))
	case candid.Int64:
		return appendSigned(b, int64(v))
	}
	return b
}

func appendDigits(b []byte, digits string) []byte {
	return append(append(append(b, '"'), digits...), '"')
}

func appendNatural(b []byte, n uint64) []byte {
	if n <= exactInteger {
		return strconv.AppendUint(b, n, 10)
	}
	return append(strconv.AppendUint(append(b, '"'), n, 10), '"')
}

func appendSigned(b []byte, i int64) []byte {
	if i >= -exactInteger && i <= exactInteger {
		return strconv.AppendInt(b, i, 10)
	}
	return append(strconv.AppendInt(append(b, '"'), i, 10), '"')
}

// appendFloat appends the shortest digits that read back as the same number, with an exponent if JavaScript has one.
func appendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	}
	form := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(b, f, form, -1, bits)
}
