package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/examples/asyncbugs"
	"github.com/canisterd/canisterd/explore"
)

// pageOfInvariants is the page that shows the invariants of the folder.
const pageOfInvariants = "../../../docs/invariants.md"

// The invariants are checked without the built-in properties: each must find its bug by itself.
func TestEachInvariantOfThePageFindsItsBugAndIsSilentForTheTwin(t *testing.T) {
	t.Parallel()
	base, bugs := read(t, "../invariants")
	if len(bugs) != 10 {
		t.Errorf("there are %d invariants, want 10", len(bugs))
	}
	for _, bug := range bugs {
		t.Run(bug.Name, func(t *testing.T) {
			t.Parallel()
			if found := violationsOf(t, base.Network, bug, asyncbugs.Fixed); len(found) > 0 {
				t.Errorf("the twin violates %s", found[0].Property)
			}
			found := violationsOf(t, base.Network, bug, asyncbugs.Buggy)
			if len(found) == 0 {
				t.Fatal("the bug is not found")
			}
			for _, f := range found {
				t.Logf("run %d: %s", f.Run, f.Property)
			}
		})
	}
}

// violationsOf returns what the invariants of a bug find in a twin.
func violationsOf(t *testing.T, base *canisterd.Network, bug *asyncbugs.Bug, twin asyncbugs.Twin) []*explore.Finding {
	t.Helper()
	s, err := newStage(t.Context(), base, bug, twin)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.explore(t.Context(), explore.OnlyStated(), explore.Budget(runsOfTwins))
	if err := errors.Join(err, s.network.Close()); err != nil {
		t.Fatal(err)
	}
	return r.Violations()
}

func TestThePageOfInvariantsHasTheLinesThatAreTested(t *testing.T) {
	text, err := os.ReadFile(pageOfInvariants)
	if err != nil {
		t.Fatal(err)
	}
	_, bugs := read(t, "../invariants")
	for _, bug := range bugs {
		if folder := filepath.Base(bug.Folder); !strings.Contains(string(text), folder) {
			t.Errorf("%s does not show %s", pageOfInvariants, folder)
		}
		for _, line := range bug.Explore.Invariants {
			if strings.Count(string(text), line) < 2 { // in the table and in the command
				t.Errorf("%s does not have %s twice", pageOfInvariants, line)
			}
		}
	}
}
