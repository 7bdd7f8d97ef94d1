package state

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// MessageKind is the kind of messages that a rule matches.
type MessageKind uint8

const (
	KindRequest  MessageKind = iota + 1 // calls of canisters in transit to the callee
	KindResponse                        // answers in transit to the caller
	KindIngress                         // users' messages before they enter a queue
)

// String returns the kind for people.
func (k MessageKind) String() string { return [...]string{"", "request", "response", "ingress"}[k] }

// Match selects the messages of a rule. An empty field matches all.
type Match struct {
	Kind   MessageKind          // 0: requests
	Caller *principal.Principal // a canister, or the user of an ingress message
	Callee *principal.Principal // as the caller named it; may be the management canister
	Method string               // exact, or with * for any text; empty for all
	Skip   uint64               // let this many messages pass first
	Times  uint64               // apply to this many messages; 0 for all
}

// ActionKind is the kind of action of a rule.
type ActionKind uint8

const (
	ActHold    ActionKind = iota + 1 // keep the message until a user decides what happens to it
	ActDrop                          // lose it
	ActReply                         // answer with a reply in place of the callee
	ActReject                        // answer with a reject in place of the callee
	ActUnknown                       // answer that the outcome is unknown (SYS_UNKNOWN)
	ActDelay                         // keep it for some time
	ActMock                          // keep it for an answer from outside
)

// String returns the action in the past tense.
func (k ActionKind) String() string {
	return [...]string{"let through", "held", "dropped", "replied", "rejected", "unknown", "delayed", "mocked"}[k]
}

// Action is what a rule does with messages to which it is applied.
type Action struct {
	Kind   ActionKind
	Reply  []byte                // ActReply
	Reject *intercanister.Reject // ActReject
	Delay  uint64                // ActDelay: nanoseconds of the network's time
}

// Rule intercepts messages in transit: a test control.
type Rule struct {
	Match  Match
	Action Action
	Note   string // from the maker of the rule
}

// RuleState is a rule with its counters.
type RuleState struct {
	ID uint64
	Rule
	Seen    uint64 // messages that match
	Matched uint64 // messages to which it was applied
	Passed  uint64 // messages to which it was not applied, because no network could do that to them, or too many are held
}

// Rules are the rules of a network in the order in which they were made, and counters for all subnets together.
type Rules struct {
	List  []RuleState
	Last  uint64 // rule that was made
	Count uint64 // messages that were ever held
	Held  int    // messages that are held
	Bytes int    // of their payloads
}

// Clone returns an independent copy.
func (s *Rules) Clone() Rules {
	copied := *s
	copied.List = slices.Clone(s.List)
	return copied
}

// Find returns the rule with an id, nil if there is none.
func (s *Rules) Find(id uint64) *RuleState {
	if i := slices.IndexFunc(s.List, func(r RuleState) bool { return r.ID == id }); i >= 0 {
		return &s.List[i]
	}
	return nil
}
