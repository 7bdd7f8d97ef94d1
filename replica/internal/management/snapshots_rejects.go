package management

import (
	"fmt"
	"strings"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

const seeSnapshots = "Use the `list_canister_snapshot` API to see which snapshots are present."

// unlinked returns advice whose page has no address.
func unlinked(advice, page string) string { return "\n" + advice + " See documentation: " + page }

func rejectNoSnapshot(id snapshotName, of principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterSnapshotNotFound, "Could not find the snapshot ID %s for canister %s.%s", id, of,
		help(seeSnapshots, "canister-snapshot-not-found"))
}

func rejectForeignSnapshot(id snapshotName, of principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "The snapshot %s does not belong to canister %s.%s", id, of,
		help(seeSnapshots, "canister-snapshot-invalid-ownership"))
}

func rejectSnapshotController(id snapshotName, target, sender principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage,
		"Only a controller of the canister that snapshot %s belongs to can load it on canister %s. Sender: %s.%s", id, target, sender,
		unlinked("Make sure you are a controller of the canister that the snapshot belongs to.", "canister-snapshot-not-controller"))
}

func rejectSnapshotOfEmpty(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Failed to create snapshot for empty canister %s:", id)
}

func rejectTooManySnapshots(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Canister %s has reached the maximum number of snapshots allowed: %d.%s", id, MaxSnapshots,
		unlinked("Consider deleting an unnecessary snapshot of the specified canister before creating a new one.", "canister-snapshot-limit-exceeded"))
}

func rejectSnapshotCycles(cause *intercanister.Reject) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterOutOfCycles, "Canister snapshotting failed with: `%s`%s", cause.Text,
		unlinked("Try sending more cycles with the request.", "canister-snapshot-not-enough-cycles"))
}

func rejectSnapshotImmutable() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterSnapshotImmutable, "Only canister snapshots created by metadata upload can be mutated.")
}

func rejectSlice(offset, size uint64) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload,
		"Invalid subslice into wasm module / main memory / stable memory: offset: %d, size: %d", offset, size)
}

func rejectSliceSize(size uint64) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload, "Requested slice too large: %d > %d", size, MaxSliceBytes)
}

func rejectSnapshotMetadata(what string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload, "Snapshot Metadata contains invalid data: %s", what)
}

func rejectSnapshotGlobals() *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload, "Wasm exported globals of canister module and snapshot metadata do not match.")
}

// rejectSnapshotHeap has no counterpart in the replica, which fails when the code runs.
func rejectSnapshotHeap(size uint64) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.InvalidManagementPayload, "Wasm memory of canister module cannot have the size of the snapshot metadata: %d.", size)
}

func rejectSnapshotHook(hook canister.Hook, condition bool) *intercanister.Reject {
	name := [...]string{"ConditionNotSatisfied", "Ready", "Executed"}[hook]
	return intercanister.Rejectf(intercanister.InvalidManagementPayload,
		"Hook status (Some(%s)) of uploaded snapshot is inconsistent with the canister's state (hook condition satisfied: %t).", name, condition)
}

func rejectSnapshotsDenied(caller principal.Principal, method string) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterRejectedMessage, "Caller %s is not allowed to call %s", caller, method)
}

func rejectHeapDelta(id principal.Principal, debit, limit uint64) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterHeapDeltaRateLimited,
		"Canister %s is heap delta rate limited: current delta debit is %d, but limit is %d.%s", id, debit, limit,
		help("Try waiting a few seconds before retrying the operation.", "canister-heap-delta-rate-limited"))
}

func rejectChunkHeapDelta(debit, limit uint64) *intercanister.Reject {
	return rejectChunkStore("Canister is heap delta rate limited. Current delta debit: %d, limit: %d", debit, limit)
}

func rejectInstallRate(id principal.Principal) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterInstallCodeRateLimited,
		"Canister %s is rate limited because it executed too many instructions in the previous install_code messages. Please retry installation after several minutes.%s", id,
		help("Retry the installation at a later time.", "install-code-rate-limited"))
}

// rejectFullDisk rejects if the file with the memories has no room, for which the replica has no text.
func rejectFullDisk(r *state.Entry, err error) *intercanister.Reject {
	return intercanister.Rejectf(intercanister.CanisterWasmEngineError, "Error from Canister %s: Canister encountered a Wasm engine error: %v", r.ID(), err)
}

// hexBytes formats bytes as the replica prints them with two digits each: [0a, ff].
func hexBytes(raw []byte) string {
	digits := make([]string, len(raw))
	for i, b := range raw {
		digits[i] = fmt.Sprintf("%02x", b)
	}
	return "[" + strings.Join(digits, ", ") + "]"
}
