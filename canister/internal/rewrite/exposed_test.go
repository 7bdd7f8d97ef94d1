package rewrite

import (
	"math"
	"slices"
	"testing"
)

func TestExportedAndMutableGlobalsAreExposedInTheReplicasOrder(t *testing.T) {
	m := rewriteText(t, `(module
		(global $a (mut i32) (i32.const 1)) (global $b i64 (i64.const -2)) (global $c (mut f64) (f64.const 3))
		(global $d f32 (f32.const 1.5)) (global $e i32 (i32.const -1)) (global $f v128 (v128.const i64x2 5 -6)) (global $g f64 (f64.const 2))
		(export "z" (global $f)) (export "y" (global $b)) (export "x" (global $c)) (export "again" (global $b)) (export "w" (global $d))
		(export "v" (global $e)))`, canisterOptions)
	want := []ExposedGlobal{
		{Index: 5, Type: 0x7b, Low: 5, High: math.MaxUint64 - 5},
		{Index: 1, Type: 0x7e, Low: math.MaxUint64 - 1},
		{Index: 2, Type: 0x7c, Mutable: true},
		{Index: 1, Type: 0x7e, Low: math.MaxUint64 - 1},
		{Index: 3, Type: 0x7d, Low: uint64(math.Float32bits(1.5))},
		{Index: 4, Type: 0x7f, Low: math.MaxUint32},
		{Index: 0, Type: 0x7f, Mutable: true},
	}
	if !slices.Equal(m.Exposed, want) {
		t.Errorf("exposed\n%+v\nwant\n%+v", m.Exposed, want)
	}
}
