package replica

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// shed drops best-effort messages at the end of a round until they fit their memory. It takes the largest message of
// the canister whose messages use most. The caller of a dropped request is informed at its deadline, or at once if the
// request is still on its subnet (SYS_TRANSIENT); the caller of a dropped response at once (IC0602). Attached cycles
// and refunds return.
func (s *subnet) shed() {
	limit := s.net.config.BestEffortMessageBytes
	if s.Messages.BestEffort <= limit {
		return
	}
	var holders []*state.Entry
	for r := range s.Canisters.All() {
		if r.Messages.BestEffort > 0 {
			holders = append(holders, r)
		}
	}
	for s.Messages.BestEffort > limit {
		most := holders[0]
		for _, r := range holders {
			if r.Messages.BestEffort >= most.Messages.BestEffort {
				most = r
			}
		}
		s.shedOne(most)
	}
}

func (s *subnet) shedOne(r *state.Entry) {
	reject := intercanister.RejectResponseDropped()
	if h := s.Held.Largest(r.ID()); h != nil && h.Memory() >= r.Mailbox.Largest() {
		if _, _, memory := s.LargestOutput(r); h.Memory() >= memory {
			s.shedHeld(h)
			return
		}
	}
	if to, at, memory := s.LargestOutput(r); memory > 0 && memory >= r.Mailbox.Largest() {
		shed := &s.Output[to][at]
		s.discard(to, func(p *state.StreamMessage) bool { return p == shed })
		return
	}
	in, ok := r.Mailbox.Shed(reject)
	if !ok {
		panic("replica: canister " + r.ID().String() + " holds best-effort messages that do not wait")
	}
	if in.Source == intercanister.SourceRequests {
		s.drop(r, &in.Request, MessageShed)
		return
	}
	s.ReleaseMemory(r, s.Calls.Future(in.Call).Deadline, in.Response.Memory())
	s.refundTo(r.ID(), in.Response.Refund)
	if s.net.sink != nil {
		s.net.emit(Event{Kind: MessageShed, Subnet: s.ID, Canister: r.ID(), Source: in.Source, Call: in.Call, Reject: reject})
	}
}

// shedHeld drops a held best-effort message: one that waits to be sent, or one that has arrived.
func (s *subnet) shedHeld(h *state.Held) {
	reject := intercanister.RejectResponseDropped()
	if h.Kind == KindRequest {
		reject = rejectUnsent()
	}
	s.applyDecisions(s.faults.Shed(h, reject)...)
}
