package snapshotdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/canisterd/canisterd/candid"
)

// Metadata is the answer of read_canister_snapshot_metadata, and the content of metadata.json. Times are in nanoseconds
// since 1970, sizes in bytes.
type Metadata struct {
	Source     *Origin     `ic:"source" json:"source"`
	Taken      uint64      `ic:"taken_at_timestamp" json:"taken_at_timestamp"`
	ModuleSize uint64      `ic:"wasm_module_size" json:"wasm_module_size"`
	Globals    []Global    `ic:"globals" json:"globals"`
	HeapSize   uint64      `ic:"wasm_memory_size" json:"wasm_memory_size"`
	StableSize uint64      `ic:"stable_memory_size" json:"stable_memory_size"`
	Chunks     []ChunkHash `ic:"wasm_chunk_store" json:"wasm_chunk_store"`
	Version    uint64      `ic:"canister_version" json:"canister_version"`
	Certified  Numbers     `ic:"certified_data" json:"certified_data"`
	Timer      *Timer      `ic:"global_timer" json:"global_timer"`
	Hook       *Hook       `ic:"on_low_wasm_memory_hook_status" json:"on_low_wasm_memory_hook_status"`
}

// Size returns the size of a part.
func (m *Metadata) Size(p Part) uint64 {
	switch p {
	case Module:
		return m.ModuleSize
	case Heap:
		return m.HeapSize
	}
	return m.StableSize
}

// Bytes returns the size of all parts.
func (m *Metadata) Bytes() int64 { return int64(m.ModuleSize + m.HeapSize + m.StableSize) }

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

// Origin says how a snapshot was made. One field is set.
type Origin struct {
	Taken    *candid.Reserved `ic:"taken_from_canister,variant"`
	Uploaded *candid.Reserved `ic:"metadata_upload,variant"`
}

// MarshalJSON writes the case as the key of an object.
func (o Origin) MarshalJSON() ([]byte, error) {
	name := "taken_from_canister"
	if o.Uploaded != nil {
		name = "metadata_upload"
	}
	return json.Marshal(map[string]any{name: nil})
}

// UnmarshalJSON reads the case.
func (o *Origin) UnmarshalJSON(text []byte) error {
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

// Timer is the global timer. One field is set; Active is a time.
type Timer struct {
	Inactive *candid.Null `ic:"inactive,variant"`
	Active   *uint64      `ic:"active,variant"`
}

// MarshalJSON writes "inactive", or the time in an object.
func (t Timer) MarshalJSON() ([]byte, error) {
	if t.Active != nil {
		return json.Marshal(map[string]uint64{"active": *t.Active})
	}
	return json.Marshal("inactive")
}

// UnmarshalJSON reads the case.
func (t *Timer) UnmarshalJSON(text []byte) error {
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

// Hook is the state of canister_on_low_wasm_memory. One field is set.
type Hook struct {
	NotSatisfied *candid.Null `ic:"condition_not_satisfied,variant"`
	Ready        *candid.Null `ic:"ready,variant"`
	Executed     *candid.Null `ic:"executed,variant"`
}

// MarshalJSON writes the name of the case.
func (h Hook) MarshalJSON() ([]byte, error) {
	switch {
	case h.Ready != nil:
		return json.Marshal("ready")
	case h.Executed != nil:
		return json.Marshal("executed")
	}
	return json.Marshal("condition_not_satisfied")
}

// UnmarshalJSON reads the case.
func (h *Hook) UnmarshalJSON(text []byte) error {
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

// Global is an exported mutable global. One field is set.
type Global struct {
	I32  *int32      `ic:"i32,variant"`
	I64  *int64      `ic:"i64,variant"`
	F32  *float32    `ic:"f32,variant"`
	F64  *float64    `ic:"f64,variant"`
	V128 *candid.Nat `ic:"v128,variant"`
}

// MarshalJSON writes the value in an object; a vector as decimal digits.
func (g Global) MarshalJSON() ([]byte, error) {
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
func (g *Global) UnmarshalJSON(text []byte) error {
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
	for name, value = range cases {
	}
	return name, value, nil
}

func unknownCase(field, name string) error { return fmt.Errorf("%s: unknown case %q", field, name) }
