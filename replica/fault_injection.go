package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// FireTimer makes the global timer of a canister fire as if it were due: its task is queued, and the next round runs
// it, or the one that is open. CancelTimer makes it inactive. They are refused as not found if the canister does not
// exist, as a conflict where the timer is not active or the canister is in the middle of a message; FireTimer also if
// nothing would run.
type (
	FireTimer   struct{ Canister principal.Principal }
	CancelTimer struct{ Canister principal.Principal }
)

func (FireTimer) input()   {}
func (CancelTimer) input() {}

func (n *Network) releaseHeld(in ReleaseHeld) Result {
	m, h := n.kept(in.ID)
	if h == nil {
		return noneHeld(in.ID)
	}
	if h.Kind == KindRequest && !h.Mock {
		if before := m.Kept.Before(&h.Request, h.ID); before != 0 {
			return refuse(refusal.Conflict, "an earlier request of canister %s to %s is held as message %d, and the network keeps their order: release that first",
				h.Request.Sender, named(h.Request.Receiver), before)
		}
	}
	m.letGo(h)
	n.generation++
	return Result{}
}

func named(id principal.Principal) string {
	if id == principal.Management {
		return "the management canister"
	}
	return "canister " + id.String()
}

func noneHeld(id uint64) Result {
	return refuse(refusal.NotFound, "no message %d is held: it was released, dropped or settled, has expired, or never was", id)
}

func (n *Network) dropHeld(in DropHeld) Result {
	m, h := n.kept(in.ID)
	switch {
	case h == nil:
		return noneHeld(in.ID)
	case h.Kind != KindIngress && !h.Bounded():
		return refuse(refusal.Conflict, "message %d belongs to a call with guaranteed response, which the network never loses: release it, or settle the call", in.ID)
	}
	m.emitHeldFault(h, ActDrop, nil)
	m.lose(h)
	n.generation++
	return Result{}
}

func (n *Network) settleHeld(in *SettleHeld) Result {
	m, h := n.kept(in.ID)
	if h == nil {
		return noneHeld(in.ID)
	}
	response, kind, result := in.Answer.response()
	switch {
	case kind == 0:
		return result
	case kind == ActUnknown && !h.Bounded():
		return refuse(refusal.Conflict, "message %d belongs to no best-effort call: only callers of those are told SYS_UNKNOWN", in.ID)
	}
	m.answerHeld(h, response, kind)
	n.generation++
	return Result{}
}

// response is a settlement as a response, and its effect; 0 if no caller can get this answer.
func (s *Settlement) response() (intercanister.Response, ActionKind, Result) {
	action := Action{Kind: ActReply, Reply: s.Reply}
	switch {
	case s.Unknown && (s.Reply != nil || s.Reject != nil):
		return intercanister.Response{}, 0, refuse(refusal.Invalid, "invalid answer: expected a reply, a reject or an unknown outcome")
	case s.Unknown:
		action = Action{Kind: ActUnknown}
	case s.Reject != nil:
		action = Action{Kind: ActReject, Reject: completed(s.Reject)}
	}
	if !s.Unknown {
		if why := wrongAnswer(s.Reply, s.Reject, s.Reject != nil); why != "" {
			return intercanister.Response{}, 0, refuse(refusal.Invalid, "%s", why)
		}
	}
	return answerOf(&action), action.Kind, Result{}
}

// timed is a canister whose timer is active and that runs no message, or the reason for refusing.
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
