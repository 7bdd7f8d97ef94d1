package replica

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/replica/internal/outcall"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/tasks"
	"github.com/canisterd/canisterd/timers"
)

// due handles all deadlines that have passed.
func (m *subnet) due() {
	for {
		d, ok := m.Deadlines.Pop(m.Time)
		if !ok {
			return
		}
		switch d.Kind {
		case timers.GlobalTimer:
			m.fireTimer(d.Subject)
		case timers.CallExpiry:
			m.expireCall(intercanister.CallID(d.Number))
		case timers.IngressExpiry, timers.IngressPrune:
			m.dueIngress(d.Number)
		case timers.HookRetry:
			tasks.RetryHook(&m.State, d.Subject)
		case timers.RequestExpiry:
			m.expireRequests(d.Subject)
		case timers.StopTimeout:
			m.expireStop(d.Subject, d.Number)
		case timers.Charge:
			m.chargeAll()
		case timers.OutcallExpiry:
			m.answerOutcall(d.Number, outcall.Expired(&m.Outcalls[d.Number].Sent), cycles.Amount{})
		case timers.HeldMessage:
			m.faults.Due(d.Number, m.carryOut)
		case timers.Wake:
			m.wake(d.Subject)
		}
	}
}

// fireTimer fires the global timer of a canister.
func (m *subnet) fireTimer(id principal.Principal) {
	if tasks.FireTimer(&m.State, m.net.executor, id) && m.net.sink != nil {
		m.net.emit(Event{Kind: TimerFired, Subnet: m.ID, Canister: id})
	}
}

func (m *subnet) expireCall(call intercanister.CallID) {
	f := m.Calls.Future(call)
	if f == nil {
		return
	}
	f.Expiry = 0
	m.deliver(f.Owner, call, intercanister.Response{Reject: rejectCallExpired()})
	m.faults.Over(call, m.carryOut)
}

func (m *subnet) dueIngress(number uint64) {
	in, expired, pruned := m.History.Due(number, m.Time, &m.Deadlines)
	switch {
	case pruned:
		m.Show(in)
	case expired:
		m.unqueue(in)
		m.answerIngress(in, nil, rejectIngressExpired())
	}
}

// unqueue removes an ingress message that will not be executed from where it waits.
func (m *subnet) unqueue(in *state.Ingress) {
	if m.faults.Withdraw(in.Number) {
		return
	}
	if m.Commands.DropIngress(in.Number) {
		return
	}
	if r := m.Canisters.Get(in.Effective); r != nil && r.Mailbox.DropIngress(in.Number) {
		return
	}
	// A command may wait at any canister, even after its own was deleted.
	gone := func(w *state.Input) bool { return w.Source == intercanister.SourceIngress && w.Ingress == in.Number }
	for r := range m.Canisters.All() {
		r.Waiting = slices.DeleteFunc(r.Waiting, func(w state.Input) bool { return gone(&w) })
	}
	m.Preparing = slices.DeleteFunc(m.Preparing, func(p state.Preparation) bool { return gone(&p.In) })
}

func (m *subnet) expireStop(id principal.Principal, number uint64) {
	r := m.Canisters.Get(id)
	if r == nil {
		return
	}
	if stop, ok := m.RemoveStop(r, number); ok {
		m.Answer(stop.Ticket, state.Fail(rejectStopTimeout()))
	}
}

// chargeAll charges every canister for its resources, and schedules the next charge. If resources are free, no canister
// is visited.
func (m *subnet) chargeAll() {
	for _, r := range slices.Collect(m.Canisters.All()) {
		m.charge(r)
	}
	m.Consumed = m.Spent()
	m.armCharge()
}

func (m *subnet) armCharge() {
	if m.Fees.GiBSecond != 0 || m.Fees.ComputeSecond != 0 {
		m.Deadlines.Add(timers.Deadline{At: m.Time + ChargeInterval, Kind: timers.Charge})
	}
}

// charge charges a canister for memory and compute allocation. A canister that cannot pay is uninstalled.
func (m *subnet) charge(r *state.Entry) {
	if charging.Resources(&m.State, r) {
		return
	}
	charging.Forfeit(r)
	m.Uninstall(r)
	r.Canister.Version++
	m.Recount(r)
}
