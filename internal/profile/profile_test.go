package profile_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/profile"
)

var bank, ledger = principal.Canister(1), principal.Canister(2)

// symbolsOf names the frames of a canister.
func symbolsOf(canister principal.Principal) func(profile.Frame) profile.Symbol {
	return func(f profile.Frame) profile.Symbol {
		s := profile.Symbol{Kind: f.Kind, Canister: canister, Name: fmt.Sprintf("f%d", f.Index), Index: f.Index}
		if f.Kind == profile.Entry {
			s.Name, s.Entry, s.Index = "withdraw", "update", 0
		}
		return s
	}
}

// calling is a run in which function 1 makes a call.
func calling() *profile.Tree {
	r := profile.NewRecorder(0)
	r.Enter(function(1), 10)
	r.Await()
	r.Leave(30)
	return r.End(35, nil, 100)
}

// paths returns the instructions and calls of each path of a profile.
func paths(p *profile.Profile) map[string][2]uint64 {
	all := map[string][2]uint64{}
	for i := 1; i < len(p.Nodes); i++ {
		path := ""
		for at := int32(i); at != profile.Root; at = p.Nodes[at].Parent {
			path = "/" + p.Symbols[p.Nodes[at].Symbol].Name + path
		}
		all[path] = [2]uint64{p.Nodes[i].Instructions, p.Nodes[i].Calls}
	}
	return all
}

func wantPaths(t *testing.T, p *profile.Profile, want map[string][2]uint64) {
	t.Helper()
	if got := paths(p); !reflect.DeepEqual(got, want) {
		t.Errorf("the paths are %v, want %v", got, want)
	}
}

func TestRunsAreJoinedByTheirSymbolsBelowTheCallThatCausedThem(t *testing.T) {
	var p profile.Profile
	for range 2 {
		awaits := p.Add(profile.Root, calling(), symbolsOf(bank))
		if len(awaits) != 1 {
			t.Fatalf("the run has %d calls, want 1", len(awaits))
		}
		call := p.Below(awaits[0], profile.Symbol{Kind: profile.Await, Canister: ledger, Name: "transfer"})
		p.Nodes[call].Calls++
		p.Add(call, calling(), symbolsOf(ledger))
	}
	wantPaths(t, &p, map[string][2]uint64{
		"/withdraw":                         {30, 2},
		"/withdraw/f1":                      {40, 2},
		"/withdraw/f1/transfer":             {0, 2},
		"/withdraw/f1/transfer/withdraw":    {30, 2},
		"/withdraw/f1/transfer/withdraw/f1": {40, 2},
	})
	if p.Messages != 4 || p.Instructions() != 140 || p.Folded != 0 {
		t.Errorf("the profile has %d messages, %d instructions and %d frames without a node", p.Messages, p.Instructions(), p.Folded)
	}
}

func TestFramesOfSeveralCanistersStayApart(t *testing.T) {
	var p profile.Profile
	p.Add(profile.Root, calling(), symbolsOf(bank))
	p.Add(profile.Root, calling(), symbolsOf(ledger))
	if len(p.Nodes) != 5 || len(p.Symbols) != 5 {
		t.Errorf("two canisters with two frames each have %d nodes and %d symbols", len(p.Nodes)-1, len(p.Symbols)-1)
	}
}

func TestWithdrawnFramesHaveNoNodeInAProfile(t *testing.T) {
	r := profile.NewRecorder(0)
	r.Enter(function(1), 5)
	r.Withdraw()
	r.Enter(function(2), 5)
	r.Leave(9)
	var p profile.Profile
	p.Add(profile.Root, r.End(9, nil, 100), symbolsOf(bank))
	wantPaths(t, &p, map[string][2]uint64{"/withdraw": {5, 1}, "/withdraw/f2": {4, 1}})
}

func TestTotalsHaveTheNodesBelowAndCountARecursionAsNestedFrames(t *testing.T) {
	var p profile.Profile
	p.Add(profile.Root, recursion(3).End(6, nil, 100), symbolsOf(bank))
	totals := p.Totals()
	for i, want := range []profile.Weights{
		{Instructions: 6}, {Calls: 1, Instructions: 6}, {Calls: 1, Instructions: 6}, {Calls: 1, Instructions: 4}, {Calls: 1, Instructions: 2},
	} {
		if totals[i] != want {
			t.Errorf("the total of node %d is %+v, want %+v", i, totals[i], want)
		}
	}
}

func TestTotalsAddEveryWeightExceptCalls(t *testing.T) {
	var p profile.Profile
	above := p.Below(profile.Root, profile.Symbol{Name: "a"})
	below := p.Below(above, profile.Symbol{Name: "b"})
	p.Nodes[above].Weights = profile.Weights{Calls: 1, Instructions: 2, Cycles: 3, StableBytes: 4}
	p.Nodes[below].Weights = profile.Weights{Calls: 10, Instructions: 20, Cycles: 30, StableBytes: 40}
	if got, want := p.Totals()[above], (profile.Weights{Calls: 1, Instructions: 22, Cycles: 33, StableBytes: 44}); got != want {
		t.Errorf("the total is %+v, want %+v", got, want)
	}
}

func TestAnEmptyProfileHasNoNodesAndAnEmptyRunMakesItsRoot(t *testing.T) {
	var p profile.Profile
	if len(p.Totals()) != 0 || p.Instructions() != 0 {
		t.Error("an empty profile has weights")
	}
	p.Add(profile.Root, &profile.Tree{}, symbolsOf(bank))
	if len(p.Nodes) != 1 || p.Nodes[0].Parent != -1 || p.Messages != 1 {
		t.Errorf("an empty run makes %v", p.Nodes)
	}
}

func TestACopyOfAProfileGrowsAlone(t *testing.T) {
	var p profile.Profile
	p.Add(profile.Root, calling(), symbolsOf(bank))
	c := p.Clone()
	c.Add(profile.Root, calling(), symbolsOf(bank))
	c.Add(profile.Root, calling(), symbolsOf(ledger))
	wantPaths(t, &p, map[string][2]uint64{"/withdraw": {15, 1}, "/withdraw/f1": {20, 1}})
	if len(c.Nodes) != 5 || c.Instructions() != 3*35 || c.Messages != 3 {
		t.Errorf("the copy has %d nodes, %d instructions and %d messages", len(c.Nodes)-1, c.Instructions(), c.Messages)
	}
}

func TestNamesOfSymbolsAreValidText(t *testing.T) {
	var p profile.Profile
	first := p.Below(profile.Root, profile.Symbol{Name: "a\xffb"})
	if again := p.Below(profile.Root, profile.Symbol{Name: "a\xffb"}); again != first {
		t.Error("a name with a broken character has two nodes")
	}
	if name := p.Symbols[1].Name; name != "a\uFFFDb" {
		t.Errorf("the name is %q", name)
	}
	if strings.ToValidUTF8(p.Symbols[1].Name, "") != p.Symbols[1].Name {
		t.Error("the name is not valid UTF-8")
	}
}
