package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Resources of messages: slots of queues, callbacks, memory. A call with guaranteed response reserves memory for the
// largest response at both ends until it is answered; a best-effort message takes its own size, and may be dropped.

// messageRoom returns the memory that the subnet has left for messages of calls with guaranteed response. System
// subnets are not limited.
func (s *subnet) messageRoom() uint64 {
	limit := s.net.config.GuaranteedMessageBytes
	if s.System {
		return 1<<64 - 1
	}
	return limit - min(limit, s.Shared.Guaranteed+s.Shared.Promised)
}

// callbacks returns how many more calls a canister may make: what the subnet has left, or at least its own quota.
func (s *subnet) callbacks(r *state.Entry) int {
	return max(0, s.net.config.SubnetCallbacks-s.Shared.Futures, CanisterCallbacks-int(r.Mailbox.Calls))
}

// expireRequests drops the expired best-effort requests in a mailbox: their callers already have an answer
// (SYS_UNKNOWN).
func (s *subnet) expireRequests(id principal.Principal) {
	r := s.Canisters.Get(id)
	if r == nil {
		return
	}
	for q, ok := r.Mailbox.Late(s.Late); ok; q, ok = r.Mailbox.Late(s.Late) {
		s.drop(r, &q, MessageDropped)
	}
}

// drop accounts for a waiting best-effort request that was dropped.
func (s *subnet) drop(r *state.Entry, q *intercanister.Request, kind EventKind) {
	s.Deadlines.Remove(q.Expiry)
	s.ReleaseMemory(r, q.Deadline, q.Memory())
	s.refundTo(q.Sender, q.Cycles)
	if s.net.sink != nil {
		s.net.emit(Event{
			Kind: kind, Subnet: s.ID, Canister: r.ID(), Source: intercanister.SourceRequests, Call: q.Call, Peer: q.Sender, Method: q.Method,
		})
	}
}

// refundTo returns cycles of a dropped message to the canister that sent them; they are lost only if it was deleted.
func (s *subnet) refundTo(owner principal.Principal, amount cycles.Amount) {
	if amount.IsZero() {
		return
	}
	position := s.net.routes.find(owner)
	switch {
	case position < 0:
		s.loseRefund(owner, amount)
	case position != s.position:
		s.Enqueue(position, state.StreamMessage{Owner: owner, Response: intercanister.Response{Refund: amount}})
	case s.Canisters.Get(owner) != nil:
		s.DeferCredit(s.Canisters.Get(owner), amount)
	default:
		s.Totals.Lose(amount)
	}
}

// loseRefund accounts for cycles that would return to a canister of a deleted subnet.
func (s *subnet) loseRefund(owner principal.Principal, amount cycles.Amount) {
	if !s.net.deletedCanister(owner) {
		panic("replica: a message to " + owner.String() + ", which no subnet hosts")
	}
	s.Totals.Lose(amount)
}
