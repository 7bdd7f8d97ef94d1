package canister

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
)

// History is the canister's history (interface specification, "Canister history"): the newest MaxHistory changes, and
// the total number of changes.
type History struct {
	Total uint64
	kept  *changes // nil if empty; replaced by a copy and never written, because forks and queries share it
}

// changes is the content of a history.
type changes struct {
	list  []Change // cached sum over all changes: each message needs it, and changes are rare
	bytes uint64   // of all: each message asks for it, a change is rare
}

// Change is one entry of the history.
type Change struct {
	Time    uint64 // ns
	Version uint64 // of the canister after the change
	Origin  ChangeOrigin
	Details ChangeDetails
}

// ChangeOrigin says who made a change.
type ChangeOrigin struct {
	Principal    principal.Principal
	FromCanister bool
	Version      *uint64 // if FromCanister: the sender_canister_version of the call, or nil
}

// ChangeDetails says what was changed: one of Creation, Uninstallation,
// Deployment, SnapshotLoad, ControllersChange, Renaming.
type ChangeDetails interface{ change() }

// Creation is the creation of the canister.
type Creation struct {
	Controllers     []principal.Principal
	EnvironmentHash *[32]byte // of the map of names to values; nil without variables
}

// Uninstallation is the removal of the code.
type Uninstallation struct{}

// Deployment is an installation of code.
type Deployment struct {
	Mode InstallMode
	Hash [32]byte // of the module as uploaded
}

// SnapshotLoad is the loading of a snapshot.
type SnapshotLoad struct {
	From     *principal.Principal // the other canister that it was taken from, or nil
	Snapshot []byte
	Version  uint64 // of the canister when the snapshot was taken
	TakenAt  uint64 // ns
	Uploaded bool   // it was uploaded, not taken
}

// ControllersChange is a change of the controllers.
type ControllersChange struct{ Controllers []principal.Principal }

// Renaming is the migration of the canister to another id.
type Renaming struct {
	From        principal.Principal
	FromTotal   uint64
	To          principal.Principal
	ToVersion   uint64
	ToTotal     uint64
	RequestedBy principal.Principal
}

func (Creation) change()          {}
func (Uninstallation) change()    {}
func (Deployment) change()        {}
func (SnapshotLoad) change()      {}
func (ControllersChange) change() {}
func (Renaming) change()          {}

// Add adds a change, and drops the oldest one if there are too many.
func (h *History) Add(c Change) {
	h.Total++
	old, bytes := h.Changes(), h.Bytes()+c.bytes()
	if len(old) == MaxHistory {
		bytes -= old[0].bytes()
		old = old[1:]
	}
	h.kept = &changes{append(slices.Clip(old), c), bytes}
}

// Changes returns the changes that are kept, oldest first. The caller must not write them.
func (h *History) Changes() []Change {
	if h.kept == nil {
		return nil
	}
	return h.kept.list
}

// Recent returns the newest n changes, oldest first, or all if there are fewer.
func (h *History) Recent(n uint64) []Change {
	all := h.Changes()
	return all[uint64(len(all))-min(n, uint64(len(all))):]
}

// Drop drops all changes but keeps their number, as for a canister that runs out of cycles.
func (h *History) Drop() { h.kept = nil }

// Bytes returns the memory that the history is billed for.
func (h *History) Bytes() uint64 {
	if h.kept == nil {
		return 0
	}
	return h.kept.bytes
}

// changeBytes is what the replica counts for a change in addition to lists of principals.
const changeBytes = 104

func (c *Change) bytes() uint64 {
	n := 0
	switch d := c.Details.(type) {
	case Creation:
		n = len(d.Controllers)
	case ControllersChange:
		n = len(d.Controllers)
	}
	return changeBytes + uint64(n)*(principal.MaxLen+1)
}
