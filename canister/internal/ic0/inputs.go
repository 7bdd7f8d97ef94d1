package ic0

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// The inputs of an execution. Package canister shows them under the same names; executions only read them.

// Subnet is the input of a subnet to every execution of a round. It is constant during the round, and all executions of
// the round read it concurrently.
type Subnet struct {
	ID      principal.Principal
	RootKey []byte // DER
	Fees    cycles.Schedule
	System  bool // a system subnet
	Limits  Limits
	Time    uint64 // ns, the batch time

	// MemoryUsed is what all canisters of the subnet used before the messages that run together, in bytes: growth is
	// measured from it.
	MemoryUsed uint64
	// Keys are the threshold keys that canisters of this subnet can sign with.
	Keys []Key
	// Volatile is set in networks that live for a few messages: committed changes of canisters stay in memory, and the
	// next fork of the same state reuses instances.
	Volatile bool
	// Unthrottled is set if debug_print is charged for printing as well (metering: the replica's feature
	// rate_limiting_of_debug_prints is off).
	Unthrottled bool
	// Randomness is the seed, with the message, of random bytes of WASI.
	Randomness [32]byte
	// Print receives each text that a canister prints, whole, on the goroutine that runs the message; the text is valid
	// only during the call. A message that a fork reruns does not repeat what was printed before. nil: no listener.
	Print func(canister principal.Principal, text []byte)
	// Profiled reports whether the runs of a canister are profiled. It is called on the goroutines that run messages. nil:
	// none is.
	Profiled func(canister principal.Principal) bool
	// Covered returns what collects which code of a canister runs, nil for nothing. It is called on the goroutines that run
	// messages. nil: nothing is collected.
	Covered func(canister principal.Principal) Collector
}

// Collector collects which code of a canister runs. It is the type Coverage of package canister.
type Collector interface {
	// Version returns a number that changes when something is covered.
	Version() uint64
}

// Limits are the limits of execution on a subnet, in instructions, bytes and
// pages. They are the same for all canisters of the subnet.
type Limits struct {
	Message uint64 // instructions of one message: update, replicated query called as update, callback, task
	Query   uint64 // instructions of one query, and of a query method called as an update
	Inspect uint64 // instructions of canister_inspect_message
	Install uint64 // instructions of a whole install_code

	// Slice is the replica's slice: a step of a message that exceeds the end of a slice by a whole slice ends the
	// message. 0 for no slices.
	Slice uint64
	// PauseAfter is how many instructions run between two calls of Message.Pause: how long a message runs before it
	// yields to others.
	PauseAfter uint64

	StablePages        uint64 // 4 KiB pages of stable memory one message may touch, and may change
	StablePagesInstall uint64 // in init, post_upgrade and pre_upgrade
	StablePagesQuery   uint64 // in queries

	SubnetMemory uint64 // bytes all canisters of the subnet may use

	// HeapDelta is how many bytes of memory a canister may change in a round, InstallRate how many instructions it may
	// run in installations; 0 for any number. The first excess is free and makes the canister wait.
	HeapDelta, InstallRate uint64
}

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
	// Called is the method that a callback's call called, for coverage.
	Called string

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
