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
func (m *subnet) messageRoom() uint64 {
	limit := m.net.config.GuaranteedMessageBytes
	if m.System {
		return 1<<64 - 1
	}
	return limit - min(limit, m.Shared.Guaranteed+m.Shared.Promised)
}

// callbacks returns how many more calls a canister may make: what the subnet has left, or at least its own quota.
func (m *subnet) callbacks(r *state.Entry) int {
	return max(0, m.net.config.SubnetCallbacks-m.Shared.Futures, CanisterCallbacks-int(r.Mailbox.Calls))
}

// expireRequests drops the expired best-effort requests in a mailbox: their callers already have an answer
// (SYS_UNKNOWN).
func (m *subnet) expireRequests(id principal.Principal) {
	r := m.Canisters.Get(id)
	if r == nil {
		return
	}
	for q, ok := r.Mailbox.Late(m.Late); ok; q, ok = r.Mailbox.Late(m.Late) {
		m.drop(r, &q, MessageDropped)
	}
}

// drop accounts for a waiting best-effort request that was dropped.
func (m *subnet) drop(r *state.Entry, q *intercanister.Request, kind EventKind) {
	m.Deadlines.Remove(q.Expiry)
	m.ReleaseMemory(r, q.Deadline, q.Memory())
	m.giveBack(q.Sender, q.Cycles)
	if m.net.sink != nil {
		m.net.emit(Event{
			Kind: kind, Subnet: m.ID, Canister: r.ID(), Source: intercanister.SourceRequests, Call: q.Call, Peer: q.Sender, Method: q.Method,
		})
	}
}

// giveBack returns cycles of a dropped message to the canister that sent them; they are lost only if it was deleted.
func (m *subnet) giveBack(owner principal.Principal, amount cycles.Amount) {
	if amount.IsZero() {
		return
	}
	position := m.net.routes.find(owner)
	switch {
	case position < 0:
		m.loseRefund(owner, amount)
	case position != m.position:
		m.Enqueue(position, state.StreamMessage{Owner: owner, Response: intercanister.Response{Refund: amount}})
	case m.Canisters.Get(owner) != nil:
		m.DeferCredit(m.Canisters.Get(owner), amount)
	default:
		m.Totals.Lose(amount)
	}
}

// loseRefund accounts for cycles that would return to a canister of a deleted subnet.
func (m *subnet) loseRefund(owner principal.Principal, amount cycles.Amount) {
	if !m.net.deletedCanister(owner) {
		panic("replica: a message to " + owner.String() + ", which no subnet hosts")
	}
	m.Totals.Lose(amount)
}
