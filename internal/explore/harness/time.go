package harness

import (
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/timers"
)

// maxWait is how far in the future a deadline may be for a run to wait for it, in nanoseconds: a day. Canisters that
// pay for their memory do not run out of cycles in that time. Ours.
const maxWait = 24 * 60 * 60 * 1_000_000_000

// deadlines reports whether PassTime waits for a kind of deadline. It does not wait for those of ingress messages.
func deadlines(k timers.Kind) bool {
	switch k {
	case timers.GlobalTimer, timers.CallExpiry, timers.RequestExpiry, timers.OutcallExpiry, timers.HookRetry:
		return true
	}
	return false
}

// nextDeadline returns the next deadline of some kinds, if it is at most maxWait away.
func (r *Run) nextDeadline(kinds func(timers.Kind) bool) (at, now uint64, ok bool) {
	now = r.network.Activity().Clock
	at, ok = r.network.NextOf(kinds)
	return at, now, ok && at <= now+maxWait
}

// Due reports whether anything happens when time passes: a timer or a deadline is pending, or a canister has a
// heartbeat.
func (r *Run) Due() bool {
	_, _, ok := r.nextDeadline(deadlines)
	return ok || r.network.Activity().Heartbeat
}

// passTime ends the round, and advances the time to the next deadline.
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

// Cut reports whether the run must end now, because the time of the exploration is over. It must be called after each
// message.
func (r *Run) Cut() bool { return r.harness.Cut() }

// Cut is Run.Cut for all runs of the harness.
func (l *Harness) Cut() bool {
	if l.sinceExpiry++; !l.cut && l.setup.Expired != nil && l.sinceExpiry >= expiryInterval {
		l.sinceExpiry = 0
		l.cut = l.setup.Expired()
	}
	return l.cut
}

// wait advances the time of a run at rest to the next global timer, and reports whether there was one and a wait was
// left.
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

// PassHour advances the time of a finished run by an hour, to see what depends on the time alone.
func (r *Run) PassHour() {
	const hour = 60 * 60 * 1_000_000_000
	r.network.EndRound()
	now := r.network.Activity().Clock
	r.advance(now+hour, now)
	r.network.Round()
}

// Rested reports whether the run was at rest before its present moves: no message was left, and time has passed since.
func (r *Run) Rested() bool { return r.rested }
