package harness

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// Step is one delivery of a run, with what followed from it.
type Step struct {
	Move    string // name of the message
	Context string // lineage of the call context that it belongs to: op2, op2/1
	Kind    replica.MoveKind
	Entry   canister.Context // what ran
	// Canister ran. Peer called (a request) or was called (a response).
	Canister, Peer principal.Principal
	Subnet         principal.Principal // that runs the canister
	Method         string              // that was called; of a response the one that it answers
	Bounded        bool                // a request or a response of a best-effort call
	Fault          FaultKind
	Calls          []CallMade
	Rejected       *intercanister.Reject // a response: what the call was rejected with
	Failure        *intercanister.Reject // why the code trapped
	Cleaned        bool                  // the code trapped, and its cleanup closure ran
	Dropped        bool                  // nothing ran
	Dirty          int                   // pages that the message changed
	Began          bool                  // false for a later slice of a message
	Timer          bool                  // the global timer of the canister is active after the message
	Due            bool                  // a timer or a deadline is ahead, or a heartbeat runs in each round
	Outcall        bool                  // the message made an HTTP outcall
	Waited         uint64                // ns that have passed before the message
	Over           bool                  // false for a slice of a message that has more slices
	Blocks         []*Blocks             // blocks that ran, by module; nil without Setup.Blocks
}

// CallMade is a call that a message made.
type CallMade struct {
	Name    string // lineage: op2/1
	Callee  principal.Principal
	Method  string
	Bounded bool // a best-effort call
}

// madeCalls is how many calls a context has made.
type madeCalls struct {
	context string
	count   int
}

// callKey is a call of a canister.
type callKey struct {
	caller principal.Principal
	call   intercanister.CallID
}

// callState is what a run knows of a call that is not over.
type callState struct {
	key       callKey
	request   string // names of its messages
	reply     string
	callee    principal.Principal
	made      string // the move that made it
	settled   string // the move that answered it
	bounded   bool
	rejection *intercanister.Reject
}

// Event records what happens in the present step.
func (r *Run) Event(e *replica.Event) {
	switch e.Kind {
	case replica.MessageExecuted, replica.CodeInstalled:
		r.instructions += e.Instructions
		if s := r.step; s != nil && s.Canister == e.Canister {
			s.Over, s.Entry, s.Failure, s.Cleaned, s.Dirty = true, e.Entry, e.Reject, e.CleanupRan, e.DirtyPages
		}
	case replica.MessageDropped:
		if s := r.step; s != nil && s.Canister == e.Canister {
			s.Over, s.Dropped = true, true
		}
	case replica.OutcallMade:
		if r.step != nil {
			r.step.Outcall = true
		}
	case replica.CallRegistered:
		r.recordCall(e)
	case replica.CallSettled:
		r.recordSettlement(e)
	}
}

// recordCall names a call that the present message made.
func (r *Run) recordCall(e *replica.Event) {
	s := r.step
	if s == nil || s.Canister != e.Canister {
		return
	}
	name := callName(s.Context, r.countCall(s.Context))
	r.calls = append(r.calls, callState{
		key: callKey{e.Canister, e.Call}, request: RequestOf(name), reply: ReplyOf(name), callee: e.Peer, made: s.Move, bounded: e.Deadline != 0,
	})
	s.Calls = append(s.Calls, CallMade{name, e.Peer, e.Method, e.Deadline != 0})
	r.keepPayload(RequestOf(name), e.Payload)
}

// countCall counts a call of a context, and returns its ordinal.
func (r *Run) countCall(context string) int {
	made := r.madeBy(context)
	if made == nil {
		r.made = append(r.made, madeCalls{context: context})
		made = &r.made[len(r.made)-1]
	}
	made.count++
	return made.count
}

// madeBy returns the number of calls of a context, nil before the first. It searches backward: the caller is mostly a
// new context.
func (r *Run) madeBy(context string) *madeCalls {
	for i := len(r.made) - 1; i >= 0; i-- {
		if r.made[i].context == context {
			return &r.made[i]
		}
	}
	return nil
}

// recordSettlement records which move answered a call, and how.
func (r *Run) recordSettlement(e *replica.Event) {
	c := r.findCall(callKey{e.Canister, e.Call})
	if c == nil {
		return
	}
	c.rejection = e.Reject
	r.keepPayload(c.reply, e.Payload)
	if r.step != nil {
		c.settled = r.step.Move
	}
}
