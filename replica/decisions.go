package replica

import (
	"github.com/canisterd/canisterd/replica/internal/faults"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Package faults decides what happens to messages in transit; the subnet applies its decisions. It is asked once about a
// message: a request when its sender releases it (send), a response before it settles its call (settleFuture), a user's
// message when it was accepted (receiveIngress). They ask only if Injector.Idle is false: without rules and held
// messages, all messages pass at no cost.

// intercepted applies the decision about a message in transit, and reports whether the message must not proceed.
func (s *subnet) intercepted(d faults.Decision) bool {
	s.applyDecisions(d)
	return d.Kind != faults.Pass
}

// applyDecisions applies decisions about messages, held or not, in order.
func (s *subnet) applyDecisions(decisions ...faults.Decision) {
	for i := range decisions {
		if d := &decisions[i]; d.Message != nil {
			s.emitDecision(d)
			s.applyDecision(d)
		}
	}
}

func (s *subnet) applyDecision(d *faults.Decision) {
	h := d.Message
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
