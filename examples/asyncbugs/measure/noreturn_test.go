package main

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/examples/asyncbugs"
	"github.com/canisterd/canisterd/explore"
)

// leastAgreed is how many of the bugs must have the point of no return that people named.
const leastAgreed = 20

// The message is marked in the run of the least schedule of bug.yaml. no_return of bug.yaml was written by hand before.
func TestThePointOfNoReturnIsTheMessageNamedByHand(t *testing.T) {
	t.Parallel()
	base, bugs := read(t, "..")
	agreed := 0
	for _, bug := range bugs {
		if marked := pointOf(t, base.Network, bug); marked == bug.NoReturn.Message {
			agreed++
		} else {
			t.Logf("%s: %s is marked, and %s was named by hand", filepath.Base(bug.Folder), marked, bug.NoReturn.Message)
		}
	}
	if t.Logf("%d of %d agree", agreed, len(bugs)); agreed < leastAgreed {
		t.Errorf("the point of no return is the one named by hand in %d of %d bugs, want at least %d", agreed, len(bugs), leastAgreed)
	}
}

// pointOf returns the message after which the violation is certain in the run of the schedule of bug.yaml.
func pointOf(t *testing.T, base *canisterd.Network, bug *asyncbugs.Bug) string {
	t.Helper()
	s, err := newStage(t.Context(), base, bug, asyncbugs.Buggy)
	if err != nil {
		t.Fatal(err)
	}
	again, err := explore.Replay(t.Context(), s.network, scheduleOf(t, bug), append(s.options, s.stated()...)...)
	if err := errors.Join(err, s.network.Close()); err != nil {
		t.Fatal(err)
	}
	if again.Certain == nil {
		return "none"
	}
	return again.Certain.Message
}
