package rewrite

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// framesOf are the estimated frames of a module's local functions.
func framesOf(t testing.TB, raw []byte) []uint32 {
	t.Helper()
	s := &source{options: conformance, rules: schedules[Schedule202606]}
	if bad := s.parse(raw); bad != nil {
		t.Fatal(bad)
	}
	code := &codeWriter{s: s}
	if bad := code.rewriteBodies(); bad != nil {
		t.Fatal(bad)
	}
	return code.frames
}

// measuredModule is a module of testdata/frames.txt: frames.wat, or a fixture.
func measuredModule(t testing.TB, name string) []byte {
	t.Helper()
	if name == "frames" {
		text, err := os.ReadFile(filepath.Join("testdata", "frames.wat"))
		if err != nil {
			t.Fatal(err)
		}
		return assemble(t, string(text))
	}
	fixtures := filepath.Join("..", "..", "..", "test", "canistertest", "fixtures")
	raw, err := os.ReadFile(filepath.Join(fixtures, name+".wasm"))
	if errors.Is(err, os.ErrNotExist) {
		raw, err = os.ReadFile(filepath.Join(fixtures, name, name+".wasm"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// The frames of testdata/frames.txt were read from the prologues that wasmtime 45.0.0 compiled on x86-64, with the
// replica's settings (no optimization, canonical NaNs, tail calls, a stack of 5 MiB) and the replica's instrumentation
// (a check at each entry and loop head, a charge at each block, a call before each bulk operator). For the functions of
// frames.wat that recurse, the depth they reached says the same.
func TestFramesAreThoseOfTheReplicasEngine(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("testdata", "frames.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var off []float64
	exact, near := 0, 0
	sum, want := 0.0, 0.0
	for line := range strings.Lines(string(table)) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		frames := framesOf(t, measuredModule(t, words[0]))
		if len(frames) != len(words)-1 {
			t.Fatalf("%s has %d functions, %d were measured: measure them again", words[0], len(frames), len(words)-1)
		}
		for i, word := range words[1:] {
			measured, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			got := float64(frames[i])
			sum, want = sum+got, want+measured
			off = append(off, math.Abs(got/measured-1))
			if got == measured {
				exact++
			}
			if math.Abs(got-measured) <= frameAlignment {
				near++
			}
		}
	}
	slices.Sort(off)
	n := len(off)
	t.Logf("%d frames: %d exact, %d within %d bytes; median error %.0f %%, 95th percentile %.0f %%, worst %.0f %%; all together %.1f %%",
		n, exact, near, frameAlignment, 100*off[n/2], 100*off[n*95/100], 100*off[n-1], 100*(sum/want-1))
	if exact < n*70/100 || near < n*96/100 || off[n-1] > 1 || math.Abs(sum/want-1) > 0.05 {
		t.Error("the estimate of frames has become worse")
	}
}

func TestAnOrdinaryRecursionIsAsDeepAsInAReplica(t *testing.T) {
	for _, c := range []struct {
		name string
		body string
		want int // frames, as wasmtime 45.0.0 has them
	}{
		{"no parameters", `(func $f (call $deeper) (call $f)) (func (export "f") (call $f))`, 163_835},
		{"one parameter", `(func $f (param i32) (result i32) (call $deeper) (call $f (i32.sub (local.get 0) (i32.const 1))))
			(func (export "f") (drop (call $f (i32.const 1))))`, 163_835},
		{"two parameters that are needed afterwards", `(func $f (param i32 i32) (result i32) (call $deeper) (i32.add (call $f (local.get 1) (local.get 0)) (local.get 0)))
			(func (export "f") (drop (call $f (i32.const 1) (i32.const 1))))`, 109_223},
		{"four parameters", `(func $f (param i32 i32 i32 i32) (result i32) (call $deeper)
			(i32.add (call $f (local.get 1) (local.get 0) (local.get 2) (local.get 3)) (i32.add (local.get 2) (i32.add (local.get 1) (local.get 0)))))
			(func (export "f") (drop (call $f (i32.const 1) (i32.const 1) (i32.const 1) (i32.const 1))))`, 81_917},
		{"six parameters, two of them on the stack", `(func $f (param i32 i32 i32 i32 i32 i32) (result i32) (call $deeper)
			(i32.add (call $f (local.get 1) (local.get 0) (local.get 2) (local.get 3) (local.get 4) (local.get 5)) (i32.add (local.get 2) (i32.add (local.get 1) (local.get 0)))))
			(func (export "f") (drop (call $f (i32.const 1) (i32.const 1) (i32.const 1) (i32.const 1) (i32.const 1) (i32.const 1))))`, 54_611},
		{"four numbers with a point", `(func $f (param f64 f64 f64 f64) (result f64) (call $deeper)
			(f64.add (call $f (local.get 1) (local.get 2) (local.get 3) (local.get 0)) (f64.add (local.get 0) (f64.add (local.get 1) (f64.add (local.get 2) (local.get 3))))))
			(func (export "f") (drop (call $f (f64.const 1) (f64.const 1) (f64.const 1) (f64.const 1))))`, 54_611},
		{"three vectors", `(func $f (param v128 v128 v128) (result v128) (call $deeper)
			(i64x2.add (call $f (local.get 1) (local.get 2) (local.get 0)) (i64x2.add (local.get 1) (i64x2.add (local.get 0) (local.get 2)))))
			(func (export "f") (drop (call $f (v128.const i64x2 1 1) (v128.const i64x2 1 1) (v128.const i64x2 1 1))))`, 65_534},
	} {
		g := start(t, rewriteText(t, `(module (global $depth (export "depth") (mut i32) (i32.const 0))
			(func $deeper (global.set $depth (i32.add (global.get $depth) (i32.const 1))))`+c.body+`)`, conformance))
		if _, err := g.call("f"); !errors.Is(err, errStackOverflow) {
			t.Errorf("%s: %v, want a stack overflow", c.name, err)
		}
		if got := int(g.inst.ExportedGlobal("depth").Get()); got < c.want-2 || got > c.want+2 {
			t.Errorf("%s: %d frames, want %d", c.name, got, c.want)
		}
	}
}
