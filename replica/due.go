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
func (s *subnet) due() {
	for {
		d, ok := s.Deadlines.Pop(s.Time)
		if !ok {
			return
		}
		switch d.Kind {
		case timers.GlobalTimer:
			s.fireTimer(d.Subject)
		case timers.CallExpiry:
			s.expireCall(intercanister.CallID(d.Number))
		case timers.IngressExpiry, timers.IngressPrune:
			s.dueIngress(d.Number)
		case timers.HookRetry:
			tasks.RetryHook(&s.State, d.Subject)
		case timers.RequestExpiry:
			s.expireRequests(d.Subject)
		case timers.StopTimeout:
			s.expireStop(d.Subject, d.Number)
		case timers.Charge:
			s.chargeAll()
		case timers.OutcallExpiry:
			s.answerOutcall(d.Number, outcall.Expired(&s.Outcalls[d.Number].Sent), cycles.Amount{})
		case timers.HeldMessage:
			s.applyDecisions(s.faults.Due(d.Number)...)
		case timers.Wake:
			s.wake(d.Subject)
		}
	}
}

// fireTimer fires the global timer of a canister.
func (s *subnet) fireTimer(id principal.Principal) {
	if tasks.FireTimer(&s.State, s.net.executor, id) && s.net.sink != nil {
		s.net.emit(Event{Kind: TimerFired, Subnet: s.ID, Canister: id})
	}
}

func (s *subnet) expireCall(call intercanister.CallID) {
	f := s.Calls.Future(call)
	if f == nil {
		return
	}
	f.Expiry = 0
	s.deliver(f.Owner, call, intercanister.Response{Reject: rejectCallExpired()})
	s.applyDecisions(s.faults.Over(call)...)
}

func (s *subnet) dueIngress(number uint64) {
	in, expired, pruned := s.History.Due(number, s.Time, &s.Deadlines)
	switch {
	case pruned:
		s.Show(in)
	case expired:
		s.unqueue(in)
		s.answerIngress(in, nil, rejectIngressExpired())
	}
}

// unqueue removes an ingress message that will not be executed from where it waits.
func (s *subnet) unqueue(in *state.Ingress) {
	if s.faults.Withdraw(in.Number) {
		return
	}
	if s.ManagementCalls.DropIngress(in.Number) {
		return
	}
	if r := s.Canisters.Get(in.Effective); r != nil && r.Mailbox.DropIngress(in.Number) {
		return
	}
	// A command may wait at any canister, even after its own was deleted.
	gone := func(w *state.Input) bool { return w.Source == intercanister.SourceIngress && w.Ingress == in.Number }
	for r := range s.Canisters.All() {
		r.Waiting = slices.DeleteFunc(r.Waiting, func(w state.Input) bool { return gone(&w) })
	}
	s.Preparing = slices.DeleteFunc(s.Preparing, func(p state.Preparation) bool { return gone(&p.In) })
}

func (s *subnet) expireStop(id principal.Principal, number uint64) {
	r := s.Canisters.Get(id)
	if r == nil {
		return
	}
	if stop, ok := s.RemoveStop(r, number); ok {
		s.Answer(stop.Ticket, state.Fail(rejectStopTimeout()))
	}
}

// chargeAll charges every canister for its resources, and schedules the next charge. If resources are free, no canister
// is visited.
func (s *subnet) chargeAll() {
	for _, r := range slices.Collect(s.Canisters.All()) {
		s.charge(r)
	}
	s.Consumed = s.Spent()
	s.armCharge()
}

func (s *subnet) armCharge() {
	if s.Fees.GiBSecond != 0 || s.Fees.ComputeSecond != 0 {
		s.Deadlines.Add(timers.Deadline{At: s.Time + ChargeInterval, Kind: timers.Charge})
	}
}

// charge charges a canister for memory and compute allocation. A canister that cannot pay is uninstalled.
func (s *subnet) charge(r *state.Entry) {
	if charging.Resources(&s.State, r) {
		return
	}
	charging.Forfeit(r)
	s.uninstall(r)
	r.Canister.Version++
	s.Recount(r)
}
