package management

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
)

// The Candid types of the methods for snapshots. Those that their callers need as well are in candid/management.

type (
	snapshotArg               management.SnapshotOf
	readSnapshotArg           management.ReadSnapshotData
	uploadSnapshotMetadataArg management.UploadSnapshotMetadata
	uploadSnapshotDataArg     management.UploadSnapshotData

	// snapshotResult is snapshot.
	snapshotResult = management.Snapshot
	snapshotData   = management.SnapshotData
	snapshotID     = management.SnapshotID
	snapshotSlice  = management.SnapshotRange
	snapshotPlace  = management.SnapshotPlace
	global         = management.SnapshotGlobal
	globalTimer    = management.SnapshotTimer
	hookStatus     = management.SnapshotHook
)

type takeSnapshotArg struct {
	Canister  principal.Principal `ic:"canister_id"`
	Replace   *[]byte             `ic:"replace_snapshot"`
	Uninstall *bool               `ic:"uninstall_code"`
	Version   *uint64             `ic:"sender_canister_version"`
}

type loadSnapshotArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Snapshot []byte              `ic:"snapshot_id"`
	Version  *uint64             `ic:"sender_canister_version"`
}

// snapshotMetadata is the result of read_canister_snapshot_metadata.
type snapshotMetadata struct {
	Source     snapshotSource `ic:"source"`
	Taken      uint64         `ic:"taken_at_timestamp"`
	ModuleSize uint64         `ic:"wasm_module_size"`
	Globals    []global       `ic:"globals"`
	HeapSize   uint64         `ic:"wasm_memory_size"`
	StableSize uint64         `ic:"stable_memory_size"`
	Chunks     []chunkHash    `ic:"wasm_chunk_store"`
	Version    uint64         `ic:"canister_version"`
	Certified  []byte         `ic:"certified_data"`
	Timer      *globalTimer   `ic:"global_timer"`
	Hook       *hookStatus    `ic:"on_low_wasm_memory_hook_status"`
}

func (a *takeSnapshotArg) bounds() error           { return snapshotIDBounds(a.Replace) }
func (a *uploadSnapshotMetadataArg) bounds() error { return snapshotIDBounds(a.Replace) }
func (a *loadSnapshotArg) bounds() error           { return snapshotIDBounds(&a.Snapshot) }
func (a *snapshotArg) bounds() error               { return snapshotIDBounds(&a.Snapshot) }
func (a *readSnapshotArg) bounds() error           { return snapshotIDBounds(&a.Snapshot) }
func (a *uploadSnapshotDataArg) bounds() error     { return snapshotIDBounds(&a.Snapshot) }

// snapshotIDBounds checks the length of a snapshot id, which is part of its type. Both texts name the longest id.
func snapshotIDBounds(id *[]byte) error {
	if id == nil {
		return nil
	}
	const longest = snapshotNumberBytes + principal.MaxLen
	bound := "minumum" //nolint:misspell // the replica writes it so
	switch n := len(*id); {
	case n > longest:
		bound = "maximum"
	case n >= snapshotNumberBytes:
		return nil
	}
	return fmt.Errorf("Custom(Invalid length of SnapshotId: Invalid snapshot ID length: provided %d, %s length expected %d. test a change)", len(*id), bound, longest)
}

// deadlineOf returns the time of a timer: 0 for one that is inactive, nil for none.
func deadlineOf(t *globalTimer) *uint64 {
	switch {
	case t == nil:
		return nil
	case t.Active != nil:
		return t.Active
	}
	return new(uint64)
}

func timerOf(at *uint64) *globalTimer {
	switch {
	case at == nil:
		return nil
	case *at == 0:
		return &globalTimer{Inactive: null}
	}
	return &globalTimer{Active: at}
}

// statusOfHook returns the state of a hook, nil for none.
func statusOfHook(h *hookStatus) *canister.Hook {
	hook := canister.HookNotSatisfied
	switch {
	case h == nil:
		return nil
	case h.Ready != nil:
		hook = canister.HookReady
	case h.Executed != nil:
		hook = canister.HookExecuted
	}
	return &hook
}

func hookOf(hook *canister.Hook) *hookStatus {
	if hook == nil {
		return nil
	}
	switch *hook {
	case canister.HookReady:
		return &hookStatus{Ready: null}
	case canister.HookExecuted:
		return &hookStatus{Executed: null}
	}
	return &hookStatus{NotSatisfied: null}
}
