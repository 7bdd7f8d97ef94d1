package coverage_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/coverage"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/internal/sourcelines"
)

const fixtures = "../sourcelines/testdata/"

func lines(t testing.TB, name string) *sourcelines.Lines {
	t.Helper()
	file, err := os.ReadFile(fixtures + name)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := sourcelines.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// summer is a canister in C (debug.wasm): its functions limit, sum and twice.
func summer(t testing.TB) coverage.Module {
	return coverage.Module{Name: "summer", Hash: [32]byte{1}, Lines: lines(t, "debug.wasm"), Functions: []coverage.Function{
		{Name: "limit", Index: 0, Blocks: []coverage.Block{{0x45, 0x8f, true}, {0x8f, 0x9d, false}, {0x9e, 0xb8, true}}},
		{Name: "sum", Index: 1, Kind: "code", Blocks: []coverage.Block{{0xbc, 0x126, true}, {0x126, 0x169, true}, {0x169, 0x191, true}}},
		{Name: "twice", Index: 2, Blocks: []coverage.Block{{0x194, 0x1c5, false}}},
	}}
}

// finder is a canister in Rust (rust.wasm): one function, into which the standard library is inlined.
func finder(t testing.TB) coverage.Module {
	return coverage.Module{Name: "finder", Hash: [32]byte{2}, Lines: lines(t, "rust.wasm"), Functions: []coverage.Function{
		{Name: "longest", Index: 3, Kind: "code", Blocks: []coverage.Block{{0x6b, 0x70, true}, {0x70, 0x7b, false}, {0x7b, 0xb7, true}}},
		{Name: "core::num::<impl u32>::checked_add", Index: 4, Blocks: []coverage.Block{{0x71, 0x7b, true}}},
	}}
}

// bare is a canister without lines.
func bare() coverage.Module {
	return coverage.Module{Name: "bare", Hash: [32]byte{3}, Functions: []coverage.Function{
		{Name: "canister_update go", Index: 7, Blocks: []coverage.Block{{10, 20, true}, {20, 30, false}}},
		{Index: 9, Kind: "cleanup", Blocks: []coverage.Block{{40, 50, false}}},
	}}
}

// hostile is a canister whose names try to break out of every form.
func hostile() coverage.Module {
	name := "</script><img src=x onerror=alert(1)>\"'&]]>\nend_of_record\nSF:/etc/passwd\u202e\x00\xff{{.}}"
	return coverage.Module{Name: name, Hash: [32]byte{4}, Functions: []coverage.Function{
		{Name: "12,main\nDA:1,1 " + name, Index: 1, Kind: name, Blocks: []coverage.Block{{10, 20, true}}},
		{Name: strings.Repeat("long", 1000), Index: 2, Blocks: []coverage.Block{{20, 30, true}}},
	}}
}

func report(t testing.TB, modules ...coverage.Module) *coverage.Report {
	t.Helper()
	r := &coverage.Report{}
	for _, m := range modules {
		if err := r.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// source returns the sources of the fixtures.
func source(file string) ([]byte, bool) {
	text, err := os.ReadFile(fixtures + "project/" + file)
	return text, err == nil
}

func written(t testing.TB, write func(io.Writer) error) string {
	t.Helper()
	var out strings.Builder
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// everything are the reports that golden files have.
func everything(t testing.TB) map[string]*coverage.Summary {
	upgraded := bare()
	upgraded.Hash[0]++
	return map[string]*coverage.Summary{
		"own":     coverage.Summarize(report(t, summer(t), finder(t), bare()), coverage.Options{Source: source, Milliseconds: 1_700_000_000_000}),
		"all":     coverage.Summarize(report(t, finder(t), bare(), upgraded), coverage.Options{All: true}),
		"hostile": coverage.Summarize(report(t, hostile()), coverage.Options{}),
		"empty":   coverage.Summarize(&coverage.Report{}, coverage.Options{}),
	}
}

func TestReportsAreWrittenAsBefore(t *testing.T) {
	for name, s := range everything(t) {
		golden.Compare(t, "testdata/"+name+".lcov", written(t, s.WriteLCOV))
		golden.Compare(t, "testdata/"+name+".table", written(t, s.WriteText))
		golden.Compare(t, "testdata/"+name+".xml", written(t, s.WriteCobertura))
		golden.Compare(t, "testdata/"+name+".html", written(t, s.WritePage))
	}
}
