package export_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/golden"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/profile/export"
)

func TestAComparisonHasDifferencesBySize(t *testing.T) {
	before := withdrawals(1_234_567)
	after := &grower{*withdrawals(234_567)}
	after.node(profile.Root, profile.Function, bank, "bank::cache", "", calls(5, 70_000))
	after.Messages = 39
	golden.Compare(t, "testdata/compare.txt", export.Compare(export.Named{before, names}, export.Named{&after.Profile, names}, 6))
	golden.Compare(t, "testdata/compare_back.txt", export.Compare(export.Named{&after.Profile, names}, export.Named{before, names}, 100))
}

func TestFunctionsAreTheSameByNamesNotByIdsIndicesOrHashes(t *testing.T) {
	profileOf := func(id principal.Principal, index uint32, name string) export.Named {
		var p profile.Profile
		at := p.Below(profile.Root, profile.Symbol{Canister: id, Name: name, Index: index})
		p.Nodes[at].Weights = calls(1, 5)
		return export.Named{Profile: &p, Names: func(principal.Principal) string { return "bank" }}
	}
	before := profileOf(bank, 1, "bank::f::h0123456789abcdef")
	for name, same := range map[string]bool{
		"bank::f::hfedcba9876543210": true, "bank::f": true, "bank::f::hfedcba987654321": false, "bank::f::hfedcba987654321g": false,
	} {
		text := export.Compare(before, profileOf(ledger, 2, name), 20)
		if strings.Contains(text, "1 function without a difference") != same || strings.Contains(text, "(new)") == same {
			t.Errorf("%s is compared as\n%s", name, text)
		}
	}
}

func TestFunctionsWithoutInstructionsThatOnlyOneSideHasAreShown(t *testing.T) {
	var p profile.Profile
	p.Below(profile.Root, profile.Symbol{Kind: profile.Await, Canister: ledger, Name: "transfer"})
	text := export.Compare(export.Named{Profile: new(profile.Profile)}, export.Named{Profile: &p, Names: names}, 20)
	if !strings.Contains(text, "⏸ ledger.transfer (new)\n") {
		t.Errorf("the comparison is\n%s", text)
	}
}

func TestAComparisonOfHostileNamesIsPlain(t *testing.T) {
	wantPlain(t, export.Compare(export.Named{Profile: attacks(), Names: names}, export.Named{Profile: withdrawals(1), Names: names}, 1000))
}
