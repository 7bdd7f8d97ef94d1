package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// provisionalTopUp implements provisional_top_up_canister: newly created cycles, for any canister and any caller.
func provisionalTopUp(c *state.ManagementCall, a *topUpArg) state.Answer {
	r := c.State.Canisters.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectNotFound(a.Canister))
	}
	amount := provisionalAmount(&a.Amount)
	r.Give(amount)
	c.State.Totals.Mint(amount)
	return reply()
}
