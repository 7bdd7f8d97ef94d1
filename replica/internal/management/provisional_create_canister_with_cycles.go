package management

import (
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// provisionalCreate is provisional_create_canister_with_cycles: a canister with
// cycles out of nothing, without a fee, with a chosen id where one is given.
func provisionalCreate(c *state.Command, a *provisionalCreateArg) state.Answer {
	balance := cycles.Of(DefaultProvisionalBalance)
	if a.Amount != nil {
		var ok bool
		if balance, ok = amountOf(*a.Amount); !ok {
			return state.Fail(rejectAmount(*a.Amount))
		}
	}
	if a.Specified != nil && c.State.Ids.Allocates(*a.Specified) {
		return state.Fail(rejectSpecifiedID(*a.Specified))
	}
	r, reject := create(c, a.Specified, a.Settings, balance, a.Version)
	if reject != nil {
		return state.Fail(reject)
	}
	c.State.Books.Mint(balance)
	return reply(idArg{r.ID()})
}
