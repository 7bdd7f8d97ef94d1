package instance

import (
	"context"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Condition is a condition that ends RunUntil.
type Condition struct {
	met   func(*run, *replica.Network) driver.Next
	about replica.RequestID // the message that it is about; empty for none
}

// Idle is the condition that no work is left that could run.
func Idle() Condition { return Condition{met: (*run).idle} }

// NextTimer is the condition that the next timer has fired and its consequences have run.
func NextTimer() Condition { return Condition{met: (*run).fired} }

// At is the condition that a time has come and its consequences have run.
func At(time uint64) Condition {
	return Condition{met: func(r *run, n *replica.Network) driver.Next { return r.reached(n, time) }}
}

// Answered is the condition that a user's message is answered.
func Answered(id replica.RequestID) Condition {
	return Condition{met: func(r *run, n *replica.Network) driver.Next { return r.answered(n, id) }, about: id}
}

// StopReason is why RunUntil stopped.
type StopReason uint8

// The reasons.
const (
	ConditionMet StopReason = iota
	NothingMore             // can happen without clients, or time would pass for what a client holds
	RoundsSpent             // the limit of rounds
)

// Until is why a run stopped, and the instance's state then.
type Until struct {
	Reason           StopReason
	Time, Height     uint64 // of the last round
	Rounds, Messages uint64
	Held             int // messages that rules hold for clients
	Outcalls         int // waiting for an answer
	// WaitsFor says what the message of the condition waits for, if it is not answered (introspect.WhyUnanswered).
	WaitsFor string
}

// RunUntil runs rounds until a condition holds, up to a limit; 0: a million that count (driver.Rounds). If clients move
// the time, it skips the time to the next event; otherwise only for conditions of time. The error may be
// driver.ErrUnknown.
func (i *Instance) RunUntil(ctx context.Context, c Condition, most uint64) (Until, error) {
	r := i.newRun(c, most)
	done, err := i.runRounds(ctx, r.next)
	switch {
	case err != nil:
		return Until{}, err
	case r.err != nil:
		return Until{}, r.err
	}
	r.until.Rounds, r.until.Messages = done.Rounds, done.Messages
	return r.until, nil
}

// run is one call of RunUntil. The owner of the network calls its methods.
type run struct {
	instance  *Instance
	byClients bool   // clients move the time
	most      uint64 // rounds; 0: as many as count
	rounds    uint64 // rounds so far
	count     driver.Rounds
	Condition
	advance timeAdvance
	timer   uint64 // time of the next timer, once it is known
	until   Until
	err     error
}

func (i *Instance) newRun(c Condition, most uint64) *run {
	return &run{
		instance: i, byClients: !i.Pacing().TimeByWallClock(), most: most, count: driver.AtMost(defaultMaxRounds), Condition: c,
		advance: newTimeAdvance(i.driver),
	}
}

// spent reports whether a run has come to its limit, before another round.
func (r *run) spent(n *replica.Network) bool {
	if r.most > 0 {
		return r.rounds == r.most
	}
	return !r.count.Take(n)
}

// next returns what happens next.
func (r *run) next(n *replica.Network) driver.Next {
	next := r.met(r, n)
	if next == driver.Go && r.spent(n) {
		next = r.stop(RoundsSpent)
	}
	switch next {
	case driver.Go:
		r.rounds++
		r.instance.CatchUp(n)
	case driver.Stop:
		waits := n.ExternalWaits()
		activity := n.Activity()
		r.until.Time, r.until.Height = activity.Time, activity.Height
		r.until.Held, r.until.Outcalls = waits.HeldForUser, waits.Outcalls
		if r.about != (replica.RequestID{}) && r.until.Reason != ConditionMet {
			r.until.WaitsFor = n.Introspect().WhyUnanswered(r.about).Text
		}
	case driver.Linger:
	}
	return next
}

func (r *run) stop(why StopReason) driver.Next {
	r.until.Reason = why
	return driver.Stop
}

func (r *run) idle(n *replica.Network) driver.Next {
	if next := r.instance.driver.Present(); next != driver.Stop {
		return next
	}
	return r.stop(ConditionMet)
}

func (r *run) reached(n *replica.Network, target uint64) driver.Next {
	if next := r.advance.to(n, target); next != driver.Stop {
		return next
	}
	return r.stop(ConditionMet)
}

func (r *run) fired(n *replica.Network) driver.Next {
	if r.timer == 0 {
		if next := r.advance.settle(n); next != driver.Stop {
			return next
		}
		at, ok := n.NextOf(replica.GlobalTimers)
		if !ok {
			return r.stop(NothingMore)
		}
		r.timer = max(at, n.Activity().NextTime)
	}
	return r.reached(n, r.timer)
}

func (r *run) answered(n *replica.Network, id replica.RequestID) driver.Next {
	known, answered := standing(n, id)
	switch {
	case !known:
		r.err = driver.ErrUnknown
		return driver.Stop
	case answered:
		return r.stop(ConditionMet)
	case r.byClients:
		return r.onwards(n)
	}
	return r.instance.driver.GoOrLinger()
}

// onwards works towards a message: first the present work, then what time brings. It returns Stop if nothing more can
// happen, or time would pass for a message that a client holds.
func (r *run) onwards(n *replica.Network) driver.Next {
	if next := r.here(n); next != driver.Stop {
		return next
	}
	waits := n.ExternalWaits()
	if _, comes := n.NextOf(replica.Events); !comes || waits.Outcalls > 0 || waits.HeldForUser > 0 {
		return r.stop(NothingMore)
	}
	r.advance.jump(n, Latest)
	return driver.Go
}

// here does the work before time passes. It returns Linger if the host makes an outcall, whose answer arrives without a
// round.
func (r *run) here(n *replica.Network) driver.Next {
	if next := r.advance.settle(n); next != driver.Stop {
		return next
	}
	if n.ExternalWaits().Outcalls > 0 && !r.instance.about.Outcalls.byClients() {
		return driver.Linger
	}
	return driver.Stop
}

// standing returns whether a user's message is known, and whether its answer is shown.
func standing(n *replica.Network, id replica.RequestID) (known, answered bool) {
	for _, s := range n.View().Subnets {
		if status := n.IngressStatus(s.ID, id); status != 0 {
			return true, status.Terminal() && n.Shown(s.ID, id)
		}
	}
	return false, false
}
