package rewrite

import (
	"fmt"
	"strings"
	"testing"
)

// Each text pushes a NaN made from operands with other bits; the signalling and negative ones among them.
func TestEveryNaNThatArithmeticMakesIsCanonical(t *testing.T) {
	const odd32, odd64 = "f32.const -nan:0x200001", "f64.const -nan:0x4000000000001"
	var b strings.Builder
	var names []string
	add := func(name, result, code string) {
		names = append(names, name)
		fmt.Fprintf(&b, "(func (export %q) (result %s) %s)\n", name, result, code)
	}
	for op := range numericOps {
		o := &numericOps[op]
		if !makesNaN(byte(op)) {
			continue
		}
		operand, integer := odd32, "i32"
		if o.out == "F" {
			operand, integer = odd64, "i64"
		}
		operands := strings.Repeat(operand+" ", len(o.in))
		add(o.name, integer, fmt.Sprintf("%s %s %s.reinterpret_f%s", operands, o.name, integer, integer[1:]))
		add(o.name+" then abs", integer, fmt.Sprintf("%s %s %s.abs %s.neg %s.neg %s.reinterpret_f%s", operands, o.name, o.name[:3], o.name[:3], o.name[:3], integer, integer[1:]))
		add(o.name+" then add", integer, fmt.Sprintf("%s %s %s %s.add %s.reinterpret_f%s", operand, operands, o.name, o.name[:3], integer, integer[1:]))
	}
	for code := range vectorOps {
		o, lane := &vectorOps[code], vectorNaN(uint32(code))
		if lane == 0 {
			continue
		}
		operand, splat, extract, integer := odd64, "f64x2.splat", "i64x2.extract_lane 1", "i64"
		if lane == typeF32 {
			operand, splat, extract, integer = odd32, "f32x4.splat", "i32x4.extract_lane 3", "i32"
		}
		add(o.name, integer, strings.Repeat(operand+" "+splat+" ", len(o.in))+o.name+" "+extract)
	}
	g := start(t, rewriteText(t, "(module "+b.String()+")", conformance))
	for _, name := range names {
		got, err := g.call(name)
		if err != nil {
			t.Fatal(err)
		}
		if got[0] != canonicalF64 && uint32(got[0]) != canonicalF32 || got[0] == 0 {
			t.Errorf("%s: %#x", name, got[0])
		}
	}
	if len(names) != 22*3+22 {
		t.Errorf("%d operators", len(names))
	}
}

func TestValuesAreCanonicalInFunctionsWithManyToo(t *testing.T) {
	const odd = "f64.const -nan:0x4000000000001 "
	code := strings.Repeat(odd+odd+"f64.add local.set 0 ", 501)
	g := start(t, rewriteText(t, `(module (func (export "many") (result i64) (local f64) `+code+`local.get 0 i64.reinterpret_f64))`, conformance))
	got, err := g.call("many")
	if err != nil || got[0] != canonicalF64 {
		t.Errorf("%#x, %v", got, err)
	}
}
