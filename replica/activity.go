package replica

import (
	"github.com/canisterd/canisterd/timers"
)

// Activity says where a network is in time and what it has to do. What drives a network reads it to decide whether
// and when to run the next round. Times are in nanoseconds.
type Activity struct {
	Time, Height uint64 // of the last round that began
	Clock        uint64 // the time as far as it was moved: Time, or what AdvanceTo has set since
	NextTime     uint64 // of the next round, unless an input sets it later
	NextDue      uint64 // the earliest deadline; 0: there is none
	RoundOpen    bool   // moves of a round were made by Step or shown, and the round is still open
	Heartbeat    bool   // a canister has a heartbeat, so every round executes something
	// Pressing says that a message waits or is parked, or that time was moved to a deadline since the last round.
	Pressing bool
	// Busy says that a round would do something at NextTime: it is pressing, or a deadline has come. A canister that
	// sets its timer into the past whenever it fires makes a network busy forever, but not pressing.
	Busy bool
}

// Activity is the activity of the network now. It takes time in proportion to the number of subnets.
func (n *Network) Activity() Activity {
	a := Activity{Time: n.time, Height: n.height, Clock: max(n.clock, n.time), NextTime: n.nextTime(), RoundOpen: n.open}
	due, ok := n.nextDue()
	if ok {
		a.NextDue = due
	}
	a.Pressing = n.open || ok && n.clock > n.time && due <= n.clock
	for _, m := range n.subnets {
		a.Heartbeat = a.Heartbeat || len(m.Heartbeats) > 0
		a.Pressing = a.Pressing || m.pressing()
	}
	a.Busy = a.Pressing || ok && due <= a.NextTime
	return a
}

// nextDue is the earliest deadline.
func (n *Network) nextDue() (at uint64, ok bool) {
	for _, m := range n.subnets {
		if due, some := m.Deadlines.Next(); some && (!ok || due < at) {
			at, ok = due, true
		}
	}
	return at, ok
}

// pressing reports whether a message of the subnet waits, or is parked and could go on.
func (m *subnet) pressing() bool {
	held := m.Commands.Blocked && m.Commands.Len() > 0 // until the next round
	return held || !m.Ready.Empty() || len(m.paused) > m.waiting || len(m.Inbound) > 0 || m.Unsent > 0 || len(m.Postponed) > 0 ||
		len(m.Signing.Pending) > 0 || m.TreeChanged || m.ThrottledWait()
}

// GlobalTimers are the deadlines that canisters set: their global timers, and the times that their messages wait for.
func GlobalTimers(k timers.Kind) bool { return k == timers.GlobalTimer || k == timers.Wake }

// Events are the deadlines that a canister or a user can wait for: all but those at which resources are paid for and
// answers are forgotten.
func Events(k timers.Kind) bool { return k != timers.Charge && k != timers.IngressPrune }

// NextOf is the earliest deadline of some kinds, in nanoseconds; false: there is none.
func (n *Network) NextOf(kinds func(timers.Kind) bool) (at uint64, ok bool) {
	for _, m := range n.subnets {
		if due, some := m.Deadlines.First(kinds); some && (!ok || due < at) {
			at, ok = due, true
		}
	}
	return at, ok
}

// LastReport is what the last round did that ended.
func (n *Network) LastReport() RoundReport { return n.report }
