package introspect

import (
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// CyclesAudit says where every cycle of a network is or went. Messages neither create nor lose cycles: Held plus Spent
// is Minted.
type CyclesAudit struct {
	Balances  cycles.Amount // of canisters, with the credits of their running messages
	Reserved  cycles.Amount // set aside for storage
	Attached  cycles.Amount // to requests in transit
	Available cycles.Amount // in call contexts, not accepted
	Deferred  cycles.Amount // attached to unanswered calls of the management canister
	Prepaid   cycles.Amount // for pending callbacks, and for responses
	Refunds   cycles.Amount // in responses in transit

	Consumed cycles.Amount // paid by canisters, those that are deleted too, and for signatures
	Deleted  cycles.Amount // of deleted canisters
	Lost     cycles.Amount // late refunds to deleted canisters, cycles that SetCycles took

	Minted cycles.Amount // created: provisional cycles, the cycles minting canister, test controls
}

// Held returns the cycles that still exist.
func (t *CyclesAudit) Held() cycles.Amount {
	return t.Balances.Add(t.Reserved).Add(t.Attached).Add(t.Available).Add(t.Deferred).Add(t.Prepaid).Add(t.Refunds)
}

// Spent returns the cycles that no longer exist.
func (t *CyclesAudit) Spent() cycles.Amount { return t.Consumed.Add(t.Deleted).Add(t.Lost) }

// AuditCycles counts the cycles of a network. It takes time in proportion to everything that is open.
func (n *Network) AuditCycles() (t CyclesAudit) {
	for _, m := range n.Subnets {
		m.count(&t)
	}
	t.enter(n.Deleted)
	return t
}

// AuditCycles counts the cycles of one subnet.
func (m *Subnet) AuditCycles() (t CyclesAudit) {
	m.count(&t)
	return t
}

// enter adds the totals of lost and created cycles.
func (t *CyclesAudit) enter(totals *state.CycleTotals) {
	t.Consumed = t.Consumed.Add(totals.Gone).Add(totals.Fees)
	t.Deleted, t.Lost, t.Minted = t.Deleted.Add(totals.Deleted), t.Lost.Add(totals.Lost), t.Minted.Add(totals.Minted)
}

func (m *Subnet) count(t *CyclesAudit) {
	add := func(to *cycles.Amount, amount cycles.Amount) { *to = to.Add(amount) }
	t.enter(&m.Totals)
	for r := range m.Canisters.All() {
		add(&t.Balances, r.Canister.Balance.Add(r.DeferredCredit))
		add(&t.Reserved, r.Canister.Reserved)
		add(&t.Consumed, r.Canister.Consumed.Total())
		m.countWaiting(t, r)
	}
	available, prepaid := m.Calls.Holdings()
	add(&t.Available, available)
	add(&t.Prepaid, prepaid)
	attached, _ := m.ManagementCalls.Holdings()
	add(&t.Attached, attached)
	for _, pending := range m.Outcalls { // a sum: the order has no effect
		add(&t.Deferred, pending.Ticket.Refund.Add(pending.Withheld))
	}
	for i := range m.Signing.Pending {
		add(&t.Deferred, m.Signing.Pending[i].Ticket.Refund)
	}
	for i := range m.Preparing {
		add(&t.Attached, m.Preparing[i].In.Request.Cycles) // zero for a user's message
	}
	for _, x := range m.Parked {
		if x.Install != nil {
			add(&t.Deferred, x.Install.Call.Attached)
		}
	}
	for _, h := range m.Held.All() {
		add(&t.Attached, h.Request.Cycles) // zero except for requests
		add(&t.Refunds, h.Response.Refund)
	}
	for _, p := range slices.Concat(append(slices.Clone(m.Output), m.Inbound)...) {
		if p.Request != nil {
			add(&t.Attached, p.Request.Cycles)
		}
		add(&t.Refunds, p.Response.Refund)
	}
}

func (m *Subnet) countWaiting(t *CyclesAudit, r *state.Entry) {
	attached, refunds := r.Mailbox.Holdings()
	t.Attached, t.Refunds = t.Attached.Add(attached), t.Refunds.Add(refunds)
	for i := range r.Waiting {
		if r.Waiting[i].Source == intercanister.SourceRequests {
			t.Attached = t.Attached.Add(r.Waiting[i].Request.Cycles)
		}
	}
	for i := range r.Stops {
		t.Deferred = t.Deferred.Add(r.Stops[i].Ticket.Refund)
	}
}
