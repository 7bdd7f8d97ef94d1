package ic0

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Call is a call a message made.
type Call struct {
	// Request lacks Call: the id is given by the ledger. Deadline is set for a
	// best-effort call.
	Request       intercanister.Request
	Reply, Reject intercanister.Closure
	Cleanup       *intercanister.Closure // nil for none
	// Execution is prepaid for running the callback, Transmission for carrying
	// the response. The request's own transmission is paid and gone: Sent.
	Execution, Transmission, Sent cycles.Amount
}
