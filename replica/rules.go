package replica

import (
	"slices"

	"github.com/canisterd/canisterd/replica/internal/faults"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Rules intercept messages in transit. They are inputs like any other: the same rules at the same times give the same
// states. A message is caught when its sender releases it (a request), or just before it enters the queue of its
// receiver (a response, a user's message), at most once.

// The parts of a rule and its state.
type (
	Rule        = state.Rule
	RuleState   = state.RuleState
	Match       = state.Match
	Action      = state.Action
	ActionKind  = state.ActionKind
	MessageKind = state.MessageKind
)

// The kinds of messages that a rule matches, and its actions.
const (
	KindRequest  = state.KindRequest
	KindResponse = state.KindResponse
	KindIngress  = state.KindIngress

	ActHold    = state.ActHold
	ActDrop    = state.ActDrop
	ActReply   = state.ActReply
	ActReject  = state.ActReject
	ActUnknown = state.ActUnknown
	ActDelay   = state.ActDelay
	ActMock    = state.ActMock
)

// Limits of rules.
const (
	MaxRules         = faults.MaxRules
	MaxRuleTextBytes = faults.MaxRuleTextBytes
)

// AddRule adds a rule, in force from now on; Result.Rule is its id. The oldest matching rule is applied to a message; a rule
// that lets a message pass counts it.
//
// It is refused as invalid if no network could have its effects, and as full if there are MaxRules.
type AddRule struct{ Rule Rule }

// RemoveRule removes a rule. Its held messages stay held, unless Release is set. It is refused as not found if the rule
// does not exist.
type RemoveRule struct {
	ID      uint64
	Release bool
}

func (*AddRule) input()   {}
func (RemoveRule) input() {}

// RuleWarning returns what a rule will not do, for its maker. It is empty if there is nothing to say.
func RuleWarning(rule *Rule) string { return faults.Warning(rule) }

// Rules returns the rules of the network, oldest first.
func (n *Network) Rules() []RuleState { return slices.Clone(n.rules.List) }

func (n *Network) addRule(in *AddRule) Result {
	id, refused := faults.Add(&n.rules, in.Rule)
	return Result{Rule: id, Refusal: refused}
}

func (n *Network) removeRule(in RemoveRule) Result {
	if refused := faults.Remove(&n.rules, in.ID); refused != nil {
		return Result{Refusal: refused}
	}
	if in.Release {
		for _, m := range n.subnets {
			m.applyDecisions(m.faults.ReleaseAll(in.ID)...)
		}
	}
	return Result{}
}
