package export_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/internal/profile/export"
)

var bank, ledger, unnamed = principal.Canister(1), principal.Canister(2), principal.Canister(3)

// names has the names of two canisters.
func names(id principal.Principal) string {
	return map[principal.Principal]string{bank: "bank", ledger: "ledger"}[id]
}

// grower adds nodes to a profile by their symbols.
type grower struct{ profile.Profile }

func (g *grower) node(parent int32, kind profile.Kind, canister principal.Principal, name, entry string, w profile.Weights) int32 {
	s := profile.Symbol{Kind: kind, Canister: canister, Name: name, Entry: entry}
	if kind == profile.Function {
		s.Index = uint32(10 + len(name))
	}
	at := g.Below(parent, s)
	g.Nodes[at].Weights.Add(&w)
	return at
}

func calls(calls, instructions uint64) profile.Weights {
	return profile.Weights{Calls: calls, Instructions: instructions}
}

// withdrawals is a profile of a bank that calls a ledger, with more or less work in one function.
func withdrawals(hashing uint64) *profile.Profile {
	var g grower
	entry := g.node(profile.Root, profile.Entry, bank, "withdraw", "update", calls(10, 1_200))
	withdraw := g.node(entry, profile.Function, bank, "bank::withdraw", "", calls(10, 45_000))
	hash := g.node(withdraw, profile.Function, bank, "sha2::compress::h0123456789abcdef", "", calls(160, hashing))
	g.node(hash, profile.Function, bank, "<[u8; 32] as core::fmt::Debug>::fmt", "", calls(10, 3_000))
	g.node(withdraw, profile.Host, bank, "ic0.call_perform", "", profile.Weights{Calls: 10, Instructions: 50_000, Cycles: 2_600_000})
	g.node(entry, profile.Charge, bank, "(changed pages of the heap)", "", calls(20, 20_000))
	call := g.node(withdraw, profile.Await, ledger, "transfer", "", calls(10, 0))
	served := g.node(call, profile.Entry, ledger, "transfer", "update", calls(10, 1_000))
	transfer := g.node(served, profile.Function, ledger, "ledger::transfer", "", calls(10, 81_234))
	again := g.node(transfer, profile.Function, ledger, "ledger::walk", "", calls(10, 4_000))
	again = g.node(again, profile.Function, ledger, "ledger::walk", "", calls(10, 3_000))
	g.node(again, profile.Host, ledger, "ic0.stable64_write", "", profile.Weights{Calls: 10, Instructions: 900, StableBytes: 4_096})
	answered := g.node(call, profile.Entry, bank, "withdraw", "reply callback", calls(10, 1_100))
	g.node(answered, profile.Function, bank, "bank::withdraw", "", calls(10, 2_500))
	random := g.node(withdraw, profile.Await, principal.Management, "raw_rand", "", calls(1, 0))
	g.node(random, profile.Entry, bank, "withdraw", "reply callback", calls(1, 100))
	g.node(profile.Root, profile.Entry, bank, "canister_heartbeat", "system task", calls(3, 300))
	g.Messages = 34
	return &g.Profile
}

// hostile are names that would move a cursor, end a line or a path, or turn the writing direction.
var hostile = []string{
	"a;b", "line\nbreak", "\x1b[2J\x1b[1;1H", "\u202egnp.exe", "nul\x00", `"quoted"`, `back\slash`, "tab\there", "", " ",
	"é⏸\U0001f980", strings.Repeat("名", 341), "%s%d", "<script>", "a\u2028b", `"`, "function 1 f", "root",
}

// attacks is a profile with every hostile name in every place.
func attacks() *profile.Profile {
	var g grower
	for i, name := range hostile {
		entry := g.node(profile.Root, profile.Entry, bank, name, name, calls(1, 1))
		f := g.node(entry, profile.Function, bank, name, "", calls(1, uint64(10+i)))
		g.node(f, profile.Host, ledger, name, "", calls(1, 2))
		g.node(f, profile.Charge, unnamed, name, "", calls(1, 3))
		g.node(f, profile.Await, ledger, name, "", calls(1, 0))
	}
	return &g.Profile
}

// recursion is a profile of a function that calls itself.
func recursion(depth int) *profile.Profile {
	var g grower
	at := profile.Root
	for range depth {
		at = g.node(at, profile.Function, bank, "f", "", calls(1, 1))
	}
	g.node(at, profile.Function, bank, "leaf", "", calls(1, 7))
	return &g.Profile
}

// listed returns the nodes of a profile that have a weight, by their paths, in an order of its own.
func listed(p *profile.Profile) (all []string) {
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Weights == (profile.Weights{}) {
			continue
		}
		path := ""
		for at := int32(i); at != profile.Root; at = p.Nodes[at].Parent {
			path = fmt.Sprintf("%+v ", p.Symbols[p.Nodes[at].Symbol]) + path
		}
		all = append(all, fmt.Sprintf("%s%+v", path, n.Weights))
	}
	slices.Sort(all)
	return all
}

func wantSame(t *testing.T, got, want *profile.Profile) {
	t.Helper()
	a, b := listed(got), listed(want)
	if c := slices.Compare(a, b); c != 0 {
		at := 0
		for at < min(len(a), len(b)) && a[at] == b[at] {
			at++
		}
		t.Errorf("the profiles differ at node %d of %d and %d:\n%.300q\n%.300q", at, len(a), len(b), a[at:min(at+1, len(a))], b[at:min(at+1, len(b))])
	}
	if got.Messages != want.Messages || got.Folded != want.Folded {
		t.Errorf("the profile has %d messages and %d frames without a node, want %d and %d", got.Messages, got.Folded, want.Messages, want.Folded)
	}
}

// wantPlain fails if a text has a character that a terminal obeys or does not show.
func wantPlain(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && (r < ' ' || r == 0x7f || r == '\u2028' || r == '\u202e') {
			t.Fatalf("the text has the character %q: %.200q", r, text)
		}
	}
}

// failing is a writer that always fails.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }

func TestAWriterThatFailsIsReported(t *testing.T) {
	p := withdrawals(1)
	for _, err := range []error{
		export.Pprof(failing{}, p, names, export.Taken{}), export.Folded(failing{}, p, names), export.Speedscope(failing{}, p, names, ""),
	} {
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("the error is %v", err)
		}
	}
}
