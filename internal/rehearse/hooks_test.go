package rehearse

import (
	"strings"
	"testing"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// profileOf returns a profile of an installation whose parts spend 1, 10, 100 and so on, half of it in a function.
func profileOf(parts ...string) *controlv1.Profile {
	p := &controlv1.Profile{Symbols: []*controlv1.ProfileSymbol{{}, {Kind: controlv1.FrameKind_FRAME_KIND_FUNCTION}}, Nodes: []*controlv1.ProfileNode{{}}}
	spent := uint64(1)
	for _, part := range parts {
		entry := uint32(len(p.GetNodes()))
		p.Symbols = append(p.Symbols, &controlv1.ProfileSymbol{Kind: controlv1.FrameKind_FRAME_KIND_ENTRY, Entry: part})
		p.Nodes = append(p.Nodes,
			&controlv1.ProfileNode{Symbol: uint32(len(p.GetSymbols()) - 1), Instructions: spent},
			&controlv1.ProfileNode{Symbol: 1, Parent: entry, Instructions: spent})
		spent *= 10
	}
	return p
}

func TestTheInstructionsOfAnUpgradeAreThoseOfItsParts(t *testing.T) {
	for _, test := range []struct {
		parts []string
		want  Instructions
		last  string
	}{
		{nil, Instructions{}, ""},
		{[]string{installing}, Instructions{Compiling: 2}, ""},
		{[]string{installing, preUpgrade}, Instructions{Compiling: 2, PreUpgrade: 20}, "canister_pre_upgrade"},
		{[]string{installing, preUpgrade, start}, Instructions{Compiling: 2, PreUpgrade: 20, Start: 200}, "the start of the new module"},
		{[]string{installing, preUpgrade, start, postUpgrade}, Instructions{Compiling: 2, PreUpgrade: 20, Start: 200, PostUpgrade: 2000}, "canister_post_upgrade"},
	} {
		if got, last := partsOf(profileOf(test.parts...)); got != test.want || last != test.last {
			t.Errorf("%v: %+v up to %q, want %+v up to %q", test.parts, got, last, test.want, test.last)
		}
	}
}

func TestGrowthNamesThePartThatGrows(t *testing.T) {
	now := &Instructions{Total: 1_000, PreUpgrade: 100, PostUpgrade: 100}
	for _, test := range []struct {
		then   Instructions
		want   []string
		result Result
	}{
		{Instructions{Total: 1_000 + 64*MinGrowth - 1, PostUpgrade: 64 * MinGrowth}, nil, Passed},
		{Instructions{Total: 1_000 + 64*MinGrowth, PreUpgrade: 100, PostUpgrade: 100 + 64*MinGrowth}, []string{
			"adds 100 instructions (canister_post_upgrade by 100; measured: 1,000, and 7,400 after 64 calls)", "after about 2,999,999,990 calls",
		}, Noted},
		{Instructions{Total: 129_000, PreUpgrade: 64_100, PostUpgrade: 64_100}, []string{
			"adds 2,000 instructions (canister_pre_upgrade by 1,000, canister_post_upgrade by 1,000;",
		}, Noted},
		{Instructions{Total: 1_000 + 64*2_999, PostUpgrade: 100 + 64*2_999}, []string{"after about 100,033,344 calls"}, Noted},
		{Instructions{Total: 1_000 + 64*3_000, PostUpgrade: 100 + 64*3_000}, []string{"after about 99,999,999 calls"}, Failed},
	} {
		got, result := grows(now, &test.then, "app add", 64)
		if (got == "") != (test.want == nil) || result != test.result {
			t.Errorf("%+v: %s, %q, want %s", test.then, result, got, test.result)
		}
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%+v: %q, want %q", test.then, got, want)
			}
		}
	}
}
