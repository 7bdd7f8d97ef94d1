package replica

import (
	"iter"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// EventKind says what happened.
type EventKind uint8

// The kinds of events, with the fields that describe them (Event.Fields has their names). New kinds go at the end:
// recordings and clients know them by number.
const (
	IngressReceived EventKind = iota + 1 // Request, Method
	IngressAnswered                      // Request, Method, Reject
	MessageExecuted                      // Source, Request, Peer, Task, Method, Context, Call, Instructions, Reject (a trap)
	MessageParked                        // Source, Request, Peer, Task, Method, Context, Call, Deadline (what it waits for)
	MessageDropped                       // Source, Request, Peer, Task, Method, Reject (why it was not executed)
	CallRegistered                       // Context, Call, Peer, Method, Reentrant
	CallSettled                          // Context, Call, Peer, Reject
	TimerFired                           // a global timer fired
	CodeInstalled                        // Instructions, Reject
	CodeRemoved
	CanisterCreated
	CanisterDeleted
	StatusChanged // Number: the canister's status
	OutcallMade   // Number: the outcall's; Call (of http_request), Method, Text (the URL) and NoTransform
	RoundEnded    // Number: messages; Instructions
	MessageShed   // Source, Method, Peer, Call, Reject (instead of a response): a best-effort message was dropped to free memory
	CanisterMoved // Peer: its id from now on, on another subnet if the id is its own
	Trapped       // as MessageExecuted, which comes before it; Callers, Text (its own backtrace)
	Logged        // Context, Number (of the line in the canister's log), Text; follows the message that wrote it
	Certified     // Height, Time: the first certificate of the height was requested
	ResponseLate  // Call, Reject: the call had ended when its response came

	// What fault injection does to messages and timers. Peer is the caller of the message, Canister its callee; Source,
	// Method, and Call or Request identify it.
	RuleMatched     // Rule, Fault (what the rule does)
	MessageHeld     // Rule, Held, Fault
	MessageReleased // Rule, Held
	FaultInjected   // Rule, Held, Fault, Reject: it was lost, or answered in place of its callee
	HoldRefused     // Rule: too much is held, and this message passes
	TimerForced     // a global timer fires before its time
	TimerCancelled  // a global timer was made inactive
)

var eventNames = [...]string{
	"", "ingress received", "ingress answered", "message executed", "message parked", "message dropped", "call registered",
	"call settled", "timer fired", "code installed", "code removed", "canister created", "canister deleted", "status changed", "outcall made", "round ended", "message shed",
	"canister moved", "trapped", "logged", "certified", "response late",
	"rule matched", "message held", "message released", "fault injected", "hold refused", "timer forced", "timer cancelled",
}

// String returns the kind for people.
func (k EventKind) String() string { return eventNames[k] }

// Origin is the caller that a call context answers to.
type Origin struct {
	Kind   intercanister.OriginKind
	Caller principal.Principal  // a user or a canister
	Call   intercanister.CallID // FromCanister: the caller's
}

// Moment is a point in the life of a network.
type Moment = state.Moment

// Event is one thing that happened. The kind determines which fields are set; Time and Height always are, and so are
// Subnet and Canister except in RoundEnded. The data that it points to is read-only.
type Event struct {
	Kind       EventKind
	Source     intercanister.Source
	Task       intercanister.Task
	Entry      canister.Context // of a message: what ran
	Reentrant  bool             // the callee waits for this very call, directly or through others
	CleanupRan bool
	// NoTransform means that the response of an HTTP outcall is compared and delivered as the server sent it.
	NoTransform bool
	Subnet      principal.Principal
	Canister    principal.Principal
	Peer        principal.Principal
	Request     RequestID // of the ingress message that opened the context, while it is known
	Context     intercanister.ContextID
	Call        intercanister.CallID
	Method      string // that was called; of a callback, the method whose context it continues
	Origin      Origin // of the context
	Number      uint64
	Time        uint64 // ns
	Height      uint64
	Reject      *intercanister.Reject

	Instructions uint64
	Cycles       cycles.Amount // paid for the execution; of a call, attached; of its settlement, refunded
	Deadline     uint64        // of a call, ns; 0: its response is guaranteed. Of a parked message, what it waits for; 0: its turn
	Bytes        int           // of the argument, or of the answer
	Payload      []byte        // the argument, or the reply; a sink that keeps it copies it
	DirtyPages   int
	Heap, Stable uint64 // bytes, at the end of the message
	Began        Moment // when the message began
	Wall         int64  // ns on the stopwatch of the runner: not deterministic
	Logs         int    // lines the message added to the canister's log
	Text         string
	Lines        []canister.SourceLine // of a trap, where each function of Text was; nil if that is not known
	Callers      []Caller
	Rule, Held   uint64
	Fault        string // what happened to a message: held, dropped, replied, rejected, unknown, delayed or mocked
}

// EventSink receives events, on the goroutine of the network. The event is valid until the call returns.
type EventSink interface {
	Event(e *Event)
}

// HeightSink is called when a height of a subnet was signed, by the goroutine that requests the first certificate of
// the height.
type HeightSink func(subnet principal.Principal, height, time uint64)

// emit passes an event on. Callers ask for the sink first, so that events cost nothing without a listener.
func (n *Network) emit(e Event) {
	n.event = e
	n.event.Time, n.event.Height = n.time, n.height
	n.sink.Event(&n.event)
	n.event.Payload = nil
}

// Kinds returns all kinds of events.
func Kinds() iter.Seq[EventKind] {
	return func(yield func(EventKind) bool) {
		for k := 1; k < len(eventNames); k++ {
			if !yield(EventKind(k)) {
				return
			}
		}
	}
}
