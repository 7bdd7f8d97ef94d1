package canister

import "errors"

// ExecuteShort is Execute for a message that is short: it runs at most a slice of the engine, waits for no time and is not
// paused, so it calls neither Pause nor Sleep. If the message is not short, or probably is not because the last message of
// the canister was not, ExecuteShort returns false and has changed nothing but out. The message then begins with Execute.
func (c *Canister) ExecuteShort(sub *Subnet, m *Message, out *Outcome) (ended bool) {
	if c.state != nil && c.state.runner != nil && c.state.runner.long {
		return false
	}
	return c.transact(sub, m, true, out)
}

// errNotShort ends the run of a message that is not short. notShort is its failure.
var (
	errNotShort = errors.New("the message is not short")
	notShort    = new(failure)
)

// keepShort makes the run that begins end where it is not short.
func (r *runner) keepShort() {
	r.x.Short = true
	r.nextPause = min(r.nextPause, engineSlice)
	if mayWait(r.x.Context) {
		r.x.Sleep = r.onSleep
	}
}

// slept is called when a short message would wait for a time.
func (r *runner) slept(uint64, uint64) uint64 {
	r.guest.End(errNotShort)
	return 0
}

// printKept prints what a short message has printed, now that it does not begin again.
func (r *runner) printKept() {
	if r.x != nil {
		r.x.PrintKept()
	}
}
