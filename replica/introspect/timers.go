package introspect

import (
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
	l := list[PendingTimer](page)
	pending := make([][]timers.Pending, len(n.Subnets))
	for i, m := range n.Subnets {
		pending[i] = m.Deadlines.All()
	}
	for !l.more { // a busy network has tens of thousands, most of them not on the page
		next := earliest(pending)
		if next < 0 {
			break
		}
		d := &pending[next][0]
		pending[next] = pending[next][1:]
		at := Cursor{d.At, next, d.Order}
		if at.compare(page.After) <= 0 {
			continue
		}
		if t := n.Subnets[next].timer(&d.Deadline); l.wants(at, t.Canister) {
			l.add(at, t)
		}
	}
	return l.result()
}

// earliest returns the list whose first deadline is the earliest, the first of several; −1 if all lists are empty.
func earliest(lists [][]timers.Pending) int {
	first := -1
	for i, list := range lists {
		if len(list) > 0 && (first < 0 || list[0].At < lists[first][0].At) {
			first = i
		}
	}
	return first
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
