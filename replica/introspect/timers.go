package introspect

import (
	"cmp"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

// PendingTimer is a time at which something happens automatically.
type PendingTimer struct {
	Due      uint64 // ns
	Kind     timers.Kind
	Subnet   principal.Principal
	Canister principal.Principal // its owner; the empty principal for the subnet's own
	Number   uint64              // the call, stop, outcall or held message
	Request  state.RequestID     // of a user's message
}

// Timers returns the deadlines in the order in which they fall due: global timers, deadlines of calls, expiries of
// users' messages, timeouts of stop_canister and so on.
func (n *Network) Timers(page Page) ([]PendingTimer, *Cursor) {
	type entry struct {
		at Cursor
		PendingTimer
	}
	var all []entry
	for i, m := range n.Subnets {
		for _, d := range m.Deadlines.All() {
			all = append(all, entry{Cursor{d.At, i, d.Order}, m.timer(&d.Deadline)})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(a.at.compare(b.at)) })
	l := list[PendingTimer](page)
	for _, e := range all {
		if l.wants(e.at, e.Canister) {
			l.add(e.at, e.PendingTimer)
		}
	}
	return l.result()
}

func (m *Subnet) timer(d *timers.Deadline) PendingTimer {
	t := PendingTimer{Due: d.At, Kind: d.Kind, Subnet: m.ID, Canister: d.Subject, Number: d.Number}
	switch d.Kind {
	case timers.CallExpiry:
		t.Canister = m.Calls.Future(intercanister.CallID(d.Number)).Owner
	case timers.IngressExpiry, timers.IngressPrune:
		in := m.History.At(d.Number)
		t.Canister, t.Request = in.Effective, in.ID
	case timers.OutcallExpiry:
		t.Canister = m.Outcalls[d.Number].Sent.Canister
	case timers.HeldMessage:
		t.Canister = DescribeHeld(m.State, m.Held.Find(d.Number)).Caller
	}
	return t
}
