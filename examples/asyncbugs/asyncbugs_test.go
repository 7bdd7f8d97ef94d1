package asyncbugs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/examples/asyncbugs"
)

func read(t *testing.T) []*asyncbugs.Bug {
	t.Helper()
	bugs, err := asyncbugs.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	return bugs
}

// Each bug has one schedule, made by hand. What it shows of the canister with the bug is what README.md says.
func TestEachBugBreaksItsInvariantAndItsTwinDoesNotUnderTheSameSchedule(t *testing.T) {
	t.Parallel()
	base := canisterd.New(t)
	if err := asyncbugs.Base(t.Context(), base.Network, "."); err != nil {
		t.Fatal(err)
	}
	bugs := read(t)
	if len(bugs) != 24 {
		t.Errorf("there are %d bugs, want 24", len(bugs))
	}
	for _, bug := range bugs {
		for _, twin := range []asyncbugs.Twin{asyncbugs.Buggy, asyncbugs.Fixed} {
			fork := base.Fork()
			t.Run(filepath.Base(bug.Folder)+"/"+string(twin), func(t *testing.T) {
				t.Parallel()
				show(t, fork, bug, twin)
			})
		}
	}
}

// show plays the schedule of a bug with one of the twins and checks what comes of it.
func show(t *testing.T, ic *canisterd.IC, bug *asyncbugs.Bug, twin asyncbugs.Twin) {
	ctx, n := t.Context(), ic.Network
	if err := bug.Deploy(ctx, n, twin); err != nil {
		t.Fatal(err)
	}
	if broken := brokenOf(t, n, bug); len(broken) > 0 {
		t.Fatalf("before the first step %q do not hold", broken)
	}
	profile, err := n.Profile(ctx, func() error { return bug.Play(ctx, n) })
	if err != nil {
		t.Fatal(err)
	}
	if sum := profile.Instructions(); sum == 0 || sum != profile.Charged() {
		t.Errorf("the profile has %d instructions, the messages are charged for %d", sum, profile.Charged())
	}
	result := bug.ByHand.Result
	want := map[asyncbugs.Twin]string{asyncbugs.Buggy: result.Buggy, asyncbugs.Fixed: result.Fixed}[twin]
	if got, err := asyncbugs.Ask(ctx, n, result.Query); err != nil || got != want {
		t.Errorf("%s is %s (%v), want %s; the newest call:\n%s", result.Query, got, err, want, ic.Trace(nil))
	}
	if broken := brokenOf(t, n, bug); (len(broken) > 0) != (twin == asyncbugs.Buggy) {
		t.Errorf("after the last step these invariants do not hold: %q", broken)
	}
}

// brokenOf are the invariants that do not hold. Whether a canister can be stopped is asked in a fork, which the question
// changes.
func brokenOf(t *testing.T, n *canisterd.Network, bug *asyncbugs.Bug) (broken []string) {
	t.Helper()
	fork, err := n.Fork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, invariant := range bug.Explore.Invariants {
		holds, err := asyncbugs.Holds(t.Context(), fork, invariant)
		if err != nil {
			t.Fatal(err)
		}
		if !holds {
			broken = append(broken, invariant)
		}
	}
	if err := fork.Close(); err != nil {
		t.Fatal(err)
	}
	return broken
}

func TestThePageExplainsEachBug(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, bug := range read(t) {
		number, _, _ := strings.Cut(filepath.Base(bug.Folder), "-")
		number = strings.TrimLeft(number, "0")
		for _, part := range []string{"| " + number + " | [" + bug.Name + "](" + filepath.Base(bug.Folder) + ") | " + bug.Language + " |", "\n## " + number + ". " + bug.Name + "\n"} {
			if !strings.Contains(string(page), part) {
				t.Errorf("README.md has no %q", part)
			}
		}
	}
}
