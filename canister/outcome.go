package canister

import (
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Outcome is all a message did, beyond the change of its canister's state.
//
// With a Failure nothing else is set but Backtrace, Instructions, DirtyPages, Logs and
// what the cleanup closure did (Cleaned).
type Outcome struct {
	// Failure says why the message failed: its state is what it was before. nil for
	// success. Its text is the replica's, from "Error from Canister" to the advice at its end.
	Failure *intercanister.Reject
	// Backtrace is where the code failed, a function on a line, for the owner of the network: Failure has it only if
	// its receiver may see it. Empty if no function has a name.
	Backtrace string
	// Response is what the call context is answered with, nil where the message did not
	// answer. Refund is not set.
	Response *intercanister.Response
	// Calls are the calls made, in the order of ic0.call_perform. The balance lacks their
	// cycles and prepayments.
	Calls []Call
	// Accepted are the cycles taken from Message.Available; the balance has them.
	Accepted cycles.Amount
	// Burned are the cycles burned with ic0.cycles_burn128; Consumed.Burned has them.
	Burned cycles.Amount
	// Minted are the cycles made with ic0.mint_cycles128; the balance has them.
	Minted cycles.Amount
	// Instructions is what the message is charged for: what it ran, with dirty pages, at most
	// the limit.
	Instructions uint64
	// DirtyPages is the number of 4 KiB pages of the heap that changed.
	DirtyPages int
	// HeapDelta is how many bytes of both memories changed, in whole pages. It is counted where the subnet limits it.
	HeapDelta uint64
	// AcceptedIngress is set where canister_inspect_message accepted.
	AcceptedIngress bool
	// Cleaned is set where a callback failed and its cleanup closure ran to its end: the canister
	// has what that changed, and Failure is the callback's.
	Cleaned bool
	// Logs is how many records the message added to the log.
	Logs int
}

// Call is a call made by a message: what the replica registers and sends.
type Call = ic0.Call
