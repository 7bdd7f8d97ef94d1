package replica

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/faults"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/introspect"
)

func source(kind MessageKind) intercanister.Source {
	switch kind {
	case KindRequest:
		return intercanister.SourceRequests
	case KindResponse:
		return intercanister.SourceResponses
	}
	return intercanister.SourceIngress
}

// emitDecision emits the decision about a message in transit: first the rule that was applied.
func (s *subnet) emitDecision(d *faults.Decision) {
	if s.net.sink == nil {
		return
	}
	if d.Rule != nil {
		e := describeHeld(&s.State, RuleMatched, d.Message)
		e.Held, e.Fault = 0, d.Rule.Action.Kind.String()
		s.net.emit(e)
	}
	e := describeHeld(&s.State, eventOf(d), d.Message)
	switch e.Kind {
	case MessageHeld:
		e.Fault = fault(d.Message).String()
	case FaultInjected:
		e.Fault, e.Reject = d.Action.String(), d.Response.Reject
	}
	s.net.emit(e)
}

// eventOf returns the kind of event for a decision.
func eventOf(d *faults.Decision) EventKind {
	switch d.Kind {
	case faults.Hold:
		return MessageHeld
	case faults.Release:
		return MessageReleased
	case faults.Pass:
		return HoldRefused
	}
	return [...]EventKind{faults.Fault: FaultInjected, faults.Expired: MessageDropped, faults.Shed: MessageShed}[d.Cause]
}

// fault returns the action that holds a message.
func fault(h *state.Held) ActionKind {
	switch {
	case h.Mock:
		return ActMock
	case h.Release != 0:
		return ActDelay
	}
	return ActHold
}

// describeHeld returns an event about a message that is held or may be.
func describeHeld(s *state.State, kind EventKind, h *state.Held) Event {
	shown := introspect.DescribeHeld(s, h)
	e := Event{
		Kind: kind, Subnet: s.ID, Canister: shown.Callee, Peer: shown.Caller, Source: source(h.Kind), Method: shown.Method,
		Call: shown.Call, Request: shown.Request, Rule: h.Rule, Held: h.ID,
	}
	switch {
	case h.Kind == KindIngress:
		e.Canister = s.History.At(h.Ingress).Effective
	case h.Kind == KindResponse && slices.Contains([]EventKind{HoldRefused, MessageDropped, MessageShed}, kind):
		e.Canister, e.Peer = shown.Caller, shown.Callee // as for other events about a response
	}
	return e
}

func (s *subnet) emitTimer(kind EventKind, id principal.Principal) {
	if s.net.sink != nil {
		s.net.emit(Event{Kind: kind, Subnet: s.ID, Canister: id})
	}
}
