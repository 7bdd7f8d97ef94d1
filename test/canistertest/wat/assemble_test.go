package wat

import (
	"errors"
	"strings"
	"testing"
)

func TestTheEmptyModuleIsItsHeader(t *testing.T) {
	for _, text := range []string{"", "(module)", ";; nothing\n", "(module (; empty ;) (@note x))"} {
		got, err := Assemble(text)
		if err != nil || string(got) != "\x00asm\x01\x00\x00\x00" {
			t.Errorf("%q: %x, %v", text, got, err)
		}
	}
}

func TestErrorsNameLineAndColumn(t *testing.T) {
	for _, test := range []struct {
		text         string
		line, column int
		message      string
	}{
		{"(module\n  (func (call $f)))", 2, 15, "unknown function $f"},
		{"(module\n  (func i32.const 1 i32.plus))", 2, 21, "unknown operator i32.plus"},
		{"(func (i32.const 4294967296))", 1, 18, "does not fit i32"},
		{"(func (block $a (br $b)))", 1, 21, "unknown label $b"},
		{"(func $é)", 1, 8, "illegal"},
		{"(module (func)", 1, 15, "unexpected end"},
		{"(memory 1) (import \"a\" \"b\" (func))", 1, 12, "import after"},
		{"(func $a) (func $a)", 1, 17, "duplicate function $a"},
		{"(func\n\t(result i32) \"x\")", 2, 15, "wanted an instruction"},
	} {
		_, err := Assemble(test.text)
		var e *Error
		if !errors.As(err, &e) || e.Line != test.line || e.Column != test.column || !strings.Contains(e.Message, test.message) {
			t.Errorf("%q: got %v, want line %d, column %d: %s", test.text, err, test.line, test.column, test.message)
		}
	}
}
