package canister

import (
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Outcome is the result of a message, except the change of its canister's state.
//
// With a Failure, only Backtrace, Lines, Instructions, DirtyPages, Logs and the effects of the cleanup closure (Cleaned)
// are set.
type Outcome struct {
	// Failure says why the message failed: the state is unchanged. nil for success. Its text is the replica's, from
	// "Error from Canister" to the advice at the end.
	Failure *intercanister.Reject
	// Backtrace says where the code failed, one function on a line, for the owner of the network: Failure has it only
	// if its receiver may see it. It is empty if no function has a name.
	Backtrace string
	// Lines are the source lines of the functions in Backtrace: of where each was. nil if the module has no debug
	// information for them. They change no text of the replica's.
	Lines []SourceLine
	// Response is the answer to the call context, nil if the message did not answer. Refund is not set.
	Response *intercanister.Response
	// Calls are the calls made, in the order of ic0.call_perform. The balance excludes their cycles and prepayments.
	Calls []Call
	// Accepted are the cycles taken from Message.Available; the balance includes them.
	Accepted cycles.Amount
	// Burned are the cycles burned with ic0.cycles_burn128; Consumed.Burned includes them.
	Burned cycles.Amount
	// Minted are the cycles made with ic0.mint_cycles128; the balance includes them.
	Minted cycles.Amount
	// Instructions is what the message is charged for: the executed instructions and dirty pages, at most the limit.
	Instructions uint64
	// DirtyPages is the number of 4 KiB pages of the heap that changed.
	DirtyPages int
	// HeapDelta is how many bytes of both memories changed, in whole pages. It is counted if the subnet limits it.
	HeapDelta uint64
	// AcceptedIngress is set if canister_inspect_message accepted.
	AcceptedIngress bool
	// Cleaned is set if a callback failed and its cleanup closure succeeded: the canister has the changes of the
	// closure, and Failure is the callback's.
	Cleaned bool
	// Logs is how many records the message added to the log.
	Logs int
	// Runs are the profiles of the runs of code, in order, if Subnet.Profiled. Their instructions add up to Instructions.
	Runs []ProfiledRun
}

// Call is a call made by a message: what the replica registers and sends.
type Call = ic0.Call
