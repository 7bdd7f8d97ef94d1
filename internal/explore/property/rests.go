package property

import (
	"fmt"

	"github.com/canisterd/canisterd/internal/explore/harness"
)

// NeverRests finds runs that do not come to rest, in which the properties at rest are not checked. It is a suspicion,
// because the run was cut off: it might have come to rest later.
type NeverRests struct{ atRest }

// Name returns "never-rests".
func (NeverRests) Name() string { return "never-rests" }

// AtRest finds nothing.
func (NeverRests) AtRest(*harness.Run) []Violation { return nil }

// Unfinished names the operation or the task that the latest message is part of.
func (p NeverRests) Unfinished(r *harness.Run) []Violation {
	steps := r.Steps()
	first := steps[len(steps)-1]
	begun := harness.TaskOf(first.Move)
	for _, s := range steps {
		if s.Move == begun {
			first = s
		}
	}
	what := first.Method
	if what == "" {
		what = "the timer or the heartbeat"
	}
	return []Violation{{
		Property: p.Name(), Canister: first.Canister, Method: first.Method, Suspicion: true,
		Text: fmt.Sprintf("%s of %s does not come to rest: it goes on after %d messages, and what must hold at rest is not checked", what, name(r, first), len(steps)),
	}}
}
