package rewrite

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const emptyModule = "\x00asm\x01\x00\x00\x00"

// part is a section of a module in the binary format.
func part(id byte, content ...byte) []byte { return appendSection(nil, id, content) }

// withBody is a module with one function of no parameters and no results.
func withBody(parts ...[]byte) []byte {
	code := slices.Concat(parts...)
	return slices.Concat([]byte(emptyModule), part(sectionType, 1, 0x60, 0, 0), part(sectionFunction, 1, 0), part(sectionCode, appendCode([]byte{1}, code)...))
}

func engineFault(text string, offset int) string {
	return fmt.Sprintf("%sWasmtime failed to validate wasm module wasmtime::Module::validate() failed with %s (at offset 0x%x).", notValid, text, offset)
}

// A module here ends right behind a count. The largest count that is allowed is a fault too, but a later one: the items
// are missing.
func TestCountsAboveTheEnginesLimitsAreRefused(t *testing.T) {
	const missing = "unexpected end-of-file"
	types, functions := part(sectionType, 1, 0x60, 0, 0), part(sectionFunction, 1, 0)
	for _, c := range []struct {
		name        string
		before      []byte // sections
		section     byte
		head        []byte // what stands before the count
		most        uint32
		text        string
		next        string // the fault of the largest count
		faultBefore int    // bytes from the fault to the count
	}{
		{name: "types", section: sectionType, most: 1_000_000, text: "types count exceeds limit of 1000000"},
		{name: "parameters", section: sectionType, head: []byte{1, 0x60}, most: 1_000, text: "function params count exceeds limit of 1000"},
		{name: "results", section: sectionType, head: []byte{1, 0x60, 0}, most: 1_000, text: "function returns count exceeds limit of 1000"},
		{name: "imports", section: sectionImport, most: 1_000_000, text: "imports count exceeds limit of 1000000"},
		{name: "bytes of an import's module", section: sectionImport, head: []byte{1}, most: 100_000, text: "string size out of bounds"},
		{name: "bytes of an import's name", section: sectionImport, head: []byte{1, 0}, most: 100_000, text: "string size out of bounds"},
		{name: "functions", section: sectionFunction, most: 1_000_000, text: "functions count exceeds limit of 1000000"},
		{name: "tables", section: sectionTable, most: 100, text: "tables count exceeds limit of 100"},
		{name: "elements of a table", section: sectionTable, head: []byte{1, 0x70, 0}, most: 10_000_000, text: "minimum table size is out of bounds", next: "none", faultBefore: 2},
		{name: "memories", section: sectionMemory, most: 100, text: "memories count exceeds limit of 100"},
		{name: "globals", section: sectionGlobal, most: 1_000_000, text: "globals count exceeds limit of 1000000"},
		{name: "exports", section: sectionExport, most: 1_000_000, text: "exports count exceeds limit of 1000000"},
		{name: "bytes of an export's name", section: sectionExport, head: []byte{1}, most: 100_000, text: "string size out of bounds"},
		{name: "element segments", section: sectionElement, most: 100_000, text: "element segments count exceeds limit of 100000"},
		{name: "elements of a segment", section: sectionElement, head: []byte{1, 1, 0}, most: 10_000_000, text: "elements count exceeds limit of 10000000"},
		{
			name: "data segments ahead of the code", section: sectionDataCount, most: 100_000, text: "data count exceeds limit of 100000",
			next: "data count and data section have inconsistent lengths", faultBefore: -3,
		},
		{name: "data segments", section: sectionData, most: 100_000, text: "data segments count exceeds limit of 100000"},
		{name: "bodies", section: sectionCode, most: 1_000_000, text: "functions count exceeds limit of 1000000"},
		{name: "bytes of a body", before: slices.Concat(types, functions), section: sectionCode, head: []byte{1}, most: 7_654_321, text: "function body size is out of bounds"},
		{
			name: "targets of a branch", before: slices.Concat(types, functions), section: sectionCode, head: []byte{1, 7, 0, opI32Const, 0, opBrTable},
			most: 131_072, text: "br_table targets count exceeds limit of 131072",
		},
	} {
		for _, above := range []uint32{0, 1} {
			content := appendU32(slices.Clone(c.head), c.most+above)
			raw := slices.Concat([]byte(emptyModule), c.before, part(c.section, content...))
			want := engineFault(c.text, len(raw)-len(content)+len(c.head)-c.faultBefore)
			switch {
			case above == 0 && c.next == "none":
				want = ""
			case above == 0:
				want = engineFault(cmp.Or(c.next, missing), len(raw))
			}
			got := ""
			if _, err := Rewrite(raw, conformance); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%d %s:\n%s\nwant\n%s", c.most+above, c.name, got, want)
			}
		}
	}
}

func TestModulesAtTheirLimitsAreAcceptedAndThoseAboveAreRefused(t *testing.T) {
	text := func(format string) func(n int) []byte {
		return func(n int) []byte { return assemble(t, fmt.Sprintf(format, n)) }
	}
	for _, c := range []struct {
		name    string
		options Options
		most    int
		module  func(n int) []byte
		want    string
	}{
		{"locals", conformance, 50_000, func(n int) []byte {
			return withBody([]byte{1}, appendU32(nil, uint32(n)), []byte{0x7f, opEnd})
		}, engineFault("too many locals: locals exceed maximum", 0x17)},
		{"locals beside three parameters", conformance, 49_997, func(n int) []byte {
			return assemble(t, "(module (func (param i32 i32 i32) (local "+strings.Repeat("i32 ", n)+")))")
		}, engineFault("too many locals: locals exceed maximum", 0x1a)},
		{"control constructs within each other", conformance, 99_999, func(n int) []byte {
			return withBody([]byte{0}, times(n, blocks), times(n+1, ends))
		}, engineFault("control nesting too deep", 200_025)},
		{"targets of a branch", conformance, 131_072, func(n int) []byte {
			return withBody([]byte{0, opI32Const, 0, opBrTable}, appendU32(nil, uint32(n)), make([]byte, n+1), ends(0))
		}, engineFault("br_table targets count exceeds limit of 131072", 0x1e)},
		{"tables, one of them imported", conformance, 99, func(n int) []byte {
			return assemble(t, `(module (import "a" "b" (table 1 funcref)) `+strings.Repeat("(table 1 funcref)", n)+")")
		}, engineFault("tables count exceeds limit of 100", 0x143)},
		{"tables of a canister", canisterOptions, 1, func(n int) []byte {
			return assemble(t, "(module "+strings.Repeat("(table 1 funcref)", n)+")")
		}, notValid + "Wasm module defines 2 tables; a canister may have at most 1."},
		{
			"elements of a canister's table", canisterOptions, 1_000_000, text("(module (table %d funcref))"),
			notValid + "Wasm module declares a table of 1000001 elements; a canister's table may have at most 1000000.",
		},
		{
			"pages of a memory of 64 bits", canisterOptions, 98_304, text("(module (memory i64 1 %d))"),
			notValid + "Wasm module defined a memory of maximum size 98305 pages which exceeds the maximum allowed size of 98304 pages.",
		},
		{"operators of a function", canisterOptions, 999_999, func(n int) []byte {
			return withBody([]byte{0}, bytes.Repeat([]byte{opNop}, n), ends(0))
		}, notValid + "Wasm module contains a function at index 0 with complexity 1000001 which exceeds the maximum complexity allowed 1000000."},
	} {
		if _, err := Rewrite(c.module(c.most), c.options); err != nil {
			t.Errorf("%d %s: %v", c.most, c.name, err)
		}
		if _, err := Rewrite(c.module(c.most+1), c.options); err == nil || err.Error() != c.want {
			t.Errorf("%d %s:\n%v\nwant\n%s", c.most+1, c.name, err, c.want)
		}
	}
}

// The branches are counted by their bytes: a comparison, an `if`, and the canonical NaN.
func TestTheFirstFiveHundredValuesOfAFunctionAreMadeCanonicalWithABranch(t *testing.T) {
	nan := binary.LittleEndian.AppendUint64([]byte{opF64Const}, 0x7ff8000000000000)
	branch := append([]byte{opF64Ne, opIf, blockEmpty}, nan...)
	for _, c := range []struct{ values, branches int }{{500, 500}, {501, 500}} {
		sums := strings.Repeat("local.get 0 local.get 0 f64.add local.set 0 ", c.values)
		m := rewriteText(t, "(module (func (param f64) "+sums+"))", conformance)
		if got, all := bytes.Count(m.Binary, branch), bytes.Count(m.Binary, nan); got != c.branches || all != c.values {
			t.Errorf("%d values: %d of %d are made canonical with a branch, want %d", c.values, got, all, c.branches)
		}
	}
}

// The function takes 16 bytes for each parameter that it reads, and 32 besides.
func TestAFunctionThatCallsNothingChecksTheStackForMoreThanAKibibyte(t *testing.T) {
	for _, c := range []struct {
		params int
		room   uint64
		want   error
	}{{62, 0, nil}, {63, 1040, nil}, {63, 1024, errStackOverflow}} {
		body := repeat(c.params, "local.get %d drop ")
		g := start(t, rewriteText(t, `(module (func (export "f") (param `+strings.Repeat("f64 ", c.params)+") "+body+"))", conformance))
		g.counter.Set(NewCounter(1000) + (StackRoom-c.room)/stackUnit)
		if _, err := g.inst.ExportedFunction("f").Call(t.Context(), make([]uint64, c.params)...); !errors.Is(err, c.want) {
			t.Errorf("%d parameters in %d bytes of stack: %v, want %v", c.params, c.room, err, c.want)
		}
	}
}
