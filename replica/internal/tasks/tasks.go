package tasks

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

// Code reports the entry points of a canister's code.
type Code interface {
	Has(c *canister.Canister, context canister.Context) bool
	Empty(c *canister.Canister) bool
	Memory64(c *canister.Canister) bool // a 64-bit memory
}

// Context returns the context in which a task runs.
func Context(t intercanister.Task) canister.Context {
	switch t {
	case intercanister.Heartbeat:
		return canister.Heartbeat
	case intercanister.LowMemory:
		return canister.LowMemory
	default:
		return canister.GlobalTimer
	}
}

// Refresh handles a change of the code of a canister.
func Refresh(s *state.State, code Code, r *state.Entry) {
	s.SetHeartbeat(r, code.Has(r.Canister, canister.Heartbeat))
	s.RearmTimer(r)
	Resume(s, code, r)
}

// Resume queues the tasks of a canister that could not run: the canister was not running, or had no code for them.
func Resume(s *state.State, code Code, r *state.Entry) {
	if at := r.Canister.Timer; at != 0 && at <= s.Time {
		s.PostponeTimer(r, s.Time)
	}
	WatchMemory(code, r)
}

// WatchMemory updates the condition of the low-memory hook and queues the hook when the condition has become true.
func WatchMemory(code Code, r *state.Entry) {
	c := r.Canister
	if c.Settings.WasmMemoryThreshold == 0 || code.Empty(c) {
		r.Hook = state.NotSatisfied
		return
	}
	switch {
	case !c.Settings.LowOnHeap(c.MemoryUsage().Heap, code.Memory64(c)):
		r.Hook = state.NotSatisfied
	case r.Hook == state.NotSatisfied && c.Status == canister.Running:
		r.Hook = state.Ready
		r.Mailbox.PushTask(intercanister.LowMemory)
	}
}

// QueueHeartbeats queues the heartbeat of every canister that has one and is running.
func QueueHeartbeats(s *state.State) {
	for _, r := range s.Heartbeats {
		if r.Canister.Status == canister.Running && !r.Running {
			queue(s, r, intercanister.Heartbeat)
		}
	}
}

// FireTimer queues the global timer of a canister when its deadline has come, and reports whether it did. The timer of
// a canister that is not running stays due: it fires when the canister is started.
func FireTimer(s *state.State, code Code, id principal.Principal) bool {
	r := s.Canisters.Get(id)
	s.RecordTimerFired(r)
	if r.Canister.Status != canister.Running || !code.Has(r.Canister, canister.GlobalTimer) {
		return false
	}
	queue(s, r, intercanister.GlobalTimer)
	return true
}

// RetryHook queues the low-memory hook of a canister again, unless its condition has become false.
func RetryHook(s *state.State, id principal.Principal) {
	if r := s.Canisters.Get(id); r != nil && r.Hook == state.Ready && r.Canister.Status == canister.Running {
		queue(s, r, intercanister.LowMemory)
	}
}

func queue(s *state.State, r *state.Entry, t intercanister.Task) {
	r.Mailbox.PushTask(t)
	s.Ready.Add(&r.Mailbox)
}

// Runs reports whether a queued task must run: the canister is running and still has code for it, and its timer was not
// set to a later time.
func Runs(s *state.State, code Code, r *state.Entry, t intercanister.Task) bool {
	c := r.Canister
	if t == intercanister.GlobalTimer && (c.Timer == 0 || c.Timer > s.Time) {
		return false
	}
	return c.Status == canister.Running && code.Has(c, Context(t))
}

// Retry schedules a task again that a canister could not pay for. Heartbeats recur automatically.
func Retry(s *state.State, r *state.Entry, t intercanister.Task) {
	switch t {
	case intercanister.GlobalTimer:
		s.PostponeTimer(r, s.Time+retryAfter)
	case intercanister.LowMemory:
		r.Hook = state.Ready
		s.Deadlines.Add(timers.Deadline{At: s.Time + retryAfter, Kind: timers.HookRetry, Subject: r.ID()})
	}
}
