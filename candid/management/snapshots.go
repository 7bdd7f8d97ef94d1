package management

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// Snapshot is a snapshot in the replies of take_canister_snapshot and list_canister_snapshots. Taken is in nanoseconds
// since 1970, Size in bytes.
type Snapshot struct {
	ID    []byte `ic:"id"`
	Taken uint64 `ic:"taken_at_timestamp"`
	Size  uint64 `ic:"total_size"`
}

// TakeSnapshot is the argument of take_canister_snapshot.
type TakeSnapshot struct {
	Canister principal.Principal `ic:"canister_id"`
	Replace  *[]byte             `ic:"replace_snapshot"`
}

// SnapshotOf is the argument of methods about one snapshot: load_canister_snapshot, delete_canister_snapshot and
// read_canister_snapshot_metadata.
type SnapshotOf struct {
	Canister principal.Principal `ic:"canister_id"`
	Snapshot []byte              `ic:"snapshot_id"`
}

// ReadSnapshotData is the argument of read_canister_snapshot_data.
type ReadSnapshotData struct {
	Canister principal.Principal `ic:"canister_id"`
	Snapshot []byte              `ic:"snapshot_id"`
	Kind     SnapshotRange       `ic:"kind"`
}

// SnapshotRange says what is read: bytes of a part, or a chunk of the chunk store. One field is set.
type SnapshotRange struct {
	Module *Range     `ic:"wasm_module,variant"`
	Heap   *Range     `ic:"wasm_memory,variant"`
	Stable *Range     `ic:"stable_memory,variant"`
	Chunk  *ChunkHash `ic:"wasm_chunk,variant"`
}

// Range is a number of bytes from an offset on.
type Range struct {
	Offset uint64 `ic:"offset"`
	Size   uint64 `ic:"size"`
}

// SnapshotData is the reply of read_canister_snapshot_data.
type SnapshotData struct {
	Chunk []byte `ic:"chunk"`
}

// UploadSnapshotMetadata is the argument of upload_canister_snapshot_metadata.
type UploadSnapshotMetadata struct {
	Canister   principal.Principal `ic:"canister_id"`
	Replace    *[]byte             `ic:"replace_snapshot"`
	ModuleSize uint64              `ic:"wasm_module_size"`
	Globals    []SnapshotGlobal    `ic:"globals"`
	HeapSize   uint64              `ic:"wasm_memory_size"`
	StableSize uint64              `ic:"stable_memory_size"`
	Certified  []byte              `ic:"certified_data"`
	Timer      *SnapshotTimer      `ic:"global_timer"`
	Hook       *SnapshotHook       `ic:"on_low_wasm_memory_hook_status"`
}

// SnapshotID is the reply of upload_canister_snapshot_metadata.
type SnapshotID struct {
	ID []byte `ic:"snapshot_id"`
}

// UploadSnapshotData is the argument of upload_canister_snapshot_data.
type UploadSnapshotData struct {
	Canister principal.Principal `ic:"canister_id"`
	Snapshot []byte              `ic:"snapshot_id"`
	Kind     SnapshotPlace       `ic:"kind"`
	Chunk    []byte              `ic:"chunk"`
}

// SnapshotPlace says what is written: bytes of a part, or a chunk of the chunk store. One field is set.
type SnapshotPlace struct {
	Module *Place       `ic:"wasm_module,variant"`
	Heap   *Place       `ic:"wasm_memory,variant"`
	Stable *Place       `ic:"stable_memory,variant"`
	Chunk  *candid.Null `ic:"wasm_chunk,variant"`
}

// Place is an offset in bytes.
type Place struct {
	Offset uint64 `ic:"offset"`
}

// SnapshotMetadata is the reply of read_canister_snapshot_metadata. As JSON it is the file metadata.json in which
// icp-cli, dfx and PocketIC keep it. Times are in nanoseconds since 1970, sizes in bytes.
type SnapshotMetadata struct {
	Source     *SnapshotSource  `ic:"source" json:"source"`
	Taken      uint64           `ic:"taken_at_timestamp" json:"taken_at_timestamp"`
	ModuleSize uint64           `ic:"wasm_module_size" json:"wasm_module_size"`
	Globals    []SnapshotGlobal `ic:"globals" json:"globals"`
	HeapSize   uint64           `ic:"wasm_memory_size" json:"wasm_memory_size"`
	StableSize uint64           `ic:"stable_memory_size" json:"stable_memory_size"`
	Chunks     []ChunkHash      `ic:"wasm_chunk_store" json:"wasm_chunk_store"`
	Version    uint64           `ic:"canister_version" json:"canister_version"`
	Certified  Numbers          `ic:"certified_data" json:"certified_data"`
	Timer      *SnapshotTimer   `ic:"global_timer" json:"global_timer"`
	Hook       *SnapshotHook    `ic:"on_low_wasm_memory_hook_status" json:"on_low_wasm_memory_hook_status"`
}

// Bytes returns the size of all parts.
func (m *SnapshotMetadata) Bytes() int64 { return int64(m.ModuleSize + m.HeapSize + m.StableSize) }

// Upload returns the argument that makes a snapshot of the same metadata.
func (m *SnapshotMetadata) Upload(of principal.Principal, replace *[]byte) *UploadSnapshotMetadata {
	return &UploadSnapshotMetadata{
		Canister: of, Replace: replace, ModuleSize: m.ModuleSize, Globals: m.Globals, HeapSize: m.HeapSize, StableSize: m.StableSize,
		Certified: m.Certified, Timer: m.Timer, Hook: m.Hook,
	}
}

// ChunkHash names a chunk of the chunk store.
type ChunkHash struct {
	Hash Numbers `ic:"hash" json:"hash"`
}

// Numbers are bytes that are a list of numbers in JSON.
type Numbers []byte

// MarshalJSON writes a list of numbers.
func (n Numbers) MarshalJSON() ([]byte, error) {
	text := []byte{'['}
	for i, b := range n {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, uint64(b), 10)
	}
	return append(text, ']'), nil
}

// UnmarshalJSON reads a list of numbers.
func (n *Numbers) UnmarshalJSON(text []byte) error {
	var numbers []uint8
	if len(text) == 0 || text[0] != '[' {
		return fmt.Errorf("expected a list of bytes, not %.40s", text)
	}
	if err := json.Unmarshal(text, &numbers); err != nil {
		return err
	}
	*n = numbers
	return nil
}

// SnapshotSource says how a snapshot was made. One field is set.
type SnapshotSource struct {
	Taken    *candid.Reserved `ic:"taken_from_canister,variant"`
	Uploaded *candid.Reserved `ic:"metadata_upload,variant"`
}

// MarshalJSON writes the case as the key of an object.
func (o SnapshotSource) MarshalJSON() ([]byte, error) {
	name := "taken_from_canister"
	if o.Uploaded != nil {
		name = "metadata_upload"
	}
	return json.Marshal(map[string]any{name: nil})
}

// UnmarshalJSON reads the case.
func (o *SnapshotSource) UnmarshalJSON(text []byte) error {
	name, _, err := variant(text)
	switch {
	case err != nil:
		return err
	case name == "taken_from_canister":
		o.Taken = &candid.Reserved{}
	case name == "metadata_upload":
		o.Uploaded = &candid.Reserved{}
	default:
		return unknownCase("source", name)
	}
	return nil
}

// SnapshotTimer is the global timer. One field is set; Active is a time.
type SnapshotTimer struct {
	Inactive *candid.Null `ic:"inactive,variant"`
	Active   *uint64      `ic:"active,variant"`
}

// MarshalJSON writes "inactive", or the time in an object.
func (t SnapshotTimer) MarshalJSON() ([]byte, error) {
	if t.Active != nil {
		return json.Marshal(map[string]uint64{"active": *t.Active})
	}
	return json.Marshal("inactive")
}

// UnmarshalJSON reads the case.
func (t *SnapshotTimer) UnmarshalJSON(text []byte) error {
	name, value, err := variant(text)
	switch {
	case err != nil:
		return err
	case name == "inactive":
		t.Inactive = &candid.Null{}
	case name == "active":
		t.Active = new(uint64)
		return json.Unmarshal(value, t.Active)
	default:
		return unknownCase("global_timer", name)
	}
	return nil
}

// SnapshotHook is the state of canister_on_low_wasm_memory. One field is set.
type SnapshotHook struct {
	NotSatisfied *candid.Null `ic:"condition_not_satisfied,variant"`
	Ready        *candid.Null `ic:"ready,variant"`
	Executed     *candid.Null `ic:"executed,variant"`
}

// MarshalJSON writes the name of the case.
func (h SnapshotHook) MarshalJSON() ([]byte, error) {
	switch {
	case h.Ready != nil:
		return json.Marshal("ready")
	case h.Executed != nil:
		return json.Marshal("executed")
	}
	return json.Marshal("condition_not_satisfied")
}

// UnmarshalJSON reads the case.
func (h *SnapshotHook) UnmarshalJSON(text []byte) error {
	name, _, err := variant(text)
	switch {
	case err != nil:
		return err
	case name == "condition_not_satisfied":
		h.NotSatisfied = &candid.Null{}
	case name == "ready":
		h.Ready = &candid.Null{}
	case name == "executed":
		h.Executed = &candid.Null{}
	default:
		return unknownCase("on_low_wasm_memory_hook_status", name)
	}
	return nil
}

// SnapshotGlobal is an exported mutable global. One field is set.
type SnapshotGlobal struct {
	I32  *int32      `ic:"i32,variant"`
	I64  *int64      `ic:"i64,variant"`
	F32  *float32    `ic:"f32,variant"`
	F64  *float64    `ic:"f64,variant"`
	V128 *candid.Nat `ic:"v128,variant"`
}

// MarshalJSON writes the value in an object; a vector as decimal digits.
func (g SnapshotGlobal) MarshalJSON() ([]byte, error) {
	switch {
	case g.I32 != nil:
		return json.Marshal(map[string]int32{"i32": *g.I32})
	case g.I64 != nil:
		return json.Marshal(map[string]int64{"i64": *g.I64})
	case g.F32 != nil:
		return json.Marshal(map[string]float32{"f32": *g.F32})
	case g.F64 != nil:
		return json.Marshal(map[string]float64{"f64": *g.F64})
	case g.V128 != nil:
		return json.Marshal(map[string]string{"v128": g.V128.String()})
	}
	return nil, errors.New("a global has no value")
}

// UnmarshalJSON reads the value.
func (g *SnapshotGlobal) UnmarshalJSON(text []byte) error {
	name, value, err := variant(text)
	if err != nil {
		return err
	}
	switch name {
	case "i32":
		return json.Unmarshal(value, &g.I32)
	case "i64":
		return json.Unmarshal(value, &g.I64)
	case "f32":
		return json.Unmarshal(value, &g.F32)
	case "f64":
		return json.Unmarshal(value, &g.F64)
	case "v128":
		var digits string
		if err := json.Unmarshal(value, &digits); err != nil {
			return err
		}
		n, ok := new(big.Int).SetString(digits, 10)
		if !ok {
			return fmt.Errorf("globals: invalid v128 %q: expected decimal digits", digits)
		}
		v, err := candid.NatOfBig(n)
		g.V128 = &v
		return err
	}
	return unknownCase("globals", name)
}

// variant reads a case of a variant: its name, or an object with the name and the value.
func variant(text []byte) (name string, value json.RawMessage, err error) {
	if err := json.Unmarshal(text, &name); err == nil {
		return name, json.RawMessage("null"), nil
	}
	var cases map[string]json.RawMessage
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) != 1 {
		return "", nil, fmt.Errorf("expected one case of a variant, not %.40s", text)
	}
	for name, value = range cases { // the only one, so that no order can be seen
	}
	return name, value, nil
}

func unknownCase(field, name string) error { return fmt.Errorf("%s: unknown case %q", field, name) }
