package management

import (
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
)

// The Candid types of the methods for snapshots.

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

type snapshotArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Snapshot []byte              `ic:"snapshot_id"`
}

// snapshotResult is snapshot.
type snapshotResult struct {
	ID    []byte `ic:"id"`
	Taken uint64 `ic:"taken_at_timestamp"`
	Size  uint64 `ic:"total_size"`
}

type readSnapshotArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Snapshot []byte              `ic:"snapshot_id"`
	Kind     snapshotSlice       `ic:"kind"`
}

type snapshotSlice struct {
	Module *slice     `ic:"wasm_module,variant"`
	Heap   *slice     `ic:"wasm_memory,variant"`
	Stable *slice     `ic:"stable_memory,variant"`
	Chunk  *chunkHash `ic:"wasm_chunk,variant"`
}

type slice struct {
	Offset uint64 `ic:"offset"`
	Size   uint64 `ic:"size"`
}

type snapshotData struct {
	Chunk []byte `ic:"chunk"`
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

type uploadSnapshotMetadataArg struct {
	Canister   principal.Principal `ic:"canister_id"`
	Replace    *[]byte             `ic:"replace_snapshot"`
	ModuleSize uint64              `ic:"wasm_module_size"`
	Globals    []global            `ic:"globals"`
	HeapSize   uint64              `ic:"wasm_memory_size"`
	StableSize uint64              `ic:"stable_memory_size"`
	Certified  []byte              `ic:"certified_data"`
	Timer      *globalTimer        `ic:"global_timer"`
	Hook       *hookStatus         `ic:"on_low_wasm_memory_hook_status"`
}

type snapshotID struct {
	ID []byte `ic:"snapshot_id"`
}

type uploadSnapshotDataArg struct {
	Canister principal.Principal `ic:"canister_id"`
	Snapshot []byte              `ic:"snapshot_id"`
	Kind     snapshotPlace       `ic:"kind"`
	Chunk    []byte              `ic:"chunk"`
}

type snapshotPlace struct {
	Module *place       `ic:"wasm_module,variant"`
	Heap   *place       `ic:"wasm_memory,variant"`
	Stable *place       `ic:"stable_memory,variant"`
	Chunk  *candid.Null `ic:"wasm_chunk,variant"`
}

type place struct {
	Offset uint64 `ic:"offset"`
}

type global struct {
	I32  *int32      `ic:"i32,variant"`
	I64  *int64      `ic:"i64,variant"`
	F32  *float32    `ic:"f32,variant"`
	F64  *float64    `ic:"f64,variant"`
	V128 *candid.Nat `ic:"v128,variant"`
}

type globalTimer struct {
	Inactive *candid.Null `ic:"inactive,variant"`
	Active   *uint64      `ic:"active,variant"`
}

type hookStatus struct {
	NotSatisfied *candid.Null `ic:"condition_not_satisfied,variant"`
	Ready        *candid.Null `ic:"ready,variant"`
	Executed     *candid.Null `ic:"executed,variant"`
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

func (t *globalTimer) value() *uint64 {
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

func (h *hookStatus) value() *canister.Hook {
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
