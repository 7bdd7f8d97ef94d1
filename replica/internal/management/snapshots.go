package management

import (
	"encoding/binary"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// snapshotMethods returns the methods for snapshots of canisters.
func snapshotMethods() []method {
	return []method{
		withHandler(method{name: "take_canister_snapshot", result: of[snapshotResult](), authority: controllers, about: canisterID, versioned: true}, read, takeSnapshot),
		withHandler(method{name: "load_canister_snapshot", authority: controllers, about: canisterID, versioned: true}, read, loadSnapshot),
		withHandler(method{name: "read_canister_snapshot_metadata", result: of[snapshotMetadata](), authority: snapshotViewers, about: canisterID}, read, readSnapshotMetadata),
		withHandler(method{name: "read_canister_snapshot_data", result: of[snapshotData](), authority: snapshotViewers, about: canisterID}, read, readSnapshotData),
		withHandler(method{name: "upload_canister_snapshot_metadata", result: of[snapshotID](), authority: controllers, about: canisterID}, read, uploadSnapshotMetadata),
		withHandler(method{name: "upload_canister_snapshot_data", authority: controllers, about: canisterID}, read, uploadSnapshotData),
		withHandler(method{name: "list_canister_snapshots", result: of[[]snapshotResult](), authority: snapshotViewers, about: canisterID}, read, listSnapshots),
		withHandler(method{name: "delete_canister_snapshot", authority: controllers, about: canisterID}, read, deleteSnapshot),
	}
}

// snapshotName is a parsed snapshot id: a number among the snapshots of a canister, and the canister.
type snapshotName struct {
	of     principal.Principal
	number uint64
}

// snapshotNumberBytes is the length of the number in a snapshot id, which comes first, in network order.
const snapshotNumberBytes = 8

// nameOf parses a snapshot id. Its length was checked.
func nameOf(id []byte) snapshotName {
	of, err := principal.FromBytes(id[snapshotNumberBytes:])
	if err != nil {
		panic(fmt.Errorf("management: a snapshot id of %d bytes: %w", len(id), err))
	}
	return snapshotName{of, binary.BigEndian.Uint64(id)}
}

func idOf(r *state.Entry, s *canister.Snapshot) []byte {
	id := binary.BigEndian.AppendUint64(nil, s.Number)
	return r.ID().Append(id)
}

// String returns the form in the replica's texts.
func (n snapshotName) String() string { return fmt.Sprintf("%s-%d", n.of, n.number) }

// snapshotOf returns the snapshot of a canister with an id.
func snapshotOf(c *state.ManagementCall, r *state.Entry, id []byte) (*canister.Snapshot, *intercanister.Reject) {
	name := nameOf(id)
	owner := c.State.Canisters.Get(name.of)
	if owner == nil || owner.Canister.Snapshots.Get(name.number) == nil {
		return nil, rejectNoSnapshot(name, r.ID())
	}
	if owner != r {
		return nil, rejectForeignSnapshot(name, r.ID())
	}
	return r.Canister.Snapshots.Get(name.number), nil
}

// replaced returns the snapshot that a new one replaces, nil if it replaces none: then there must be room for another.
func replaced(c *state.ManagementCall, r *state.Entry, id *[]byte) (*canister.Snapshot, *intercanister.Reject) {
	if id != nil {
		return snapshotOf(c, r, *id)
	}
	if r.Canister.Snapshots.Len() >= MaxSnapshots {
		return nil, rejectTooManySnapshots(r.ID())
	}
	return nil, nil
}

// viewed returns the canister that a call is about, for callers that may see its snapshots.
func viewed(c *state.ManagementCall, id principal.Principal) (*state.Entry, *intercanister.Reject) {
	r := c.State.Canisters.Get(id)
	if r == nil {
		return nil, rejectNotFound(id)
	}
	set := r.Canister.Settings
	if !set.SnapshotVisibility.Allows(c.Caller, set.Controllers) {
		return nil, rejectSnapshotsDenied(c.Caller, c.Method)
	}
	return r, nil
}

// addSnapshot adds a new snapshot to the canister in place of another, and charges for it.
func addSnapshot(c *state.ManagementCall, r *state.Entry, s, old *canister.Snapshot, o *costPlan) {
	if old != nil {
		r.Canister.Snapshots.Delete(old)
	}
	o.charge(r)
	owe(c, r, s.HeapDelta)
	r.Canister.Snapshots.Add(s)
}

// snapshotBytes returns the billed size of a snapshot, 0 if there is none.
func snapshotBytes(s *canister.Snapshot) uint64 {
	if s == nil {
		return 0
	}
	return s.Bytes()
}

func sourceOf(uploaded bool) (out snapshotSource) {
	if uploaded {
		out.Uploaded = reserved
	} else {
		out.Taken = reserved
	}
	return out
}
