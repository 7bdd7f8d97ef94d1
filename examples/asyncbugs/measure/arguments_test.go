package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/examples/asyncbugs"
	"github.com/canisterd/canisterd/explore"
)

// leastDrawn is how many of the bugs that need certain arguments must be found.
const leastDrawn = 5

// runsOfArguments is the budget of an exploration of a buggy canister, and runsOfTwins that of its twin.
const (
	runsOfArguments = 10_000
	runsOfTwins     = 2_000
)

func TestBugsThatNeedCertainArgumentsAreFoundIfArgumentsAreDrawn(t *testing.T) {
	t.Parallel()
	base, bugs := read(t, "../arguments")
	found := 0
	for _, bug := range bugs {
		name := filepath.Base(bug.Folder)
		if r, _ := drawnReport(t, base.Network, bug, asyncbugs.Buggy, false); len(r.Violations()) > 0 {
			t.Errorf("%s: fixed arguments find it: %s", name, r.Explain(r.Violations()[0]))
		}
		if r, _ := drawnReport(t, base.Network, bug, asyncbugs.Fixed, true); len(r.Violations()) > 0 {
			t.Errorf("%s: the twin has a finding: %s", name, r.Explain(r.Violations()[0]))
		}
		r, replays := drawnReport(t, base.Network, bug, asyncbugs.Buggy, true)
		if len(r.Violations()) == 0 {
			t.Logf("%s: not found in %d runs", name, r.Runs)
			continue
		}
		found++
		f := r.Violations()[0]
		t.Logf("%s: found in run %d\n%s", name, f.Run, r.Explain(f))
		if !replays {
			t.Errorf("%s: the schedule does not replay", name)
		}
	}
	if found < leastDrawn {
		t.Errorf("%d of %d bugs are found, want at least %d", found, len(bugs), leastDrawn)
	}
}

// drawnReport explores a twin with its fixed operations or with drawn ones. Replays says that the schedule of the finding has
// the drawn arguments in its file.
func drawnReport(t *testing.T, base *canisterd.Network, bug *asyncbugs.Bug, twin asyncbugs.Twin, drawn bool) (r *explore.Report, replays bool) {
	t.Helper()
	s, err := newStage(t.Context(), base, bug, twin)
	if err != nil {
		t.Fatal(err)
	}
	options, budget := append(s.options, s.stated()...), runsOfArguments
	if twin == asyncbugs.Fixed {
		budget = runsOfTwins
	}
	if drawn {
		if options, err = s.drawn(); err != nil {
			t.Fatal(err)
		}
	}
	if r, err = explore.Explore(t.Context(), s.network, append(options, explore.Budget(budget))...); err != nil {
		t.Fatal(err)
	}
	if found := r.Violations(); len(found) > 0 {
		text, err := r.Schedule(found[0])
		if err != nil {
			t.Fatal(err)
		}
		replays = !strings.Contains(string(text), "?")
	}
	if err := s.network.Close(); err != nil {
		t.Fatal(err)
	}
	return r, replays
}
