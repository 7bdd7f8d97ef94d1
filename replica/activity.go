package replica

import (
	"github.com/canisterd/canisterd/timers"
)

// Activity describes a network in time and its pending work. A driver of the network reads it to decide whether and
// when to run the next round. Times are in nanoseconds.
type Activity struct {
	Time, Height uint64 // of the last round that began
	Clock        uint64 // the clock: Time, or a later time that AdvanceTo has set since
	NextTime     uint64 // of the next round, unless an input sets it later
	NextDue      uint64 // the earliest deadline; 0: there is none
	RoundOpen    bool   // Step made moves of a round, or they were shown, and the round is still open
	Heartbeat    bool   // a canister has a heartbeat, so every round executes something
	// HasRunnableWork says that a message waits or is parked, or that the time has reached a deadline since the last round.
	HasRunnableWork bool
	// HasDueWork says that a round would do something at NextTime: it has runnable work, or a deadline has come. A
	// canister that sets its timer into the past whenever it fires keeps a network busy forever, but without runnable work.
	HasDueWork bool
}

// Activity returns the present activity of the network. It takes time in proportion to the number of subnets.
func (n *Network) Activity() Activity {
	a := Activity{Time: n.time, Height: n.height, Clock: max(n.clock, n.time), NextTime: n.nextTime(), RoundOpen: n.open}
	due, ok := n.nextDue()
	if ok {
		a.NextDue = due
	}
	for _, m := range n.subnets {
		a.Heartbeat = a.Heartbeat || len(m.Heartbeats) > 0
	}
	a.HasRunnableWork = n.HasRunnableWork()
	a.HasDueWork = a.HasRunnableWork || ok && due <= a.NextTime
	return a
}

// HasRunnableWork returns Activity.HasRunnableWork.
func (n *Network) HasRunnableWork() bool {
	if n.open {
		return true
	}
	for _, m := range n.subnets {
		if m.hasRunnableWork() {
			return true
		}
	}
	if n.clock <= n.time {
		return false
	}
	due, ok := n.nextDue()
	return ok && due <= n.clock
}

// nextDue returns the earliest deadline.
func (n *Network) nextDue() (at uint64, ok bool) {
	for _, m := range n.subnets {
		if due, some := m.Deadlines.Next(); some && (!ok || due < at) {
			at, ok = due, true
		}
	}
	return at, ok
}

// hasRunnableWork reports whether a message of the subnet waits, or is parked and could resume.
func (s *subnet) hasRunnableWork() bool {
	held := s.ManagementCalls.Blocked && s.ManagementCalls.Len() > 0 // until the next round
	return held || !s.Ready.Empty() || len(s.paused) > s.waiting || len(s.Inbound) > 0 || s.Unsent > 0 || len(s.Postponed) > 0 ||
		len(s.Signing.Pending) > 0 || s.TreeChanged || s.ThrottledWait()
}

// GlobalTimers reports whether canisters set deadlines of a kind: their global timers, and wake-up times of their
// messages.
func GlobalTimers(k timers.Kind) bool { return k == timers.GlobalTimer || k == timers.Wake }

// Events reports whether a canister or a user can wait for deadlines of a kind: all except those for resource charges
// and for forgetting answers.
func Events(k timers.Kind) bool { return k != timers.Charge && k != timers.IngressPrune }

// NextOf returns the earliest deadline of some kinds, in nanoseconds, and false if there is none.
func (n *Network) NextOf(kinds func(timers.Kind) bool) (at uint64, ok bool) {
	for _, m := range n.subnets {
		if due, some := m.Deadlines.First(kinds); some && (!ok || due < at) {
			at, ok = due, true
		}
	}
	return at, ok
}

// LastReport returns the report of the last round that ended.
func (n *Network) LastReport() RoundReport { return n.report }
