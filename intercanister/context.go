package intercanister

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Task is a message that the system itself sends to a canister (interface specification, "Canister heartbeat", "Global
// timer", "On low wasm memory").
type Task uint8

const (
	NoTask Task = iota
	GlobalTimer
	Heartbeat
	LowMemory
)

// String returns the name of the exported function that runs.
func (t Task) String() string {
	switch t {
	case GlobalTimer:
		return "canister_global_timer"
	case Heartbeat:
		return "canister_heartbeat"
	case LowMemory:
		return "canister_on_low_wasm_memory"
	}
	return fmt.Sprintf("task %d", uint8(t))
}

// OriginKind says who opened a call context.
type OriginKind uint8

const (
	FromIngress  OriginKind = iota + 1 // a user
	FromCanister                       // another canister, or the same
	FromSystem                         // a task: it has no caller
)

// Origin is the opener of a call context, and the route for its answer.
type Origin struct {
	Caller   principal.Principal
	Call     CallID      // FromCanister: the caller's future, in the call table of the caller's subnet
	Ingress  uint64      // FromIngress: the message's number in the ingress history
	Deadline uint64      // FromCanister: nanoseconds, 0 for a call with guaranteed response
	Info     *SenderInfo // FromIngress: what is attested of the caller; or nil
	Kind     OriginKind
	Task     Task // FromSystem
}

// Context is a call context (interface specification, "Call contexts"): the common state of the messages that serve one
// call.
//
// Invariants: Available is zero once Responded, because the execution that answers may accept until its end and the
// rest is refunded then; a Deleted context has Responded; the call table removes a context when it has Responded and
// nothing is Outstanding.
type Context struct {
	ID           ContextID
	Canister     principal.Principal
	Origin       Origin
	Method       string        // that was called; empty for a task
	Available    cycles.Amount // attached and not yet accepted
	Instructions uint64        // run by all messages of the context so far
	Opened       uint64        // nanoseconds
	Outstanding  uint32        // registered futures, until their callback has run
	Responded    bool          // or needs no response
	Deleted      bool          // the code that opened it was removed (uninstall_code)
	Busy         bool          // one of its messages is running
}

// Starved reports whether an answer is owed that can no longer come: the specification's starvation.
func (c *Context) Starved() bool { return !c.Responded && c.Outstanding == 0 && !c.Busy }
