package campaign

import (
	"fmt"

	"github.com/canisterd/canisterd/internal/candid/generated"
	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica"
)

// shown returns the messages of a finding that are listed and drawn. Messages of a canister to methods of its own that a
// compiler added are left out (Setup.Generated), except those that the schedule names, that fail, or that call others.
func (f *Finding) shown(setup *harness.Setup) (steps []*harness.Step) {
	if setup.Generated {
		return f.Steps
	}
	named := make(map[string]bool)
	for _, b := range f.Schedule.Deviations {
		named[b.First], named[b.Later] = true, true
	}
	for _, fault := range f.Schedule.Plan {
		named[fault.At] = true
	}
	for _, s := range f.Steps {
		if named[s.Move] || f.pointAt(s.Move) != nil || !folded(s) {
			steps = append(steps, s)
		}
	}
	return steps
}

// folded reports whether a message is part of an asynchronous block of its canister, and nothing else can be told of it.
func folded(s *harness.Step) bool {
	if s.Kind != replica.MoveRequest && s.Kind != replica.MoveResponse || s.Canister != s.Peer || !generated.Method(s.Method) {
		return false
	}
	if s.Fault != harness.NoFault || s.Failure != nil || s.Rejected != nil || s.Dropped || s.Waited > 0 {
		return false
	}
	return len(callsShown(s, false)) == 0
}

// callsShown returns the calls of a message that are listed.
func callsShown(s *harness.Step, all bool) (calls []harness.CallMade) {
	for _, c := range s.Calls {
		if all || c.Callee != s.Canister || !generated.Method(c.Method) {
			calls = append(calls, c)
		}
	}
	return calls
}

// foldedLine says how many messages are left out, "" if none are.
func (f *Finding) foldedLine(setup *harness.Setup) string {
	if left := len(f.Steps) - len(f.shown(setup)); left > 0 {
		return fmt.Sprintf("  %d messages of asynchronous blocks are not listed.\n", left)
	}
	return ""
}
