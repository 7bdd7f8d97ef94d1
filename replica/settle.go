package replica

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/faults"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/introspect"
)

// SettleCall answers a waiting call of a canister, in place of its callee. A request that was not executed is removed
// from where it waits, and its cycles return with the answer. If the callee of a best-effort call has begun, the only
// answer is SYS_UNKNOWN, as after its deadline; the callee continues, and its answer is late.
//
// It is refused as not found if the call does not exist, as invalid if no caller can receive this answer, and as a
// conflict if a network could not cause it; the text says why.
type SettleCall struct {
	Subnet principal.Principal // of the caller
	Call   intercanister.CallID
	Answer Settlement
}

func (*SettleCall) input() {}

func (n *Network) settleCall(in *SettleCall) Result {
	position, ok := n.routes.byID[in.Subnet]
	if !ok {
		return refuse(refusal.Invalid, "subnet %s is not part of this network", in.Subnet)
	}
	m := n.subnets[position]
	f := m.Calls.Future(in.Call)
	switch {
	case f == nil:
		return refuse(refusal.NotFound, "subnet %s has no call %d that waits: it is over, or never was", in.Subnet, in.Call)
	case f.State != intercanister.Waiting:
		return refuse(refusal.Conflict, "call %d is answered: its callback is queued or runs", in.Call)
	}
	response, action, refused := in.Answer.Response()
	switch {
	case refused != nil:
		return Result{Refusal: refused}
	case action == ActUnknown && f.Deadline == 0:
		return refuse(refusal.Conflict, "call %d has a guaranteed response: only callers of best-effort calls are told SYS_UNKNOWN", in.Call)
	}
	at := n.Introspect().CallLocations().Of(position, in.Call, f.Owner)
	if at.Held != nil {
		return n.settleHeld(&SettleHeld{ID: at.Held.ID, Answer: in.Answer})
	}
	refund, taken := n.removeRequest(&at, in.Call, f.Owner)
	if !taken && action != ActUnknown {
		return refuse(refusal.Conflict, "call %d is past its queue (%s): %s", in.Call, at.Reason, tooLate(f))
	}
	m.applyDecisions(faults.Answered(&state.Held{Kind: KindRequest, Request: intercanister.Request{
		Call: in.Call, Sender: f.Owner, Receiver: f.Callee, Method: f.Method, Deadline: f.Deadline, Cycles: refund,
	}}, action, response))
	n.generation++
	return Result{}
}

func tooLate(f *intercanister.Future) string {
	if f.Deadline == 0 {
		return "its callee answers it, and a guaranteed response is never lost"
	}
	return "its callee answers it, or the caller is told SYS_UNKNOWN"
}

// removeRequest removes the request of a call from where it waits, unless it has begun. It returns
// the attached cycles.
func (n *Network) removeRequest(p *introspect.Location, call intercanister.CallID, caller principal.Principal) (refund cycles.Amount, taken bool) {
	m := n.subnets[p.Subnet.Position]
	mine := func(q *intercanister.Request) bool { return q.Call == call && q.Sender == caller }
	gone := func(in *state.Input) bool { return in.Source == intercanister.SourceRequests && mine(&in.Request) }
	var q intercanister.Request
	switch p.In {
	case introspect.InMailbox:
		if q, taken = p.Box.RemoveRequest(call, mine); taken && p.Box != &m.ManagementCalls {
			m.Deadlines.Remove(q.Expiry)
			m.ReleaseMemory(m.Canisters.Get(p.Box.Owner), q.Deadline, q.Memory())
		}
	case introspect.InWaiting:
		q, taken = p.Request, true
		p.Entry.Waiting = slices.DeleteFunc(p.Entry.Waiting, func(in state.Input) bool { return gone(&in) })
	case introspect.InPreparing:
		q, taken = p.Request, true
		m.Preparing = slices.DeleteFunc(m.Preparing, func(w state.Preparation) bool { return gone(&w.In) })
	case introspect.InOutput:
		taken = true
		for i := range m.Output[p.To] {
			if sent := &m.Output[p.To][i]; sent.Request != nil && mine(sent.Request) {
				q = *sent.Request
				m.Dequeue(sent)
			}
		}
		m.Output[p.To] = slices.DeleteFunc(m.Output[p.To], func(sent state.StreamMessage) bool { return sent.Request != nil && mine(sent.Request) })
	case introspect.InStream:
		q, taken = p.Request, true
		m.Inbound = slices.DeleteFunc(m.Inbound, func(sent state.StreamMessage) bool { return sent.Request != nil && mine(sent.Request) })
	}
	return q.Cycles, taken
}
