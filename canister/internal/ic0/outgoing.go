package ic0

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Call is a call a message made. Its request lacks the call's id, which the
// ledger gives; Deadline is set for a best-effort call.
type Call struct {
	intercanister.Request
	Reply, Reject intercanister.Closure
	Cleanup       *intercanister.Closure // nil for none
	// Execution is prepaid for running the callback, Transmission for carrying the response. What
	// carrying the request costs is paid and gone.
	Execution, Transmission cycles.Amount
}

// pending is a call under construction.
type pending struct {
	Call
	timeout bool // call_with_best_effort_response was called
	seconds uint32
}
