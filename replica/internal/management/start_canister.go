package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// startCanister is start_canister. The version goes up even where the canister
// runs already.
func startCanister(c *state.Command, a *idArg) state.Answer {
	r, reject := governed(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	r.Canister.Version++
	c.Host.Start(r)
	return reply()
}
