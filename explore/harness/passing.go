package harness

import (
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/timers"
)

// maxWait is how far ahead a deadline may be for which a run waits, in nanoseconds: a day. Canisters that pay for their
// memory do not run dry in that time. Ours.
const maxWait = 24 * 60 * 60 * 1_000_000_000

// deadlines are those that a fault waits for. Nothing is told of those of users.
func deadlines(k timers.Kind) bool {
	switch k {
	case timers.GlobalTimer, timers.CallExpiry, timers.RequestExpiry, timers.OutcallExpiry, timers.HookRetry:
		return true
	}
	return false
}

// ahead is the next deadline of some kinds, if it is not too far.
func (r *Run) nextDeadline(kinds func(timers.Kind) bool) (at, now uint64, ok bool) {
	now = r.network.Activity().Clock
	at, ok = r.network.NextOf(kinds)
	return at, now, ok && at <= now+maxWait
}

// Due reports whether something happens when time passes: a timer or a deadline is ahead, or a heartbeat runs in each round.
func (r *Run) Due() bool {
	_, _, ok := r.nextDeadline(deadlines)
	return ok || r.network.Activity().Heartbeat
}

// passTime ends the round, and lets the next one begin at the next deadline.
func (r *Run) passTime() bool {
	if !r.Due() {
		return false
	}
	r.network.EndRound()
	if at, now, ok := r.nextDeadline(deadlines); ok {
		r.advance(at, now)
	}
	return true
}

// Cut reports whether the run is to end where it is, because the time of the exploration is over. It is asked after each
// message.
func (r *Run) Cut() bool { return r.harness.Cut() }

// Cut is Run.Cut for runs of the harness.
func (l *Harness) Cut() bool {
	if l.unasked++; !l.cut && l.setup.Expired != nil && l.unasked >= messagesUnasked {
		l.unasked = 0
		l.cut = l.setup.Expired()
	}
	return l.cut
}

// wait lets time pass until the next global timer, where the run is at rest and has not waited as often as it may.
func (r *Run) wait() bool {
	at, now, ok := r.nextDeadline(replica.GlobalTimers)
	if !ok || r.waits == 0 {
		return false
	}
	r.waits--
	r.rested = true
	r.advance(at, now)
	return true
}

func (r *Run) advance(at, now uint64) {
	r.keepAnswers()
	r.waited += max(at, now) - now
	r.network.Apply(replica.AdvanceTo(at))
}

// PassHour lets an hour pass in a run that is over, for what depends on the time alone.
func (r *Run) PassHour() {
	const hour = 60 * 60 * 1_000_000_000
	r.network.EndRound()
	now := r.network.Activity().Clock
	r.advance(now+hour, now)
	r.network.Round()
}

// Rested reports whether the run was at rest before its present moves: nothing was left to deliver, and time has passed
// since.
func (r *Run) Rested() bool { return r.rested }
