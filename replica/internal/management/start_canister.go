package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// startCanister implements start_canister. It increases the version even if the canister is running.
func startCanister(c *state.ManagementCall, a *idArg) state.Answer {
	r, reject := controlledCanister(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	r.Canister.Version++
	return reply().After(state.StartCanister, r)
}
