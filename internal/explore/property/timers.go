package property

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/explore/harness"
)

// LostTimer finds canisters whose global timer is active at the end of each run without faults, and not at the end of this
// one: what the timer repeats does not happen again. It is a suspicion, because a later call may set the timer.
type LostTimer struct {
	atRest
	active map[principal.Principal]bool // at the end of each run that was learned
}

// Name returns "lost-timer".
func (*LostTimer) Name() string { return "lost-timer" }

// Learn records which canisters have an active timer at the end of a run.
func (p *LostTimer) Learn(r *harness.Run, _ bool) {
	first := p.active == nil
	if first {
		p.active = make(map[principal.Principal]bool)
	}
	for _, last := range lastSteps(r) {
		p.active[last.Canister] = last.Timer && (first || p.active[last.Canister])
	}
}

// AtRest returns the canisters that have lost their timers.
func (p *LostTimer) AtRest(r *harness.Run) (found []Violation) {
	for _, last := range lastSteps(r) {
		if last.Timer || !p.active[last.Canister] {
			continue
		}
		found = append(found, Violation{
			Property: p.Name(), Canister: last.Canister, At: last.Move, Suspicion: true,
			Text: fmt.Sprintf("the timer of %s is not active after this run, and is active after each run without faults: what it repeats has ended", name(r, last)),
		})
	}
	return found
}

// lastSteps returns the latest step of each canister of a run, the latest first.
func lastSteps(r *harness.Run) (all []*harness.Step) {
	seen := make(map[principal.Principal]bool)
	steps := r.Steps()
	for i := len(steps) - 1; i >= 0; i-- {
		if s := steps[i]; !seen[s.Canister] {
			seen[s.Canister] = true
			all = append(all, s)
		}
	}
	return all
}
