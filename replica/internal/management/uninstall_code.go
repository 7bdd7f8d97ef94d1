package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// uninstallCode implements uninstall_code: it removes code, memories and open calls; settings and balance stay. An
// empty canister may be uninstalled, too.
func uninstallCode(c *state.ManagementCall, a *versionedArg) state.Answer {
	r := c.State.Canisters.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectGone(a.Canister))
	}
	if reject := mustGovern(c, r); reject != nil && c.Caller != governance {
		return state.Fail(reject)
	}
	if r.Running {
		return state.WhenIdle(r)
	}
	// The change comes first: without its contexts the canister may become stopped, which is the next version.
	r.Canister.Version++
	record(c, r, a.Version, canister.Uninstallation{})
	return reply().After(state.UninstallCode, r)
}
