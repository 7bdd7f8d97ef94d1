package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// canisterInfo implements canister_info: the public information about a canister, with the requested number of the
// newest changes.
func canisterInfo(c *state.ManagementCall, a *infoArg) state.Answer {
	r := c.State.Canisters.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectNotFound(a.Canister))
	}
	k := r.Canister
	out := infoResult{Total: k.History.Total, Module: moduleHash(k), Controllers: k.Settings.Controllers}
	if a.Changes != nil {
		recent := k.History.Recent(*a.Changes)
		for i := range recent {
			out.Recent = append(out.Recent, changeOf(&recent[i]))
		}
	}
	return reply(out)
}
