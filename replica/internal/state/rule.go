package state

import (
	"slices"
	"strings"

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

// RoutedMessage is what a rule looks at.
type RoutedMessage struct {
	Kind           MessageKind
	Caller, Callee principal.Principal
	Method         string
	Bounded        bool // of a best-effort call
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

// Apply is the oldest rule that is to be applied to a message, nil for none. It
// counts.
func (s *Rules) Apply(p *RoutedMessage) *RuleState {
	for i := range s.List {
		r := &s.List[i]
		if !r.Match.matches(p) {
			continue
		}
		r.Seen++
		switch {
		case r.Seen <= r.Match.Skip, r.Match.Times > 0 && r.Matched >= r.Match.Times:
		case !p.Bounded && p.Kind != KindIngress && (r.Action.Kind == ActDrop || r.Action.Kind == ActUnknown):
			r.Passed++
		default:
			r.Matched++
			return r
		}
	}
	return nil
}

func (m *Match) matches(p *RoutedMessage) bool {
	return max(m.Kind, KindRequest) == p.Kind && (m.Caller == nil || *m.Caller == p.Caller) && (m.Callee == nil || *m.Callee == p.Callee) &&
		(m.Method == "" || globs(m.Method, p.Method))
}

// globs reports whether a text is what a pattern says, in which * stands for any text.
func globs(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(text, parts[0])
	if len(parts) == 1 {
		return text == pattern
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		ok, rest = ok && found, after
	}
	return ok && strings.HasSuffix(rest, parts[len(parts)-1])
}
