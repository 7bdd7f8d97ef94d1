package faults

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Kind is what happens to a message.
type Kind uint8

const (
	Pass    Kind = iota // it goes on
	Hold                // it is held, in State.Kept
	Release             // it was held, and goes on; no rule looks at it again
	Lose                // it is lost, and its cycles go back
	Answer              // its call is answered in the place of the callee
)

// Cause is why a message is lost or its call answered.
type Cause uint8

const (
	Fault   Cause = iota // a rule or a user injects a fault
	Expired              // it is too late for its call
	Shed                 // it must make room in the memory of best-effort messages
)

// Decision is what happens to one message on its way, for the subnet to carry out. The zero Decision lets it pass.
type Decision struct {
	Kind     Kind
	Message  *state.Held            // the message, whether it is held or not; nil: nothing is done to it, and nothing told of it
	Rule     *state.RuleState       // that was applied to it now; nil: none. Valid until the rules change
	Cause    Cause                  // Lose, Answer
	Action   state.ActionKind       // Cause Fault: what was done
	Response intercanister.Response // Answer: with the cycles that go back
}

// Answered is the decision to answer the call of a message; its cycles go back with the answer.
func Answered(h *state.Held, action state.ActionKind, response intercanister.Response) Decision {
	response.Refund = h.Cycles()
	return Decision{Kind: Answer, Message: h, Action: action, Response: response}
}
