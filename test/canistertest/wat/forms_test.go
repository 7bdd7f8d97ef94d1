package wat

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

// assembled gives what follows the header, in hexadecimal, without names.
func assembled(t *testing.T, text string) string {
	t.Helper()
	binary, err := Options{OmitNames: true}.Assemble(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return hex.EncodeToString(binary[8:])
}

func TestFoldedAndFlatInstructionsAreTheSame(t *testing.T) {
	for flat, folded := range map[string]string{
		"i32.const 1 i32.const 2 i32.add drop":                           "(drop (i32.add (i32.const 1) (i32.const 2)))",
		"block $a loop $b br $a br $b end $b end $a":                     "(block $a (loop $b (br $a) (br $b)))",
		"i32.const 0 if $x nop br $x else unreachable end":               "(if $x (i32.const 0) (then nop (br $x)) (else (unreachable)))",
		"i32.const 1 i32.const 0 if (param i32) drop else drop end":      "(if (param i32) (i32.const 1) (i32.const 0) (then drop) (else drop))",
		"i32.const 0 i32.const 1 i32.const 2 select (result i32) drop":   "(drop (select (result i32) (i32.const 0) (i32.const 1) (i32.const 2)))",
		"block block i32.const 0 br_table 0 1 0 end end":                 "(block (block (br_table 0 1 0 (i32.const 0))))",
		"i32.const 0 i32.const 7 i32.store offset=4 align=1":             "(i32.store offset=4 align=1 (i32.const 0) (i32.const 7))",
		"v128.const i8x16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 drop":    "(drop (v128.const i32x4 0x03020100 0x07060504 0x0b0a0908 0x0f0e0d0c))",
		"i32.const 5 ref.null func table.grow drop":                      "(drop (table.grow 0 (i32.const 5) (ref.null func)))",
		"i32.const 0 i32.const 1 i32.const 2 memory.copy memory.size":    "(memory.copy (i32.const 0) (i32.const 1) (i32.const 2)) (memory.size 0)",
		"i64.const -1 i64.extend32_s drop f64.const 0x1.8p1 drop":        "(drop (i64.extend32_s (i64.const 0xffff_ffff_ffff_ffff))) (drop (f64.const 3))",
		"i32.const 0 v128.load8_lane 3":                                  "(v128.load8_lane 0 offset=0 align=1 3 (i32.const 0))",
		"i32.const 0 call_indirect (param i32 i64) (result i32 i32)":     "(call_indirect 0 (param i32) (param i64) (result i32) (result i32) (i32.const 0))",
		"f32.const nan f32.const -inf drop f32.const nan:0x7f_ffff drop": "(f32.const nan) (drop (f32.const -inf)) (drop (f32.const nan:0x7fffff))",
	} {
		if a, b := assembled(t, "(func "+flat+")"), assembled(t, "(func "+folded+")"); a != b {
			t.Errorf("%s\n  flat   %s\n  folded %s", flat, a, b)
		}
	}
}

// The expected bytes were compared with those of wat2wasm 1.0.39.
func TestFieldsAreEncodedAsTheSpecificationSays(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`(memory i64 1 2)`, "0504" + "01050102"},
		{`(table i64 10 funcref)`, "0404" + "0170040a"},
		{`(memory (data "ab" "\63"))`, "0504" + "01010101" + "0b09" + "010041000b03616263"},
		{`(memory i64 (data "a"))`, "0504" + "01050101" + "0b07" + "010042000b0161"},
		{`(global $g (export "g") (mut i64) (i64.const -7))`, "0606" + "017e0142790b" + "0705" + "0101670300"},
		{`(func (import "m" "f") (param i32))`, "0105" + "0160017f00" + "0207" + "01016d01660000"},
		{`(import "m" "t" (table i64 1 2 externref))`, "020a" + "01016d0174016f050102"},
		{`(func $f) (start $f)`, "0104" + "01600000" + "0302" + "0100" + "0801" + "00" + "0a04" + "0102000b"},
		{`(func return_call 0)`, "0104" + "01600000" + "0302" + "0100" + "0a06" + "010400" + "12000b"},
		{`(table funcref (elem $f $f)) (func $f)`, "0104" + "01600000" + "0302" + "0100" + "0405" + "0170010202" + "0908" + "010041000b020000" + "0a04" + "0102000b"},
		{`(elem externref (item ref.null extern))`, "0907" + "01056f01d06f0b"},
		{`(elem declare func 0) (func)`, "0104" + "01600000" + "0302" + "0100" + "0905" + "0103000100" + "0a04" + "0102000b"},
		{`(@custom "icp:public x" "y")`, "000e" + "0c6963703a7075626c69632078" + "79"},
		{`(memory 0) (@custom "a" (before memory) "1") (@custom "b" (before first)) (@custom "c" (after memory))`, "0002" + "0162" + "0003" + "016131" + "0503" + "010000" + "0002" + "0163"},
		{`(func (local i32 i32) (local $x i64))`, "0104" + "01600000" + "0302" + "0100" + "0a08" + "0106" + "02027f017e" + "0b"},
		{`(memory 1) (data "x") (func (data.drop 0))`, "0104" + "01600000" + "0302" + "0100" + "0503" + "010001" + "0c01" + "01" + "0a07" + "010500" + "fc09000b" + "0b04" + "01010178"},
		{`(type $t (func (param i32))) (func (type $t) (local.set 0 (local.get 0)))`, "0105" + "0160017f00" + "0302" + "0100" + "0a08" + "010600" + "200021000b"},
	} {
		if got := assembled(t, test.text); got != test.want {
			t.Errorf("%s\n  got  %s\n  want %s", test.text, got, test.want)
		}
	}
}

func TestAMemoryOfItsDataHasAsManyPagesAsTheDataTakes(t *testing.T) {
	for bytes, pages := range map[int]string{0: "00", 1: "01", 65_536: "01", 65_537: "02"} {
		got := assembled(t, `(memory (data "`+strings.Repeat("x", bytes)+`"))`)
		if want := "0504" + "0101" + pages + pages; !strings.HasPrefix(got, want) {
			t.Errorf("for %d bytes the module begins with %.20s, want %s", bytes, got, want)
		}
	}
}

func TestFunctionNamesGoIntoTheNameSection(t *testing.T) {
	text := `(module $m (import "a" "b" (func $first)) (func) (func $"third one"))`
	binary, err := Assemble(text)
	if err != nil {
		t.Fatal(err)
	}
	want := "\x04name" + "\x00\x02\x01m" + "\x01\x13\x02\x00\x05first\x02\x09third one"
	if !bytes.HasSuffix(binary, []byte(want)) {
		t.Errorf("got %q, want a suffix %q", binary, want)
	}
	bare, err := Options{OmitNames: true}.Assemble(text)
	if err != nil || bytes.Contains(bare, []byte("name")) {
		t.Errorf("OmitNames: %q, %v", bare, err)
	}
}

func TestBinaryAndQuotedModulesAreTaken(t *testing.T) {
	for _, text := range []string{`(module binary "\00asm" "\01\00\00\00")`, `(module $x quote "(mod" "ule)")`, `(module definition $d)`} {
		got, err := Options{OmitNames: true}.Assemble(text)
		if err != nil || string(got) != "\x00asm\x01\x00\x00\x00" {
			t.Errorf("%s: %x, %v", text, got, err)
		}
	}
	if _, err := Assemble("(module\n quote \"(func\\n (call 1.5))\")"); err == nil || !strings.Contains(err.Error(), "line 2, column 8: in the quoted module: line 2, column 8") {
		t.Errorf("got %v", err)
	}
}

func TestLiteralsKeepTheirBits(t *testing.T) {
	for _, test := range []struct {
		typ, word string
		want      uint64
	}{
		{"i32", "-1", 0xffff_ffff},
		{"i32", "+0x7fff_ffff", 0x7fff_ffff},
		{"i64", "-0x8000_0000_0000_0000", 1 << 63},
		{"i8", "255", 255},
		{"i8", "-128", 128},
		{"i16", "-1", 0xffff},
		{"f32", "1", 0x3f80_0000},
		{"f32", "-0.0", 0x8000_0000},
		{"f32", "0x1p-149", 1},
		{"f32", "16777217", 0x4b80_0000},
		{"f32", "nan", 0x7fc0_0000},
		{"f32", "-nan:0x1", 0xff80_0001},
		{"f64", "inf", 0x7ff0_0000_0000_0000},
		{"f64", "0x1.8p+1", 0x4008_0000_0000_0000},
		{"f64", "1_000.5e-1", 0x4059_0333_3333_3333},
		{"f64", "0xA.", 0x4024_0000_0000_0000},
	} {
		if got, err := Literal(test.typ, test.word); err != nil || got != test.want {
			t.Errorf("%s %s: %#x, %v, want %#x", test.typ, test.word, got, err, test.want)
		}
	}
	for _, test := range []struct{ typ, word string }{
		{"i32", "4294967296"},
		{"i32", "-2147483649"},
		{"i8", "256"},
		{"i32", "1__0"},
		{"i32", "_1"},
		{"i32", "0x"},
		{"f32", "1e39"},
		{"f32", "nan:0x800000"},
		{"f32", "nan:0"},
		{"f64", ".5"},
		{"f64", "0x1p"},
		{"f64", "1e"},
		{"f64", "infinity"},
	} {
		if got, err := Literal(test.typ, test.word); err == nil {
			t.Errorf("%s %s: %#x, want an error", test.typ, test.word, got)
		}
	}
}

func TestNestingHasALimit(t *testing.T) {
	for _, n := range []int{20_000, 20_001} {
		text := "(func " + strings.Repeat("(block ", n) + strings.Repeat(")", n) + ")"
		if _, err := Assemble(text); (err != nil) != (n > 20_000) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

func FuzzAssemble(f *testing.F) {
	f.Add(`(module $m (func $f (export "e") (param $x i32) (result i32) (if (result i32) (local.get $x) (then i32.const 1) (else i32.const 2))))`)
	f.Add(`(memory i64 1) (data (i64.const 0) "a\u{41}") (table 1 funcref) (elem (i32.const 0) func $f) (func $f block $l br $l end)`)
	f.Add(`(@custom "x" (after last) "y") (rec (type $a (struct (field $f (mut i8)))) (type (sub $a (array i16))))`)
	f.Add(`(func) (rec (`)
	f.Fuzz(func(t *testing.T, text string) {
		binary, err := Assemble(text)
		if err == nil && !strings.Contains(text, "binary") && !bytes.HasPrefix(binary, []byte("\x00asm")) {
			t.Errorf("%q: no header", text)
		}
	})
}

func BenchmarkAssemble(b *testing.B) {
	text := "(module (memory 1)" + strings.Repeat(`
  (func (param $x i32) (param $y i64) (result i64) (local $t i64)
    (block $done
      (loop $again
        (br_if $done (i32.eqz (local.get $x)))
        (local.set $t (i64.add (local.get $t) (i64.load offset=8 (local.get $x))))
        (local.set $x (i32.sub (local.get $x) (i32.const 1)))
        (br $again)))
    (i64.mul (local.get $t) (local.get $y)))`, 200) + ")"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Assemble(text); err != nil {
			b.Fatal(err)
		}
	}
}
