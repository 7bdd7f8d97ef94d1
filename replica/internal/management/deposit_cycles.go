package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// depositCycles implements deposit_cycles: the canister receives all cycles of the call.
func depositCycles(c *state.ManagementCall, a *idArg) state.Answer {
	r := c.State.Canisters.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectNotFound(a.Canister))
	}
	r.Give(c.Accept(c.Attached))
	return reply()
}
