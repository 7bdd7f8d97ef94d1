package wasmfile

import (
	"bytes"
	"testing"
)

// sevenIs100 is a renumbering in which the global 7 is 100.
var sevenIs100 = &Renumbering{Global: func(i uint32) uint32 { return i }, Constant: func(uint32) []byte { return []byte{OpI32Const, 0xe4, 0} }}

func TestConstantExpressionsAreCalculated(t *testing.T) {
	global := []byte{OpGlobalGet, 7}
	for _, test := range []struct {
		name       string
		expression []byte
		want       []byte
	}{
		{"a number", []byte{OpI32Const, 0x7f, OpEnd}, []byte{OpI32Const, 0x7f, OpEnd}},
		{"a global", append(global[:2:2], OpEnd), []byte{OpI32Const, 0xe4, 0, OpEnd}},
		{"a sum", append(global[:2:2], OpI32Const, 5, opI32Add, OpEnd), []byte{OpI32Const, 0xe9, 0, OpEnd}},
		{"a difference", append(global[:2:2], OpI32Const, 0xe5, 0, opI32Subtract, OpEnd), []byte{OpI32Const, 0x7f, OpEnd}},
		{"a product of a sum", []byte{OpI32Const, 2, OpI32Const, 3, OpI32Const, 4, opI32Add, opI32Multiply, OpEnd}, []byte{OpI32Const, 14, OpEnd}},
		{"a number of 64 bits", []byte{0x42, 5, OpEnd}, []byte{0x42, 5, OpEnd}},
		{"nothing to add", []byte{OpI32Const, 2, opI32Add, OpEnd}, []byte{OpI32Const, 2, opI32Add, OpEnd}},
		{"two numbers", []byte{OpI32Const, 2, OpI32Const, 3, OpEnd}, []byte{OpI32Const, 2, OpI32Const, 3, OpEnd}},
	} {
		if got := NewReader(test.expression).Expression([]byte{9}, sevenIs100); !bytes.Equal(got, append([]byte{9}, test.want...)) {
			t.Errorf("%s: % x, want 09 % x", test.name, got, test.want)
		}
	}
}

// TestOffsetsOfElementsBeginAtTheirTable moves a segment at the global to a table that begins at 1000.
func TestOffsetsOfElementsBeginAtTheirTable(t *testing.T) {
	to := *sevenIs100
	to.Base = func(uint32) uint32 { return 1000 }
	to.Function = func(i uint32) uint32 { return i + 1 }
	got := NewReader([]byte{0, OpGlobalGet, 7, OpI32Const, 1, opI32Add, OpEnd, 1, 4}).Element(nil, &to)
	if want := []byte{0, OpI32Const, 0xcd, 0x08, OpEnd, 1, 5}; !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
}
