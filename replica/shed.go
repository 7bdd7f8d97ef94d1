package replica

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// shed drops best-effort messages at the end of a round until they fit their memory. It takes the largest message of
// the canister whose messages use most. The caller of a dropped request is informed at its deadline, or at once if the
// request is still on its subnet (SYS_TRANSIENT); the caller of a dropped response at once (IC0602). Attached cycles
// and refunds return.
func (m *subnet) shed() {
	limit := m.net.config.BestEffortMessageBytes
	if m.Messages.BestEffort <= limit {
		return
	}
	var holders []*state.Entry
	for r := range m.Canisters.All() {
		if r.Messages.BestEffort > 0 {
			holders = append(holders, r)
		}
	}
	for m.Messages.BestEffort > limit {
		most := holders[0]
		for _, r := range holders {
			if r.Messages.BestEffort >= most.Messages.BestEffort {
				most = r
			}
		}
		m.shedOne(most)
	}
}

func (m *subnet) shedOne(r *state.Entry) {
	reject := intercanister.RejectResponseDropped()
	if h := m.Kept.Largest(r.ID()); h != nil && h.Memory() >= r.Mailbox.Largest() {
		if _, _, memory := m.LargestOutput(r); h.Memory() >= memory {
			m.shedHeld(h)
			return
		}
	}
	if to, at, memory := m.LargestOutput(r); memory > 0 && memory >= r.Mailbox.Largest() {
		shed := &m.Output[to][at]
		m.discard(to, func(p *state.StreamMessage) bool { return p == shed })
		return
	}
	in, ok := r.Mailbox.Shed(reject)
	if !ok {
		panic("replica: canister " + r.ID().String() + " holds best-effort messages that do not wait")
	}
	if in.Source == intercanister.SourceRequests {
		m.drop(r, &in.Request, MessageShed)
		return
	}
	m.ReleaseMemory(r, m.Calls.Future(in.Call).Deadline, in.Response.Memory())
	m.giveBack(r.ID(), in.Response.Refund)
	if m.net.sink != nil {
		m.net.emit(Event{Kind: MessageShed, Subnet: m.ID, Canister: r.ID(), Source: in.Source, Call: in.Call, Reject: reject})
	}
}

// shedHeld drops a held best-effort message: one that waits to be sent, or one that has arrived.
func (m *subnet) shedHeld(h *state.Held) {
	reject := intercanister.RejectResponseDropped()
	if h.Kind == KindRequest {
		reject = rejectUnsent()
	}
	m.faults.Shed(h, reject, m.carryOut)
}
