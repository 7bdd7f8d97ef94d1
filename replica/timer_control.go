package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// FireTimer fires the global timer of a canister as if it were due: its task is queued, and the next round runs it, or
// the open one. CancelTimer makes it inactive. They are refused as not found if the canister does not exist, as a
// conflict if the timer is not active or the canister is in the middle of a message; FireTimer also if nothing would
// run.
type (
	FireTimer   struct{ Canister principal.Principal }
	CancelTimer struct{ Canister principal.Principal }
)

func (FireTimer) input()   {}
func (CancelTimer) input() {}

// timed returns a canister whose timer is active and that runs no message, or the reason for a refusal.
func (n *Network) timed(id principal.Principal) (*subnet, *state.Entry, Result) {
	m, r := n.find(id)
	switch {
	case r == nil:
		return nil, nil, refuse(refusal.NotFound, "canister %s does not exist", id)
	case r.Running:
		return nil, nil, refuse(refusal.Conflict, "canister %s is in the middle of a message, which may set its timer: wait until it is over", id)
	case r.Canister.Timer == 0:
		return nil, nil, refuse(refusal.Conflict, "the global timer of canister %s is not active", id)
	}
	return m, r, Result{}
}

func (n *Network) fireTimer(in FireTimer) Result {
	m, r, result := n.timed(in.Canister)
	switch {
	case r == nil:
		return result
	case !n.executor.Has(r.Canister, canister.GlobalTimer):
		return refuse(refusal.Conflict, "canister %s has no canister_global_timer", in.Canister)
	case r.Canister.Status != canister.Running:
		return refuse(refusal.Conflict, "canister %s is %s: no timer fires until it is started", in.Canister, r.Canister.Status)
	}
	m.ForceTimer(r, min(r.Canister.Timer, max(n.time, 1))) // a timer cannot be 0
	m.emitTimer(TimerForced, in.Canister)
	m.fireTimer(in.Canister)
	n.generation++
	return Result{}
}

func (n *Network) cancelTimer(in CancelTimer) Result {
	m, r, result := n.timed(in.Canister)
	if r == nil {
		return result
	}
	r.Canister.Timer = 0
	m.RearmTimer(r)
	m.emitTimer(TimerCancelled, in.Canister)
	n.generation++
	return Result{}
}
