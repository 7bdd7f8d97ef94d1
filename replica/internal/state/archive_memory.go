package state

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/intercanister"
)

// checkMemory checks that the memory of messages matches the messages and the reservations for responses: memory that
// is freed later must be held. sent is the memory of messages in output queues.
func (s *State) checkMemory(c *archive.Coder, sent map[*Entry]MessageMemory) {
	held := make(map[*Entry]*MessageMemory, s.Canisters.Len())
	for r := range s.Canisters.All() {
		m := sent[r]
		guaranteed, bestEffort := r.Mailbox.Memory()
		m.Guaranteed += guaranteed
		m.BestEffort += bestEffort
		held[r] = &m
	}
	s.Calls.EachFuture(func(_ intercanister.CallID, f *intercanister.Future) {
		if f.State == intercanister.Waiting && f.Deadline == 0 {
			held[s.Canisters.Get(f.Owner)].Guaranteed += intercanister.ResponseReservation
		}
	})
	s.Calls.EachContext(func(x *intercanister.Context) {
		if o := &x.Origin; o.Kind == intercanister.FromCanister && !x.Responded && o.Deadline == 0 {
			held[s.Canisters.Get(x.Canister)].Guaranteed += intercanister.ResponseReservation
		}
	})
	for _, h := range s.Held.All() {
		if r := s.Canisters.Get(h.Caller()); h.Kind != KindIngress {
			*held[r].of(h.deadline()) += h.Memory()
		}
	}
	var all MessageMemory
	for r := range s.Canisters.All() {
		m := held[r]
		all.Guaranteed, all.BestEffort = all.Guaranteed+m.Guaranteed, all.BestEffort+m.BestEffort
		c.Check(r.Messages == *m && r.Canister.MessageBytes == m.Guaranteed+m.BestEffort,
			"the messages of canister %s take %d and %d bytes, not %d and %d", r.ID(), m.Guaranteed, m.BestEffort, r.Messages.Guaranteed, r.Messages.BestEffort)
	}
	c.Check(s.Messages == all, "all messages take %d and %d bytes, not %d and %d", all.Guaranteed, all.BestEffort, s.Messages.Guaranteed, s.Messages.BestEffort)
}

// deadline returns the deadline of the call that a held message belongs to.
func (h *Held) deadline() uint64 {
	if h.Kind == KindRequest {
		return h.Request.Deadline
	}
	return h.Deadline
}
