package faults

import (
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// routed is the part of a message that rules match.
type routed struct {
	Kind           state.MessageKind
	Caller, Callee principal.Principal
	Method         string
	Bounded        bool // of a best-effort call
}

// match returns the oldest rule to be applied to a message, nil if there is none. It updates the counters.
func match(rules *state.Rules, p *routed) *state.RuleState {
	for i := range rules.List {
		r := &rules.List[i]
		if !matches(&r.Match, p) {
			continue
		}
		r.Seen++
		switch {
		case r.Seen <= r.Match.Skip, r.Match.Times > 0 && r.Matched >= r.Match.Times:
		case !p.Bounded && p.Kind != state.KindIngress && (r.Action.Kind == state.ActDrop || r.Action.Kind == state.ActUnknown):
			r.Passed++
		default:
			r.Matched++
			return r
		}
	}
	return nil
}

func matches(m *state.Match, p *routed) bool {
	return max(m.Kind, state.KindRequest) == p.Kind && (m.Caller == nil || *m.Caller == p.Caller) && (m.Callee == nil || *m.Callee == p.Callee) &&
		(m.Method == "" || globs(m.Method, p.Method))
}

// globs reports whether a text matches a pattern, in which * stands for any text.
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
