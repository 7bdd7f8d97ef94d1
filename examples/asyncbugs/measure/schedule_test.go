package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd"
	"github.com/canisterd/canisterd/examples/asyncbugs"
	"github.com/canisterd/canisterd/explore"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// read returns the bugs of a folder, and a network with what they need.
func read(t *testing.T, folder string) (*canisterd.IC, []*asyncbugs.Bug) {
	t.Helper()
	base := canisterd.New(t)
	if err := asyncbugs.Base(t.Context(), base.Network, ".."); err != nil {
		t.Fatal(err)
	}
	bugs, err := asyncbugs.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return base, bugs
}

// The schedule of bug.yaml has the fewest deviations from FIFO: all its messages come, the bug breaks its invariant,
// and the twin does not.
func TestTheScheduleMadeByHandShowsTheBugAndNotTheTwin(t *testing.T) {
	t.Parallel()
	base, bugs := read(t, "..")
	for _, bug := range bugs {
		for _, twin := range []asyncbugs.Twin{asyncbugs.Buggy, asyncbugs.Fixed} {
			t.Run(filepath.Base(bug.Folder)+"/"+string(twin), func(t *testing.T) { t.Parallel(); replay(t, base.Network, bug, twin) })
		}
	}
}

func replay(t *testing.T, base *canisterd.Network, bug *asyncbugs.Bug, twin asyncbugs.Twin) {
	s, err := newStage(t.Context(), base, bug, twin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.network.Close(); err != nil {
			t.Error(err)
		}
	})
	again, err := explore.Replay(t.Context(), s.network, scheduleOf(t, bug), append(s.options, s.stated()...)...)
	if err != nil {
		t.Fatal(err)
	}
	if stale := twin == asyncbugs.Buggy && again.Stale(); stale || (len(again.Violations) > 0) != (twin == asyncbugs.Buggy) {
		t.Errorf("the violations are %v; %s", again.Violations, again.Diverged())
		for i := range again.Steps {
			t.Log(again.Steps[i].Move, again.Steps[i].Fault)
		}
	}
}

// scheduleOf returns the schedule of bug.yaml.
func scheduleOf(t *testing.T, bug *asyncbugs.Bug) *explore.Schedule {
	s := &explore.Schedule{}
	for _, d := range bug.Schedule.Deviations {
		s.Deviations = append(s.Deviations, explore.Before{First: d.Run, Later: d.Before})
	}
	for _, f := range bug.Schedule.Faults {
		kind, err := harness.ParseFault(f.Kind)
		if err != nil {
			t.Fatalf("%s: %v", strings.TrimPrefix(bug.Folder, "../"), err)
		}
		s.Faults = append(s.Faults, explore.FaultAt{At: f.At, Kind: kind})
	}
	return s
}
