package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// EventKind says what happened.
type EventKind uint8

// What can happen.
const (
	IngressReceived EventKind = iota + 1 // Request, Method
	IngressAnswered                      // Request, Method, Reject
	MessageExecuted                      // Source, Request, Peer, Task, Method, Context, Call, Instructions, Reject (a trap)
	MessageParked                        // Source, Request, Peer, Task, Method, Context, Call
	MessageDropped                       // Source, Request, Peer, Task, Method, Reject (why it was not executed)
	CallRegistered                       // Context, Call, Peer, Method, Reentrant
	CallSettled                          // Context, Call, Peer, Reject
	TimerFired                           // a global timer has come
	CodeInstalled                        // Instructions, Reject
	CodeRemoved
	CanisterCreated
	CanisterDeleted
	StatusChanged // Number: the canister's status
	OutcallMade   // Number: the outcall's
	RoundEnded    // Number: messages; Instructions
	MessageShed   // Source, Method, Peer, Call, Reject (instead of a response): a best-effort message had to make room
	CanisterMoved // Peer: its id from now on, on another subnet where that is its own
)

var eventNames = [...]string{
	"", "ingress received", "ingress answered", "message executed", "message parked", "message dropped", "call registered",
	"call settled", "timer fired", "code installed", "code removed", "canister created", "canister deleted", "status changed", "outcall made", "round ended", "message shed",
	"canister moved",
}

// String names the kind for people.
func (k EventKind) String() string { return eventNames[k] }

// Event is one thing that happened. Which fields count, the kind says; Time,
// Height and, but for RoundEnded, Subnet and Canister always do.
type Event struct {
	Kind         EventKind
	Source       intercanister.Source
	Task         intercanister.Task
	Reentrant    bool // the callee waits for this very call, directly or through others
	CleanupRan   bool
	Subnet       principal.Principal
	Canister     principal.Principal
	Peer         principal.Principal
	Request      RequestID
	Context      intercanister.ContextID
	Call         intercanister.CallID
	Method       string
	Instructions uint64
	Number       uint64
	Time, Height uint64
	Reject       *intercanister.Reject
	Logs         int // lines the message added to the canister's log
}

// EventSink is told what happens, on the machine's goroutine. The event is good
// until the call returns.
type EventSink interface {
	Event(e *Event)
}

// emit passes an event on. Callers ask for the sink first, so that events cost
// nothing where nobody listens.
func (n *Network) emit(e Event) {
	n.event = e
	n.event.Time, n.event.Height = n.time, n.height
	n.sink.Event(&n.event)
}

// note tells what became of a job.
func (m *machine) note(j *Job) {
	if m.net.sink == nil {
		return
	}
	e := m.described(j)
	e.Kind, e.Instructions, e.Reject = MessageExecuted, j.outcome.Instructions, j.outcome.Failure
	e.CleanupRan, e.Logs = j.outcome.Cleaned, j.outcome.Logs
	switch {
	case j.install != nil:
		e.Kind = CodeInstalled
	case !j.runs():
		e.Kind, e.Reject = MessageDropped, j.refused
	}
	m.net.emit(e)
}

// described is an event that says which message a job runs.
func (m *machine) described(j *Job) Event {
	e := Event{
		Subnet: m.ID, Canister: j.resident.ID(), Source: j.in.Source, Task: j.in.Task,
		Context: j.context, Call: j.in.Call, Method: j.message.Method,
	}
	switch j.in.Source {
	case intercanister.SourceIngress:
		record := m.History.At(j.in.Ingress)
		e.Request, e.Method = record.ID, record.Method
	case intercanister.SourceRequests:
		e.Peer, e.Method, e.Call = j.in.Request.Sender, j.in.Request.Method, j.in.Request.Call
	}
	return e
}

// reenters reports whether a call from a context goes to a canister that is on
// its own asynchronous stack: that opened one of the calls this one serves.
func (m *machine) reenters(id intercanister.ContextID, callee principal.Principal) bool {
	at := m
	for range MaxAncestry {
		context := at.Ledger.Context(id)
		if context == nil {
			return false
		}
		if context.Canister == callee {
			return true
		}
		if context.Origin.Kind != intercanister.FromCanister {
			return false
		}
		position := at.net.routes.find(context.Origin.Caller)
		if position < 0 {
			return false
		}
		at = at.net.machines[position]
		f := at.Ledger.Future(context.Origin.Call)
		if f == nil {
			return false
		}
		id = f.Context
	}
	return false
}
