package pocketic

import (
	"encoding/json"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// The Candid types of the methods about snapshots, and the JSON of metadata.json, which has bytes as lists of numbers.

type aboutSnapshot struct {
	Canister principal.Principal `ic:"canister_id"`
	Snapshot []byte              `ic:"snapshot_id"`
}

type readSnapshotPart struct {
	Canister principal.Principal `ic:"canister_id"`
	Snapshot []byte              `ic:"snapshot_id"`
	Kind     snapshotPart        `ic:"kind"`
}

type snapshotPart struct {
	Module *snapshotSlice `ic:"wasm_module,variant"`
	Heap   *snapshotSlice `ic:"wasm_memory,variant"`
	Stable *snapshotSlice `ic:"stable_memory,variant"`
	Chunk  *snapshotChunk `ic:"wasm_chunk,variant"`
}

type snapshotSlice struct {
	Offset uint64 `ic:"offset"`
	Size   uint64 `ic:"size"`
}

type snapshotChunk struct {
	Hash numbers `ic:"hash" json:"hash"`
}

// snapshotDescription is the result of read_canister_snapshot_metadata.
type snapshotDescription struct {
	Source     snapshotSource   `ic:"source" json:"source"`
	Taken      uint64           `ic:"taken_at_timestamp" json:"taken_at_timestamp"`
	ModuleSize uint64           `ic:"wasm_module_size" json:"wasm_module_size"`
	Globals    []snapshotGlobal `ic:"globals" json:"globals"`
	HeapSize   uint64           `ic:"wasm_memory_size" json:"wasm_memory_size"`
	StableSize uint64           `ic:"stable_memory_size" json:"stable_memory_size"`
	Chunks     []snapshotChunk  `ic:"wasm_chunk_store" json:"wasm_chunk_store"`
	Version    uint64           `ic:"canister_version" json:"canister_version"`
	Certified  numbers          `ic:"certified_data" json:"certified_data"`
	Timer      *snapshotTimer   `ic:"global_timer" json:"global_timer"`
	Hook       *snapshotHook    `ic:"on_low_wasm_memory_hook_status" json:"on_low_wasm_memory_hook_status"`
}

// numbers are bytes as a list of numbers in JSON.
type numbers []byte

// MarshalJSON writes a list of numbers.
func (n numbers) MarshalJSON() ([]byte, error) {
	list := make([]uint16, len(n))
	for i, b := range n {
		list[i] = uint16(b)
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads one.
func (n *numbers) UnmarshalJSON(text []byte) error {
	var list []uint8
	var wide []uint16
	if err := json.Unmarshal(text, &wide); err != nil {
		return err
	}
	for _, b := range wide {
		list = append(list, uint8(b))
	}
	*n = list
	return nil
}

type snapshotSource struct {
	Taken    *candid.Reserved `ic:"taken_from_canister,variant"`
	Uploaded *candid.Reserved `ic:"metadata_upload,variant"`
}

// MarshalJSON writes {"taken_from_canister": null} and the like.
func (s snapshotSource) MarshalJSON() ([]byte, error) {
	name := "metadata_upload"
	if s.Taken != nil {
		name = "taken_from_canister"
	}
	return json.Marshal(map[string]any{name: nil})
}

// UnmarshalJSON ignores the source: it does not matter when a snapshot is uploaded.
func (s *snapshotSource) UnmarshalJSON([]byte) error { return nil }

type snapshotGlobal struct {
	I32  *int32      `ic:"i32,variant" json:"i32,omitempty"`
	I64  *int64      `ic:"i64,variant" json:"i64,omitempty"`
	F32  *float32    `ic:"f32,variant" json:"f32,omitempty"`
	F64  *float64    `ic:"f64,variant" json:"f64,omitempty"`
	V128 *candid.Nat `ic:"v128,variant" json:"v128,omitempty"`
}

type snapshotTimer struct {
	Inactive *candid.Null `ic:"inactive,variant"`
	Active   *uint64      `ic:"active,variant"`
}

// MarshalJSON writes "inactive" or {"active": 5}.
func (t snapshotTimer) MarshalJSON() ([]byte, error) {
	if t.Active == nil {
		return json.Marshal("inactive")
	}
	return json.Marshal(map[string]uint64{"active": *t.Active})
}

// UnmarshalJSON reads both.
func (t *snapshotTimer) UnmarshalJSON(text []byte) error {
	var active struct {
		Active *uint64 `json:"active"`
	}
	if json.Unmarshal(text, &active) == nil && active.Active != nil {
		t.Active = active.Active
		return nil
	}
	t.Inactive = new(candid.Null)
	return nil
}

type snapshotHook struct {
	NotSatisfied *candid.Null `ic:"condition_not_satisfied,variant"`
	Ready        *candid.Null `ic:"ready,variant"`
	Executed     *candid.Null `ic:"executed,variant"`
}

// MarshalJSON writes the name.
func (h snapshotHook) MarshalJSON() ([]byte, error) {
	switch {
	case h.Ready != nil:
		return json.Marshal("ready")
	case h.Executed != nil:
		return json.Marshal("executed")
	}
	return json.Marshal("condition_not_satisfied")
}

// UnmarshalJSON reads it.
func (h *snapshotHook) UnmarshalJSON(text []byte) error {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return err
	}
	switch name {
	case "ready":
		h.Ready = new(candid.Null)
	case "executed":
		h.Executed = new(candid.Null)
	default:
		h.NotSatisfied = new(candid.Null)
	}
	return nil
}

// newSnapshot is the argument of upload_canister_snapshot_metadata.
type newSnapshot struct {
	Canister   principal.Principal `ic:"canister_id"`
	Replace    *[]byte             `ic:"replace_snapshot"`
	ModuleSize uint64              `ic:"wasm_module_size"`
	Globals    []snapshotGlobal    `ic:"globals"`
	HeapSize   uint64              `ic:"wasm_memory_size"`
	StableSize uint64              `ic:"stable_memory_size"`
	Certified  numbers             `ic:"certified_data"`
	Timer      *snapshotTimer      `ic:"global_timer"`
	Hook       *snapshotHook       `ic:"on_low_wasm_memory_hook_status"`
}

// snapshotUpload is the argument of upload_canister_snapshot_data.
type snapshotUpload struct {
	Canister principal.Principal `ic:"canister_id"`
	Snapshot []byte              `ic:"snapshot_id"`
	Kind     snapshotTarget      `ic:"kind"`
	Chunk    []byte              `ic:"chunk"`
}

type snapshotTarget struct {
	Module *snapshotPlace `ic:"wasm_module,variant"`
	Heap   *snapshotPlace `ic:"wasm_memory,variant"`
	Stable *snapshotPlace `ic:"stable_memory,variant"`
	Chunk  *candid.Null   `ic:"wasm_chunk,variant"`
}

type snapshotPlace struct {
	Offset uint64 `ic:"offset"`
}
