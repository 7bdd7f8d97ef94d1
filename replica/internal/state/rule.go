package state

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// MessageKind says which messages a rule is for.
type MessageKind uint8

const (
	KindRequest  MessageKind = iota + 1 // calls of canisters on their way to the callee
	KindResponse                        // answers on their way to the caller
	KindIngress                         // users' messages on their way into a queue
)

// String names the kind for people.
func (k MessageKind) String() string { return [...]string{"", "request", "response", "ingress"}[k] }

// Match is which messages a rule is for. What is left open matches all.
type Match struct {
	Kind   MessageKind          // 0: requests
	Caller *principal.Principal // a canister, or the user of an ingress message
	Callee *principal.Principal // as the caller named it: the management canister, too
	Method string               // exact, or with * for any text; empty for all
	Skip   uint64               // let this many messages pass first
	Times  uint64               // apply to this many messages; 0 for all
}

// ActionKind is what a rule does.
type ActionKind uint8

const (
	ActHold    ActionKind = iota + 1 // keep the message until a user decides what happens to it
	ActDrop                          // lose it
	ActReply                         // answer with a reply in the place of the callee
	ActReject                        // answer with a reject in the place of the callee
	ActUnknown                       // tell the caller that the outcome is unknown (SYS_UNKNOWN)
	ActDelay                         // keep it for some time
	ActMock                          // keep it for an answer from outside
)

// String names what was done, in the past.
func (k ActionKind) String() string {
	return [...]string{"let through", "held", "dropped", "replied", "rejected", "unknown", "delayed", "mocked"}[k]
}

// Action is what a rule does with what counts for it.
type Action struct {
	Kind   ActionKind
	Reply  []byte                // ActReply
	Reject *intercanister.Reject // ActReject
	Delay  uint64                // ActDelay: nanoseconds of the network's time
}

// Rule intercepts messages on their way: a test control.
type Rule struct {
	Match  Match
	Action Action
	Note   string // from the maker of the rule
}

// RuleState is a rule with what it has done.
type RuleState struct {
	ID uint64
	Rule
	Seen    uint64 // messages that match
	Matched uint64 // it was applied to
	Passed  uint64 // it was not applied to, because no network could do that to them, or too many are held
}

// Rules are the rules of a network in the order in which they were made, and what is
// counted for all subnets together.
type Rules struct {
	List  []RuleState
	Last  uint64 // rule that was made
	Count uint64 // messages that were ever held
	Held  int    // messages that are held
	Bytes int    // of their payloads
}

// Clone is a copy that changes on its own.
func (s *Rules) Clone() Rules {
	copied := *s
	copied.List = slices.Clone(s.List)
	return copied
}

// Find is the rule with an id, nil if there is none.
func (s *Rules) Find(id uint64) *RuleState {
	if i := slices.IndexFunc(s.List, func(r RuleState) bool { return r.ID == id }); i >= 0 {
		return &s.List[i]
	}
	return nil
}
