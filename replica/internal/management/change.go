package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// originOf returns the origin of a change, with the given sender_canister_version.
func originOf(c *state.ManagementCall, version *uint64) canister.ChangeOrigin {
	if c.FromUser() {
		return canister.ChangeOrigin{Principal: c.Caller}
	}
	return canister.ChangeOrigin{Principal: c.Caller, FromCanister: true, Version: version}
}

// record adds a change to a canister's history, with the version after the change.
func record(c *state.ManagementCall, r *state.Entry, version *uint64, d canister.ChangeDetails) {
	r.Canister.History.Add(canister.Change{Time: c.State.Time, Version: r.Canister.Version, Origin: originOf(c, version), Details: d})
}

// changeOf returns a change of the history as canister_info shows it.
func changeOf(h *canister.Change) change {
	out := change{Time: h.Time, Version: h.Version, Details: detailsOf(h.Details)}
	if h.Origin.FromCanister {
		out.Origin.Canister = &originCanister{h.Origin.Principal, h.Origin.Version}
	} else {
		out.Origin.User = &originUser{h.Origin.Principal}
	}
	return out
}

func detailsOf(d canister.ChangeDetails) (out details) {
	switch d := d.(type) {
	case canister.Creation:
		out.Creation = &creation{Controllers: d.Controllers}
		if d.EnvironmentHash != nil {
			hash := d.EnvironmentHash[:]
			out.Creation.EnvironmentHash = &hash
		}
	case canister.Uninstallation:
		out.Uninstall = null
	case canister.Deployment:
		out.Deployment = &deployment{plainModeOf(d.Mode), d.Hash[:]}
	case canister.SnapshotLoad:
		out.Snapshot = &snapshotLoad{From: d.From, Snapshot: d.Snapshot, Version: d.Version, TakenAt: d.TakenAt}
		out.Snapshot.Source = sourceOf(d.Uploaded)
	case canister.ControllersChange:
		out.Controllers = &controllersChange{d.Controllers}
	case canister.Renaming:
		out.Rename = &renaming{d.From, d.FromTotal, renamedTo{d.To, d.ToVersion, d.ToTotal}, d.RequestedBy}
	default:
		panic("management: a change in the history that the interface has no word for")
	}
	return out
}

func plainModeOf(m canister.InstallMode) (out plainMode) {
	switch m {
	case canister.InstallFresh:
		out.Install = null
	case canister.Reinstall:
		out.Reinstall = null
	case canister.Upgrade:
		out.Upgrade = null
	}
	return out
}
