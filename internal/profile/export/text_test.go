package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/profile/export"
)

func TestATableHasFunctionsAndCallsToOtherCanisters(t *testing.T) {
	golden.Compare(t, "testdata/text.txt", export.Text(withdrawals(1_234_567), names, 8))
}

func TestATableOfOneCanisterDoesNotNameIt(t *testing.T) {
	golden.Compare(t, "testdata/text_one_canister.txt", export.Text(recursion(5), names, export.DefaultTop))
}

func TestATableOfHostileNamesIsPlain(t *testing.T) {
	text := export.Text(attacks(), names, 1000)
	wantPlain(t, text)
	golden.Compare(t, "testdata/text_hostile.txt", text)
}

func TestATableCountsARecursionOnceInItsTotal(t *testing.T) {
	text := export.Text(recursion(100_000), names, 10)
	if want := "100_000  100.0%  100_007  100.0%  100_000  f\n"; !strings.Contains(text, want) {
		t.Errorf("the table has no line %q:\n%s", want, text)
	}
}

func TestEmptyProfilesHaveTheirTextsWithoutTables(t *testing.T) {
	var p profile.Profile
	if text := export.Text(&p, nil, 20); text != "0 instructions in 0 messages\n" {
		t.Errorf("the text of an empty profile is %q", text)
	}
	if text := export.Tree(&p, nil, 0.01); !strings.HasPrefix(text, "0 instructions in 0 messages\n") {
		t.Errorf("the tree of an empty profile is %q", text)
	}
	both := export.Named{Profile: &p}
	if text := export.Compare(both, both, 20); !strings.Contains(text, "total") {
		t.Errorf("the comparison of empty profiles is %q", text)
	}
}

func TestATableSaysWhatHadNoRoom(t *testing.T) {
	p := withdrawals(1)
	p.Folded = 1_000
	p.Nodes[profile.Root].Instructions = 12
	text := export.Text(p, names, 100)
	for _, want := range []string{"1_000 frames had no room", "(without a frame)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text does not have %q:\n%s", want, text)
		}
	}
	if tree := export.Tree(p, names, 0); !strings.Contains(tree, "(without a frame)") {
		t.Errorf("the tree does not have the weights of the root:\n%s", tree)
	}
}

func TestATreeHasBranchesFromAShareOn(t *testing.T) {
	golden.Compare(t, "testdata/tree.txt", export.Tree(withdrawals(1_234_567), names, export.DefaultShare))
	golden.Compare(t, "testdata/tree_all.txt", export.Tree(withdrawals(1_234_567), names, 0))
}

func TestATreeHas64NestedFrames(t *testing.T) {
	whole := export.Tree(recursion(63), names, 0)
	if strings.Contains(whole, "too deep") || strings.Count(whole, "\n") != 3+64 {
		t.Errorf("a recursion of 64 frames is cut:\n%s", whole)
	}
	cut := export.Tree(recursion(64), names, 0)
	if !strings.HasSuffix(cut, "└─ … 1 frame too deep\n") || strings.Count(cut, "\n") != 3+65 {
		t.Errorf("a recursion of 65 frames is not cut:\n%s", cut)
	}
}

func TestATreeOfHostileNamesIsPlain(t *testing.T) {
	wantPlain(t, export.Tree(attacks(), names, 0))
}

func TestAFrameTakes120ColumnsOfATerminal(t *testing.T) {
	for _, c := range []struct{ name, shown string }{
		{strings.Repeat("x", 120), strings.Repeat("x", 120)},
		{strings.Repeat("x", 121), strings.Repeat("x", 119) + "…"},
		{strings.Repeat("名", 61), strings.Repeat("名", 59) + "…"},
	} {
		var g grower
		g.node(profile.Root, profile.Function, bank, c.name, "", calls(1, 1))
		for _, text := range []string{export.Text(&g.Profile, names, 20), export.Tree(&g.Profile, names, 0)} {
			if !strings.HasSuffix(text, "  "+c.shown+"\n") {
				t.Errorf("a name of %d bytes is shown in %q", len(c.name), text)
			}
		}
	}
}

func TestTheDefaultsAre20FunctionsAndAHundredth(t *testing.T) {
	if export.DefaultTop != 20 || export.DefaultShare != 0.01 {
		t.Error("the defaults differ from those of the manual")
	}
	var g grower
	for i := range 25 {
		g.node(profile.Root, profile.Function, bank, fmt.Sprint("f", i), "", calls(1, uint64(i)))
	}
	text := export.Text(&g.Profile, names, export.DefaultTop)
	if !strings.HasSuffix(text, "… 5 functions more, with 10 instructions\n") {
		t.Errorf("the table ends with %q", text[len(text)-60:])
	}
}
