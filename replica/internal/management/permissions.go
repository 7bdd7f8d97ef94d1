package management

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// authority determines who may call a method about a canister.
type authority uint8

const (
	anyone authority = iota
	controllers
	controllersAndAdmins // of the canister, and of the subnet
	statusViewers        // by status_visibility
	snapshotViewers      // by snapshot_visibility
)

// governance is the canister that may uninstall any canister: an id of mainnet.
var governance = principal.Canister(1)

// admit checks the sender of a user's message, before it enters. If only controllers may call, the text differs from
// that in a round.
func (a authority) admit(c *state.ManagementCall, r *state.Entry) *intercanister.Reject {
	switch a {
	case controllers:
		if !r.Controls(c.Caller) {
			return rejectOnlyControllers(r.ID(), c.Method)
		}
	case controllersAndAdmins:
		return mustGovern(c, r)
	case statusViewers:
		return maySeeStatus(c, r)
	case snapshotViewers:
		v := r.Canister.Settings.SnapshotVisibility
		if !v.Allows(c.Caller, r.Canister.Settings.Controllers) {
			if v.Kind == canister.OnlyControllers {
				return rejectOnlyControllers(r.ID(), c.Method)
			}
			return rejectSnapshotsDenied(c.Caller, c.Method)
		}
	}
	return nil
}

// mustControl admits only controllers.
func mustControl(r *state.Entry, caller principal.Principal) *intercanister.Reject {
	if r.Controls(caller) {
		return nil
	}
	return rejectController(r, caller)
}

// mustOwn admits controllers and the canister itself.
func mustOwn(r *state.Entry, caller principal.Principal) *intercanister.Reject {
	if caller == r.ID() {
		return nil
	}
	return mustControl(r, caller)
}

// mustGovern admits controllers and subnet admins.
func mustGovern(c *state.ManagementCall, r *state.Entry) *intercanister.Reject {
	switch {
	case r.Controls(c.Caller) || isAdmin(c):
		return nil
	case c.State.Administered:
		return rejectNeither(r, c)
	}
	return rejectController(r, c.Caller)
}

// isAdmin reports whether the caller is an admin of the subnet.
func isAdmin(c *state.ManagementCall) bool { return slices.Contains(c.State.Admins, c.Caller) }

// mustAdmin admits only subnet admins.
func mustAdmin(c *state.ManagementCall) *intercanister.Reject {
	if isAdmin(c) {
		return nil
	}
	return rejectAdmin(c)
}

// maySeeStatus admits callers by status_visibility, subnet admins, and the canister itself.
func maySeeStatus(c *state.ManagementCall, r *state.Entry) *intercanister.Reject {
	v := r.Canister.Settings.StatusVisibility
	if c.Caller == r.ID() || isAdmin(c) || v.Allows(c.Caller, r.Canister.Settings.Controllers) {
		return nil
	}
	return rejectStatusDenied(c.Caller)
}

// mayReadLogs admits callers by log_visibility.
func mayReadLogs(r *state.Entry, caller principal.Principal) *intercanister.Reject {
	if r.Canister.Settings.LogVisibility.Allows(caller, r.Canister.Settings.Controllers) {
		return nil
	}
	return rejectLogsDenied(caller)
}

// checkNear admits only callers of this subnet and of the root subnet.
func checkNear(c *state.ManagementCall) *intercanister.Reject {
	if c.FromUser() || c.Sender != nil {
		return nil
	}
	subnet, found := c.Host.SubnetOf(c.Caller)
	if found && (subnet == c.State.ID || subnet == c.Host.Root()) {
		return nil
	}
	return rejectFar(subnet)
}

// controlled returns the canister that a call is about, for callers that must control it.
func controlled(c *state.ManagementCall, id principal.Principal) (*state.Entry, *intercanister.Reject) {
	r := c.State.Canisters.Get(id)
	if r == nil {
		return nil, rejectNotFound(id)
	}
	return r, mustControl(r, c.Caller)
}

// owned returns the canister that a call is about, for callers that control or are it.
func owned(c *state.ManagementCall, id principal.Principal) (*state.Entry, *intercanister.Reject) {
	r := c.State.Canisters.Get(id)
	if r == nil {
		return nil, rejectNotFound(id)
	}
	return r, mustOwn(r, c.Caller)
}

// controlledCanister returns the canister that a call is about, for callers that control it or are admins of the subnet.
func controlledCanister(c *state.ManagementCall, id principal.Principal) (*state.Entry, *intercanister.Reject) {
	r := c.State.Canisters.Get(id)
	if r == nil {
		return nil, rejectNotFound(id)
	}
	return r, mustGovern(c, r)
}
