package property

import (
	"fmt"

	"github.com/canisterd/canisterd/explore/harness"
	"github.com/canisterd/canisterd/replica/introspect"
)

// OpenAtRest finds calls that nothing will answer: when no message is left, their contexts are open. Their canisters
// cannot be stopped. Calls that wait for each other are told apart.
type OpenAtRest struct{ atRest }

// Name is "open-at-rest".
func (OpenAtRest) Name() string { return "open-at-rest" }

// circularWait is the name of violations by calls that wait for each other.
const circularWait = "circular-wait"

// AtRest finds the open contexts, one for each canister and method. Where a callee was silent by a fault, the callers
// that wait for it are a finding about that callee.
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
	return fmt.Sprintf("%s of %s is open for ever%s: the canister cannot be stopped", c.Method, canister, why)
}

// silentOf is the message that a fault keeps without an answer, "" if there is none.
func silentOf(r *harness.Run) string {
	for _, f := range r.Plan() {
		if f.Kind == harness.Silent {
			return f.At
		}
	}
	return ""
}
