package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/faults"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// interceptor decides about the messages of a subnet in transit. Each message passes one of its points, once.
type interceptor interface {
	// Send decides about a request that its sender releases.
	Send(q *intercanister.Request) faults.Decision
	// Settle decides about a response that is about to settle a call of a canister of the subnet.
	Settle(owner principal.Principal, call intercanister.CallID, response intercanister.Response) faults.Decision
	// Receive decides about a user's message that was accepted; command says that it is for the management canister.
	Receive(in *state.Ingress, command bool) faults.Decision
}

// interceptor returns nil while there are no rules and no held messages: then all messages pass, at no cost.
func (s *subnet) interceptor() interceptor {
	if s.faults.Idle() {
		return nil
	}
	return &s.faults
}

// intercepted carries out a decision about a message, and reports whether the message must not proceed.
func (s *subnet) intercepted(d faults.Decision) bool {
	s.applyDecision(d)
	return d.Kind != faults.Pass
}

// applyDecision carries out a decision about a message.
func (s *subnet) applyDecision(d faults.Decision) {
	h := d.Message
	if h == nil {
		return
	}
	s.emitDecision(&d)
	switch d.Kind {
	case faults.Release:
		s.releaseHeld(h)
	case faults.Lose:
		s.refundTo(h.Caller(), h.Cycles())
	case faults.Answer:
		if h.Kind == KindIngress {
			s.answerIngress(s.History.At(h.Ingress), d.Response.Reply, withErrorCode(d.Response.Reject))
		} else {
			s.deliver(h.Caller(), h.CallID(), d.Response)
		}
	}
}

// releaseHeld delivers a held message as if it came now.
func (s *subnet) releaseHeld(h *state.Held) {
	switch h.Kind {
	case KindRequest:
		q := h.Request
		s.dispatch(&q)
	case KindResponse:
		s.deliver(h.Owner, h.Call, h.Response)
	case KindIngress:
		s.queueIngress(s.History.At(h.Ingress), h.Command)
	}
}
