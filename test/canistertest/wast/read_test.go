package wast

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const script = `
(module $M
  (func (export "f") (param i32) (result i32) (local.get 0)))
(register "mod" $M)
(invoke $M "f" (i32.const -1))
(assert_return (invoke "f" (i32.const 0x10)) (i32.const 16))
(assert_return (get $"M" "g") (f32.const nan:canonical) (ref.extern 7) (ref.null func))
(assert_return (invoke "v") (either (v128.const i32x4 1 2 3 4) (v128.const f32x4 nan:arithmetic 0 0 -0)))
(assert_trap (module binary "\00asm" "x") "unreachable")
(assert_malformed (module quote "(func" ")") "no")
(module definition $D (func))
(module instance $I $D)
(assert_exhaustion (invoke "f") "call stack exhausted")`

func TestAScriptIsReadAsCommands(t *testing.T) {
	got, err := Read(script)
	if err != nil {
		t.Fatal(err)
	}
	want := []Command{
		{Kind: Define, Line: 2, Name: "M"},
		{Kind: Register, Line: 4, As: "mod", Name: "M"},
		{Kind: Act, Line: 5, Action: &Action{Instance: "M", Export: "f", Args: []Value{{Type: "i32", Low: 0xffff_ffff}}}},
		{Kind: AssertReturn, Line: 6, Action: &Action{Export: "f", Args: []Value{{Type: "i32", Low: 16}}}, Results: []Result{{Value: Value{Type: "i32", Low: 16}}}},
		{Kind: AssertReturn, Line: 7, Action: &Action{Get: true, Instance: "M", Export: "g"}, Results: []Result{
			{Value: Value{Type: "f32"}, Patterns: []Pattern{CanonicalNaN}},
			{Value: Value{Type: "ref", Ref: Ref{Heap: "extern", Host: 7, Pinned: true}}},
			{Value: Value{Type: "ref", Ref: Ref{Heap: "func", Null: true}}},
		}},
		{Kind: AssertReturn, Line: 8, Action: &Action{Export: "v"}, Results: []Result{{Either: []Result{
			{Value: Value{Type: "v128", Low: 2<<32 | 1, High: 4<<32 | 3}, Lane: 32},
			{Value: Value{Type: "v128", High: 1 << 63}, Lane: 32, Patterns: []Pattern{ArithmeticNaN, Exact, Exact, Exact}},
		}}}},
		{Kind: AssertTrap, Line: 9, Message: "unreachable"},
		{Kind: AssertMalformed, Line: 10, Message: "no"},
		{Kind: Define, Line: 11, Name: "D"},
		{Kind: Instance, Line: 12, Name: "I", Source: "D"},
		{Kind: AssertExhaustion, Line: 13, Action: &Action{Export: "f"}, Message: "call stack exhausted"},
	}
	forms := map[int]Module{
		0: {Form: Text}, 6: {Form: Binary, Content: "\x00asmx"}, 7: {Form: Quote, Content: "(func)"}, 8: {Form: Text, Definition: true},
	}
	for i := range min(len(got), len(want)) {
		if m := got[i].Module; m != nil {
			w := forms[i]
			if m.Form != w.Form || m.Definition != w.Definition || w.Content != "" && m.Content != w.Content {
				t.Errorf("command %d: module %+v, want %+v", i, *m, w)
			}
			got[i].Module = nil
		}
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("command %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d commands, want %d", len(got), len(want))
	}
}

func TestAModulesErrorsSpeakOfTheScriptsLines(t *testing.T) {
	commands, err := Read("(module)\n\n  (module\n    (func (call $f)))")
	if err != nil {
		t.Fatal(err)
	}
	_, err = commands[1].Module.Encode()
	if err == nil || !strings.Contains(err.Error(), "line 4, column 17") {
		t.Errorf("got %v, want line 4, column 17", err)
	}
}

func TestABrokenScriptIsRefusedWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"(module)\n(assert_return (call))": "line 2, column 21",
		"(module":                          "line 1, column 8",
		"(assert_return (invoke \"f\" (i32.const 1.5)))":   "no i32",
		"(assert_return (invoke \"f\" (v128.const i9x9)))": "shape",
		"(assert_return (invoke \"f\") (i31.const 1))":     "no constant",
		"(nonsense)":              "no command",
		"(module binary \"\\0\")": "malformed escape",
		"(assert_return (invoke \"f\" (i32.const 1))) junk": "wanted \"(\"",
	} {
		if _, err := Read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestNaNPatternsLookAtTheQuietBit(t *testing.T) {
	canonical := Result{Value: Value{Type: "f64"}, Patterns: []Pattern{CanonicalNaN}}
	arithmetic := Result{Value: Value{Type: "f32"}, Patterns: []Pattern{ArithmeticNaN}}
	for _, test := range []struct {
		r    Result
		bits uint64
		want bool
	}{
		{canonical, 0x7ff8_0000_0000_0000, true},
		{canonical, 0xfff8_0000_0000_0000, true},
		{canonical, 0x7ff8_0000_0000_0001, false},
		{canonical, 0x7ff0_0000_0000_0000, false},
		{arithmetic, 0x7fc0_0000, true},
		{arithmetic, 0xffff_ffff, true},
		{arithmetic, 0x7fa0_0000, false},
		{arithmetic, 0x7f80_0000, false},
	} {
		if got := test.r.Matches(test.bits, 0); got != test.want {
			t.Errorf("%+v matches %#x: %v", test.r, test.bits, got)
		}
	}
}

// The official suite is the assembler's conformance test: every text module
// assembles, every text said to be malformed is refused.
func TestTheOfficialSuiteIsReadAndAssembled(t *testing.T) {
	commands, modules, refused := 0, 0, 0
	for _, path := range Suite(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		script, err := Read(string(text))
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		commands += len(script)
		for _, c := range script {
			if c.Module == nil || c.Module.Form == Binary {
				continue
			}
			binary, err := c.Module.Encode()
			switch {
			case c.Kind == AssertMalformed && err == nil:
				t.Errorf("%s:%d: assembled, want: %s", filepath.Base(path), c.Line, c.Message)
			case c.Kind == AssertMalformed:
				refused++
			case err != nil:
				t.Errorf("%s:%d: %v", filepath.Base(path), c.Line, err)
			case !bytes.HasPrefix(binary, []byte("\x00asm")):
				t.Errorf("%s:%d: no module header", filepath.Base(path), c.Line)
			default:
				modules++
			}
		}
	}
	t.Logf("%d commands, %d text modules assembled, %d malformed texts refused", commands, modules, refused)
}

func FuzzRead(f *testing.F) {
	f.Add(script)
	f.Fuzz(func(t *testing.T, text string) {
		commands, err := Read(text)
		if err != nil {
			return
		}
		for _, c := range commands {
			if c.Module != nil {
				_, _ = c.Module.Encode()
			}
		}
	})
}
