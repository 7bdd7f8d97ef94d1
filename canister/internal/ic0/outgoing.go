package ic0

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Call is a call that a message made. The ledger later adds the id to its request; Deadline is set for a best-effort
// call.
type Call struct {
	intercanister.Request
	Reply, Reject intercanister.Closure
	Cleanup       *intercanister.Closure // or nil
	// Execution is prepaid for running the callback, Transmission for sending the response. The cost of sending the
	// request is already paid.
	Execution, Transmission cycles.Amount
}

// pending is a call under construction.
type pending struct {
	Call
	timeout bool // call_with_best_effort_response was called
	seconds uint32
}

// callees counts the calls of a message by callee. Most messages call only one canister, which needs no map.
type callees struct {
	first  principal.Principal
	calls  int                         // to the first
	others map[principal.Principal]int // nil if there are none
}

// to returns the number of calls to a callee.
func (c *callees) to(callee principal.Principal) int {
	if c.calls > 0 && callee == c.first {
		return c.calls
	}
	return c.others[callee]
}

func (c *callees) add(callee principal.Principal) {
	switch {
	case c.calls == 0:
		c.first, c.calls = callee, 1
	case callee == c.first:
		c.calls++
	case c.others == nil:
		c.others = map[principal.Principal]int{callee: 1}
	default:
		c.others[callee]++
	}
}
