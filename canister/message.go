package canister

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Context is the execution context of a message: its kind, and thus which functions of the System API it may call.
type Context = ic0.Context

// The contexts, with the specification's letters.
const (
	Start            = ic0.Start            // s
	Init             = ic0.Init             // I
	PostUpgrade      = ic0.PostUpgrade      // I
	PreUpgrade       = ic0.PreUpgrade       // G
	Update           = ic0.Update           // U
	ReplicatedQuery  = ic0.ReplicatedQuery  // RQ
	Query            = ic0.Query            // NRQ
	TransformQuery   = ic0.TransformQuery   // TQ
	CompositeQuery   = ic0.CompositeQuery   // CQ
	ReplyCallback    = ic0.ReplyCallback    // Ry
	RejectCallback   = ic0.RejectCallback   // Rt
	CompositeReply   = ic0.CompositeReply   // CRy
	CompositeReject  = ic0.CompositeReject  // CRt
	Cleanup          = ic0.Cleanup          // C
	CompositeCleanup = ic0.CompositeCleanup // CC
	InspectMessage   = ic0.InspectMessage   // F
	Heartbeat        = ic0.Heartbeat        // T
	GlobalTimer      = ic0.GlobalTimer      // T
	LowMemory        = ic0.LowMemory        // T
)

// Message is one message to run on one canister. Execute only reads it.
//
// Start, Init, PreUpgrade and PostUpgrade are not messages of their own: they are
// parts of an Install. Cleanup and CompositeCleanup are parts of a callback.
type Message struct {
	Context Context
	// Method is the name of the method without the prefix, for updates and queries. For InspectMessage it is the method
	// that the ingress message wants to call.
	Method string
	// Closure is what a callback runs: the reply or the reject closure. Cleanup is its cleanup closure, or nil.
	Closure intercanister.Closure
	Cleanup *intercanister.Closure

	// Caller opened the call context: a user, a canister, or the management canister for tasks and transforms.
	Caller  principal.Principal
	Payload []byte // argument of the method; in ReplyCallback and CompositeReply the reply

	// Reject is the reject of the call, in RejectCallback and CompositeReject.
	Reject *intercanister.Reject
	// Deadline is the deadline of the call context: ns, 0 for none.
	Deadline uint64
	// Available are the call context's cycles not yet accepted. Refunded are the cycles that came back with the
	// response; the balance already includes them.
	Available, Refunded cycles.Amount
	// Debit is the amount that fell due while the message ran, and is still to be taken from the balance. The code that
	// resumes a paused message may add to it.
	Debit cycles.Amount
	// Responded is set if the call context is answered or needs no answer.
	Responded bool
	// PriorInstructions is the number of instructions of earlier messages of the call context: performance_counter(1).
	PriorInstructions uint64
	// Certificate is the result of ic0.data_certificate_copy, in Query and CompositeQuery. If it is nil, Certify makes
	// it when the code asks for it; both are nil if there is none.
	Certificate []byte
	Certify     func() []byte
	// CallerInfo is the caller's sender_info, signed by the canister Signer; both are empty if there was none.
	CallerInfo, Signer []byte

	// Room returns how many more requests the queue to callee takes; the execution counts the requests of this message.
	// nil: unlimited.
	Room func(callee principal.Principal) int
	// Callbacks is how many calls the message may make, and MessageRoom the bytes of memory that the subnet has for
	// messages of calls with guaranteed response. They apply if Room is not nil.
	Callbacks   int
	MessageRoom uint64
	// Exhausted makes a callback of this message fail as if it needed too many instructions: a test control.
	Exhausted Exhaustion

	// Pause is called each time Limits.PauseAfter instructions have run and the message still runs. It may block;
	// the canister then stays in the middle of the message. A message that has changed many pages pauses every
	// ScatteredPauseAfter instructions, unless PauseAfter is more than DefaultPauseAfter. Large copies and fills, which
	// are charged before they begin, count a second time while they run. nil: never called.
	Pause func()
	// Sleep parks the message until a time in nanoseconds, and returns the time at which it resumes, no earlier: WASI's
	// poll_oneoff. The canister stays in the middle of the message meanwhile. executed is the number of instructions so
	// far. nil: the message cannot wait. Only updates and tasks can.
	Sleep func(until, executed uint64) (now uint64)
	// Canceled reports whether the result is no longer wanted. It is called after each Pause, only in runs of a
	// QueryTarget, and ends the run with a failure. nil: the result is always wanted.
	Canceled func() bool
}

// Exhaustion says which code of a callback begins without instructions, so that it fails with
// CanisterInstructionLimitExceeded. On mainnet this can happen to any callback.
type Exhaustion uint8

// The degrees of exhaustion.
const (
	NotExhausted        Exhaustion = iota
	CallbackExhausted              // the reply or reject closure; the cleanup closure runs as usual
	CleanupExhaustedToo            // and the cleanup closure
)
