package trace

import (
	"fmt"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// messages are the names of messages in transit, by source.
var messages = [...]string{"message", "task", "response", "message", "request"}

// describeEvent describes an event that has no other place in a tree.
func describeEvent(e *replica.Event) string {
	what := messages[e.Source]
	switch e.Kind {
	case replica.OutcallMade:
		said := fmt.Sprintf("HTTP outcall %d: %s %s", e.Number, e.Method, e.Text)
		if e.NoTransform {
			said += " (without a transform)"
		}
		return said
	case replica.ResponseLate:
		return "the response came late and was dropped"
	case replica.MessageDropped, replica.MessageShed:
		if e.Source == intercanister.SourceResponses {
			what = "callback"
		}
		if e.Kind == replica.MessageShed {
			return what + " dropped to make room"
		}
		return what + " dropped"
	case replica.RuleMatched:
		return fmt.Sprintf("%s matched by rule %d: %s", what, e.Rule, e.Fault)
	case replica.MessageHeld:
		return fmt.Sprintf("%s held as %d", what, e.Held)
	case replica.MessageReleased:
		return fmt.Sprintf("%s %d released", what, e.Held)
	case replica.FaultInjected:
		return fmt.Sprintf("fault injected: %s %s", what, e.Fault)
	case replica.HoldRefused:
		return fmt.Sprintf("%s not held by rule %d: too much is held", what, e.Rule)
	}
	return e.Kind.String()
}
