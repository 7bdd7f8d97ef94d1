package property

import (
	"fmt"

	"github.com/canisterd/canisterd/explore/harness"
)

// NeverRests finds runs that go on without an end: nothing that holds at rest is checked there. It is a suspicion, because
// the run was ended before it was known what it does.
type NeverRests struct{ atRest }

// Name is "never-rests".
func (NeverRests) Name() string { return "never-rests" }

// AtRest finds nothing.
func (NeverRests) AtRest(*harness.Run) []Violation { return nil }

// Unfinished tells what began what goes on: the operation or the task of the newest message.
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
