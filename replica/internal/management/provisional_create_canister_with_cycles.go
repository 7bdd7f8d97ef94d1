package management

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// provisionalCreate implements provisional_create_canister_with_cycles: a canister with newly created cycles, without a
// fee, with a chosen id if one is given.
func provisionalCreate(c *state.ManagementCall, a *provisionalCreateArg) state.Answer {
	settings, reject := a.Settings.parse(canister.DefaultSettings(c.Caller))
	if reject != nil {
		return state.Fail(reject)
	}
	balance := provisionalAmount(a.Amount)
	r, reject := create(c, &newCanister{id: a.Specified, given: a.Settings, settings: settings, balance: balance, version: a.Version})
	if reject != nil {
		return state.Fail(reject)
	}
	c.State.Totals.Mint(balance)
	return reply(idArg{r.ID()})
}

// provisionalAmount returns the number of cycles that a provisional method creates. As on the replica, an amount of
// more than 128 bits is ignored.
func provisionalAmount(given *candid.Nat) cycles.Amount {
	if given != nil {
		if amount, ok := amountOf(*given); ok {
			return amount
		}
	}
	return cycles.Of(DefaultProvisionalBalance)
}
