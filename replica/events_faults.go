package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/introspect"
)

// emitMatched emits that a rule is applied to a message.
func (m *subnet) emitMatched(rule *state.RuleState, p *state.RoutedMessage, call intercanister.CallID, in *state.Ingress) {
	if m.net.sink == nil {
		return
	}
	e := Event{
		Kind: RuleMatched, Subnet: m.ID, Canister: callee(p.Callee, in), Peer: p.Caller, Source: source(p.Kind), Method: p.Method, Call: call,
		Rule: rule.ID, Fault: rule.Action.Kind.String(),
	}
	if in != nil {
		e.Request = in.ID
	}
	m.net.emit(e)
}

func source(kind MessageKind) intercanister.Source {
	switch kind {
	case KindRequest:
		return intercanister.SourceRequests
	case KindResponse:
		return intercanister.SourceResponses
	}
	return intercanister.SourceIngress
}

// emitFault emits that a message was lost or answered in the place of its callee.
func (m *subnet) emitFault(rule uint64, p *state.RoutedMessage, call intercanister.CallID, kind ActionKind, reject *intercanister.Reject) {
	if m.net.sink != nil {
		m.net.emit(Event{
			Kind: FaultInjected, Subnet: m.ID, Canister: p.Callee, Peer: p.Caller, Source: source(p.Kind), Method: p.Method, Call: call,
			Rule: rule, Fault: kind.String(), Reject: reject,
		})
	}
}

func (m *subnet) emitIngressFault(rule uint64, in *state.Ingress, kind ActionKind, reject *intercanister.Reject) {
	if m.net.sink != nil {
		m.net.emit(Event{
			Kind: FaultInjected, Subnet: m.ID, Canister: in.Effective, Peer: in.Sender, Source: intercanister.SourceIngress, Method: in.Method,
			Request: in.ID, Rule: rule, Fault: kind.String(), Reject: reject,
		})
	}
}

// ofHeld is an event about a held message.
func (m *subnet) ofHeld(kind EventKind, h *state.Held) Event {
	shown := introspect.DescribeHeld(&m.State, h)
	e := Event{
		Kind: kind, Subnet: m.ID, Canister: shown.Callee, Peer: shown.Caller, Source: source(h.Kind), Method: shown.Method,
		Call: shown.Call, Request: shown.Request, Rule: h.Rule, Held: h.ID,
	}
	switch {
	case h.Kind == KindIngress:
		e.Canister = m.History.At(h.Ingress).Effective
	case h.Kind == KindResponse && kind != MessageHeld && kind != MessageReleased && kind != FaultInjected:
		e.Canister, e.Peer = shown.Caller, shown.Callee // as for other events about a response
	}
	return e
}

// emitHeld emits what happens to a held message.
func (m *subnet) emitHeld(kind EventKind, h *state.Held) {
	if m.net.sink == nil {
		return
	}
	e := m.ofHeld(kind, h)
	if kind == MessageHeld {
		switch {
		case h.Mock:
			e.Fault = ActMock.String()
		case h.Release != 0:
			e.Fault = ActDelay.String()
		default:
			e.Fault = ActHold.String()
		}
	}
	m.net.emit(e)
}

func (m *subnet) emitHeldFault(h *state.Held, kind ActionKind, reject *intercanister.Reject) {
	if m.net.sink != nil {
		e := m.ofHeld(FaultInjected, h)
		e.Fault, e.Reject = kind.String(), reject
		m.net.emit(e)
	}
}

// emitHoldRefused emits that a message could not be held.
func (m *subnet) emitHoldRefused(rule *state.RuleState, h *state.Held) {
	if m.net.sink != nil {
		e := m.ofHeld(HoldRefused, h)
		e.Rule = rule.ID
		m.net.emit(e)
	}
}

func (m *subnet) emitTimer(kind EventKind, id principal.Principal) {
	if m.net.sink != nil {
		m.net.emit(Event{Kind: kind, Subnet: m.ID, Canister: id})
	}
}
