package main

import (
	"testing"

	"github.com/canisterd/canisterd"
)

// leastFound is how many of the bugs must be found.
const leastFound = 4

// What is missed stays in bugs.yaml. A bug that is found from now on is written there, too.
func TestTheExplorerFindsRealBugsUnaided(t *testing.T) {
	t.Parallel()
	bugs, err := read(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(bugs) != 10 {
		t.Errorf("there are %d bugs, want 10", len(bugs))
	}
	base := canisterd.New(t)
	if err := deployLedgers(t.Context(), base.Network, "."); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, bug := range bugs {
		if bug.Found == "" {
			continue
		}
		r, err := bug.explore(t.Context(), base.Network, ".", budget)
		if err != nil {
			t.Fatalf("%s: %v", bug.Folder, err)
		}
		if r.finding == nil {
			t.Errorf("%s: %s finds nothing in %d runs; others: %v", bug.Folder, bug.Found, budget, r.others)
			continue
		}
		found++
	}
	if found < leastFound {
		t.Errorf("%d bugs are found, want at least %d", found, leastFound)
	}
}
