package management

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// authority is who may call a method about a canister.
type authority uint8

const (
	anyone authority = iota
	controllers
	statusViewers   // by status_visibility
	snapshotViewers // by snapshot_visibility
)

// admit checks the sender of a user's message; the texts differ from those in a
// round.
func (a authority) admit(r *state.Resident, method string, caller principal.Principal) *intercanister.Reject {
	switch a {
	case controllers:
		if !r.Controls(caller) {
			return rejectOnlyControllers(r.ID(), method)
		}
	case statusViewers:
		v := r.Canister.Settings.StatusVisibility
		if !v.Allows(caller, r.Canister.Settings.Controllers) {
			if v.Kind == canister.OnlyControllers {
				return rejectOnlyControllers(r.ID(), method)
			}
			return rejectStatusDenied(caller)
		}
	case snapshotViewers:
		v := r.Canister.Settings.SnapshotVisibility
		if !v.Allows(caller, r.Canister.Settings.Controllers) {
			if v.Kind == canister.OnlyControllers {
				return rejectOnlyControllers(r.ID(), method)
			}
			return rejectSnapshotsDenied(caller, method)
		}
	}
	return nil
}

// mustControl lets only controllers pass.
func mustControl(r *state.Resident, caller principal.Principal) *intercanister.Reject {
	if r.Controls(caller) {
		return nil
	}
	return rejectController(r, caller)
}

// mustOwn lets controllers and the canister itself pass.
func mustOwn(r *state.Resident, caller principal.Principal) *intercanister.Reject {
	if caller == r.ID() {
		return nil
	}
	return mustControl(r, caller)
}

// maySeeStatus lets pass whom status_visibility names, and the canister itself.
func maySeeStatus(r *state.Resident, caller principal.Principal) *intercanister.Reject {
	v := r.Canister.Settings.StatusVisibility
	if caller == r.ID() || v.Allows(caller, r.Canister.Settings.Controllers) {
		return nil
	}
	if v.Kind == canister.OnlyControllers {
		return rejectController(r, caller)
	}
	return rejectStatusDenied(caller)
}

// mayReadLogs lets pass whom log_visibility names.
func mayReadLogs(r *state.Resident, caller principal.Principal) *intercanister.Reject {
	if r.Canister.Settings.LogVisibility.Allows(caller, r.Canister.Settings.Controllers) {
		return nil
	}
	return rejectLogsDenied(caller)
}

// topology is the machine's knowledge of where canisters live.
type topology interface {
	// SubnetOf is the subnet that hosts a canister id.
	SubnetOf(id principal.Principal) (subnet principal.Principal, ok bool)
	// Root is the root subnet.
	Root() principal.Principal
}

// checkNear lets only callers of this subnet and of the root subnet pass.
func checkNear(c *state.Command) *intercanister.Reject {
	if c.FromUser() || c.Sender != nil {
		return nil
	}
	net, ok := c.Machine.(topology)
	if !ok {
		return rejectFar(c.Method, principal.Principal{})
	}
	subnet, found := net.SubnetOf(c.Caller)
	if found && (subnet == c.State.ID || subnet == net.Root()) {
		return nil
	}
	return rejectFar(c.Method, subnet)
}

// controlled is the canister a call is about, for callers that must control it.
func controlled(c *state.Command, id principal.Principal) (*state.Resident, *intercanister.Reject) {
	r := c.State.Residents.Get(id)
	if r == nil {
		return nil, rejectNotFound(id)
	}
	return r, mustControl(r, c.Caller)
}

// owned is the canister a call is about, for callers that control or are it.
func owned(c *state.Command, id principal.Principal) (*state.Resident, *intercanister.Reject) {
	r := c.State.Residents.Get(id)
	if r == nil {
		return nil, rejectNotFound(id)
	}
	return r, mustOwn(r, c.Caller)
}
