package export_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/profile/export"
)

func folded(t *testing.T, p *profile.Profile) string {
	t.Helper()
	var out strings.Builder
	if err := export.Folded(&out, p, names); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFoldedStacksNameTheCanistersOfFunctions(t *testing.T) {
	golden.Compare(t, "testdata/folded.txt", folded(t, withdrawals(1_234_567)))
}

func TestFoldedStacksOfOneCanisterDoNotNameIt(t *testing.T) {
	if got, want := folded(t, recursion(2)), "f 1\nf;f 1\nf;f;leaf 7\n"; got != want {
		t.Errorf("the stacks are %q, want %q", got, want)
	}
}

func TestHostileNamesMakeNoFrameOrLineOfTheirOwn(t *testing.T) {
	text := folded(t, attacks())
	wantPlain(t, text)
	for line := range strings.Lines(text) {
		if n := strings.Count(line, ";"); n > 2 {
			t.Errorf("a line has %d frames: %q", n+1, line)
		}
	}
	golden.Compare(t, "testdata/folded_hostile.txt", text)
}

func TestFunctionsOfOneNameHaveOneLine(t *testing.T) {
	var p profile.Profile
	for i := range uint32(3) {
		p.Nodes[p.Below(profile.Root, profile.Symbol{Name: "f", Index: i})].Instructions += 5
	}
	p.Nodes[profile.Root].Instructions = 2
	if got, want := folded(t, &p), "(without a frame) 2\nf 15\n"; got != want {
		t.Errorf("the stacks are %q, want %q", got, want)
	}
}
