package property

import (
	"fmt"

	"github.com/canisterd/canisterd/internal/explore/harness"
	"github.com/canisterd/canisterd/replica/introspect"
)

// OpenAtRest finds calls that will never be answered: their contexts are open when no message is left, so their
// canisters cannot be stopped. Calls that wait for each other get a name of their own.
type OpenAtRest struct{ atRest }

// Name returns "open-at-rest".
func (OpenAtRest) Name() string { return "open-at-rest" }

// circularWait is the property name of violations by calls that wait for each other.
const circularWait = "circular-wait"

// AtRest returns the open contexts. If a fault silenced a callee, the violations name the request that it did not
// answer.
func (p OpenAtRest) AtRest(r *harness.Run) (found []Violation) {
	open := r.Open()
	for i := range open {
		c := &open[i]
		if len(c.Awaits) == 0 && c.Responded {
			continue
		}
		found = append(found, Violation{Property: p.nameOf(c), Canister: c.Canister, Method: c.Method, At: silentOf(r), Text: p.text(r, c)})
	}
	return found
}

func (p OpenAtRest) nameOf(c *introspect.OpenContext) string {
	if c.Deadlocked {
		return circularWait
	}
	return p.Name()
}

func (OpenAtRest) text(r *harness.Run, c *introspect.OpenContext) string {
	canister := r.Setup().NameOf(c.Canister)
	why := ""
	if at := silentOf(r); at != "" {
		why = fmt.Sprintf(" if %s is never answered", at)
	}
	if c.Deadlocked {
		return fmt.Sprintf("%s of %s waits for itself%s", c.Method, canister, why)
	}
	return fmt.Sprintf("%s of %s is open forever%s: the canister cannot be stopped", c.Method, canister, why)
}

// silentOf returns the message that a fault leaves unanswered, "" if there is none.
func silentOf(r *harness.Run) string {
	for _, f := range r.Plan() {
		if f.Kind == harness.Silent {
			return f.At
		}
	}
	return ""
}
