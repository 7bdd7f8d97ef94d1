package export_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/profile/export"
)

// written returns the pprof file of a profile.
func written(t testing.TB, p *profile.Profile) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := export.Pprof(&file, p, names, export.Taken{}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// parsed returns the pprof file of a profile as pprof reads it.
func parsed(t *testing.T, p *profile.Profile) *pprof.Profile {
	t.Helper()
	file, err := pprof.ParseData(written(t, p))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestPprofReadsTheFileOfAProfile(t *testing.T) {
	file := parsed(t, withdrawals(1_234_567))
	golden.Compare(t, "testdata/pprof.txt", file.String())
	for _, f := range file.Function {
		if f.Name == f.SystemName {
			t.Errorf("the name and the system name of a function are %q: pprof cuts such names", f.Name)
		}
	}
}

func TestAPprofFileHasTheTimesThatAreHandedInAndNoOther(t *testing.T) {
	p := withdrawals(1)
	if file := parsed(t, p); file.TimeNanos != 0 || file.DurationNanos != 0 {
		t.Errorf("the file has the times %d and %d", file.TimeNanos, file.DurationNanos)
	}
	var out bytes.Buffer
	if err := export.Pprof(&out, p, names, export.Taken{Since: 5, For: 6}); err != nil {
		t.Fatal(err)
	}
	file, err := pprof.ParseData(out.Bytes())
	if err != nil || file.TimeNanos != 5 || file.DurationNanos != 6 {
		t.Errorf("the file has the times %d and %d, %v", file.TimeNanos, file.DurationNanos, err)
	}
	if !bytes.Equal(written(t, p), written(t, p)) {
		t.Error("the same profile has two files")
	}
}

func TestValuesTooLargeForPprofAreTheLargest(t *testing.T) {
	var g grower
	g.node(profile.Root, profile.Function, bank, "f", "", profile.Weights{Calls: 1, Instructions: math.MaxUint64, Cycles: math.MaxInt64 + 1, StableBytes: math.MaxInt64})
	if got, want := parsed(t, &g.Profile).Sample[0].Value, []int64{math.MaxInt64, 1, math.MaxInt64, math.MaxInt64}; !slices.Equal(got, want) {
		t.Errorf("the values are %d, want %d", got, want)
	}
}

func TestTheWeightsOfTheRootHaveAFrame(t *testing.T) {
	p := withdrawals(1)
	p.Nodes[profile.Root].Instructions, p.Folded = 12, 3
	s := parsed(t, p).Sample[0]
	if len(s.Location) != 1 || s.Location[0].Line[0].Function.Name != "(without a frame)" || s.Value[0] != 12 {
		t.Errorf("the weights of the root are %v of %v", s.Value, s.Location)
	}
}

func TestHostileNamesInAPprofFileArePlain(t *testing.T) {
	wantPlain(t, strings.ReplaceAll(parsed(t, attacks()).String(), "\t", ""))
}

func TestAProfileWithTooManyFramesMovesTheDeepestAndKeepsWhatFunctionsHave(t *testing.T) {
	const depth = 5_000
	p := recursion(depth)
	file := parsed(t, p)
	frames, f, leaf := 0, int64(0), int64(0)
	for _, s := range file.Sample {
		frames += len(s.Location)
		switch s.Location[0].Line[0].Function.Name {
		case "f":
			f += s.Value[0]
		case "leaf":
			leaf += s.Value[0]
		}
	}
	if frames > export.MaxFrames {
		t.Errorf("the samples have %d frames", frames)
	}
	if f != depth || leaf != 7 {
		t.Errorf("the functions have %d and %d instructions, want %d and 7", f, leaf, depth)
	}
}

func TestAFunctionWithDebugInformationHasItsFileAndLine(t *testing.T) {
	var p profile.Profile
	s := profile.Symbol{Kind: profile.Function, Canister: bank, Name: "bank::pay", Index: 3, File: "src/pay\x1b.rs", Line: 12}
	p.Nodes[p.Below(profile.Root, s)].Instructions = 5
	l := parsed(t, &p).Sample[0].Location[0]
	if f := l.Line[0].Function; f.Filename != `src/pay\x1b.rs` || f.StartLine != 12 || l.Line[0].Line != 12 || l.Mapping.File != "bank" {
		t.Errorf("the function is at %s:%d, its frame at line %d of %s", f.Filename, f.StartLine, l.Line[0].Line, l.Mapping.File)
	}
	read, err := export.Read(bytes.NewReader(written(t, &p)))
	if err != nil {
		t.Fatal(err)
	}
	if got := read.Symbols[1]; got.File != `src/pay\x1b.rs` || got.Line != 12 {
		t.Errorf("it is read back at %s:%d", got.File, got.Line)
	}
}
