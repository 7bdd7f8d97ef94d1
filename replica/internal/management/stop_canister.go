package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// stopCanister implements stop_canister. It answers when the canister has stopped, at once if it already has. Every
// call increases the version.
func stopCanister(c *state.ManagementCall, a *idArg) state.Answer {
	r := c.State.Canisters.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectGone(a.Canister))
	}
	if reject := mustGovern(c, r); reject != nil {
		return state.Fail(reject)
	}
	r.Canister.Version++
	if r.Canister.Status == canister.Stopped {
		return reply()
	}
	return state.Later().After(state.StopCanister, r)
}
