package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// depositCycles is deposit_cycles: all cycles of the call go to the canister.
func depositCycles(c *state.Command, a *idArg) state.Answer {
	r := c.State.Canisters.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectNotFound(a.Canister))
	}
	r.Give(c.Accept(c.Attached))
	return reply()
}
