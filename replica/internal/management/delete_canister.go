package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// deleteCanister implements delete_canister: it removes a stopped canister permanently, with its cycles.
func deleteCanister(c *state.ManagementCall, a *idArg) state.Answer {
	if c.Caller == a.Canister {
		return state.Fail(rejectDeleteSelf(a.Canister))
	}
	r := c.State.Canisters.Get(a.Canister)
	if r == nil {
		return state.Fail(rejectGone(a.Canister))
	}
	if reject := mustGovern(c, r); reject != nil {
		return state.Fail(reject)
	}
	switch {
	case r.Canister.Status != canister.Stopped:
		return state.Fail(rejectNotStopped(a.Canister))
	case r.Running:
		return state.WhenIdle(r)
	case r.Mailbox.Len() > 0 || r.Outgoing > 0:
		return state.Fail(rejectQueueNotEmpty(a.Canister))
	}
	return reply().After(state.DeleteCanister, r)
}
