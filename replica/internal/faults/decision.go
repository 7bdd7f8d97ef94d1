package faults

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Kind is what happens to a message.
type Kind uint8

const (
	Pass    Kind = iota // it continues
	Hold                // it is held, in State.Held
	Release             // it was held, and continues; no rule is applied to it again
	Lose                // it is lost, and its cycles are refunded
	Answer              // its call is answered in place of the callee
)

// Cause is the reason why a message is lost or its call answered.
type Cause uint8

const (
	Fault   Cause = iota // a rule or a user injects a fault
	Expired              // it is too late for its call
	Shed                 // it was dropped to free the memory of best-effort messages
)

// Decision is what happens to one message in transit, for the subnet to carry out. The zero Decision lets it pass.
type Decision struct {
	Kind     Kind
	Message  *state.Held            // the message, held or not; nil: nothing happens to it, and no event is emitted
	Rule     *state.RuleState       // that was applied now; nil: none. Valid until the rules change
	Cause    Cause                  // Lose, Answer
	Action   state.ActionKind       // Cause Fault: what was done
	Response intercanister.Response // Answer: with the refunded cycles
}

// Answered returns the decision to answer the call of a message; its cycles are refunded with the answer.
func Answered(h *state.Held, action state.ActionKind, response intercanister.Response) Decision {
	response.Refund = h.Cycles()
	return Decision{Kind: Answer, Message: h, Action: action, Response: response}
}
