package replica_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// transfer carries snapshots over the public interface alone, as a client's download and upload do.
type transfer struct {
	*real.Stage
	t *testing.T
}

type (
	snapshotTaken struct {
		ID []byte `ic:"id"`
	}
	snapshotGlobal struct {
		I32  *int32      `ic:"i32,variant"`
		I64  *int64      `ic:"i64,variant"`
		F32  *float32    `ic:"f32,variant"`
		F64  *float64    `ic:"f64,variant"`
		V128 *candid.Nat `ic:"v128,variant"`
	}
	snapshotTimer struct {
		Inactive *candid.Null `ic:"inactive,variant"`
		Active   *uint64      `ic:"active,variant"`
	}
	snapshotHook struct {
		NotSatisfied *candid.Null `ic:"condition_not_satisfied,variant"`
		Ready        *candid.Null `ic:"ready,variant"`
		Executed     *candid.Null `ic:"executed,variant"`
	}
	snapshotChunk struct {
		Hash []byte `ic:"hash"`
	}
	snapshotDescription struct {
		Globals    []snapshotGlobal `ic:"globals"`
		ModuleSize uint64           `ic:"wasm_module_size"`
		HeapSize   uint64           `ic:"wasm_memory_size"`
		StableSize uint64           `ic:"stable_memory_size"`
		Certified  []byte           `ic:"certified_data"`
		Timer      *snapshotTimer   `ic:"global_timer"`
		Hook       *snapshotHook    `ic:"on_low_wasm_memory_hook_status"`
		Chunks     []snapshotChunk  `ic:"wasm_chunk_store"`
	}
	snapshotUpload struct {
		Canister   principal.Principal `ic:"canister_id"`
		Replace    *[]byte             `ic:"replace_snapshot"`
		ModuleSize uint64              `ic:"wasm_module_size"`
		Globals    []snapshotGlobal    `ic:"globals"`
		HeapSize   uint64              `ic:"wasm_memory_size"`
		StableSize uint64              `ic:"stable_memory_size"`
		Certified  []byte              `ic:"certified_data"`
		Timer      *snapshotTimer      `ic:"global_timer"`
		Hook       *snapshotHook       `ic:"on_low_wasm_memory_hook_status"`
	}
	snapshotOf struct {
		Canister principal.Principal `ic:"canister_id"`
		Snapshot []byte              `ic:"snapshot_id"`
	}
	snapshotRange struct {
		Offset uint64 `ic:"offset"`
		Size   uint64 `ic:"size"`
	}
	snapshotKind struct {
		Module *snapshotRange `ic:"wasm_module,variant"`
		Heap   *snapshotRange `ic:"wasm_memory,variant"`
		Stable *snapshotRange `ic:"stable_memory,variant"`
		Chunk  *snapshotChunk `ic:"wasm_chunk,variant"`
	}
	snapshotRead struct {
		Canister principal.Principal `ic:"canister_id"`
		Snapshot []byte              `ic:"snapshot_id"`
		Kind     snapshotKind        `ic:"kind"`
	}
	snapshotSpot struct {
		Offset uint64 `ic:"offset"`
	}
	snapshotTarget struct {
		Module *snapshotSpot `ic:"wasm_module,variant"`
		Heap   *snapshotSpot `ic:"wasm_memory,variant"`
		Stable *snapshotSpot `ic:"stable_memory,variant"`
		Chunk  *candid.Null  `ic:"wasm_chunk,variant"`
	}
	snapshotWrite struct {
		Canister principal.Principal `ic:"canister_id"`
		Snapshot []byte              `ic:"snapshot_id"`
		Kind     snapshotTarget      `ic:"kind"`
		Chunk    []byte              `ic:"chunk"`
	}
	snapshotBytes struct {
		Chunk []byte `ic:"chunk"`
	}
	snapshotMade struct {
		ID []byte `ic:"snapshot_id"`
	}
)

func (x *transfer) manage(name, method string, arg any, results ...any) {
	x.t.Helper()
	encoded, err := candid.Marshal(arg)
	if err != nil {
		x.t.Fatal(err)
	}
	a := x.Manage(name, method, encoded)
	if a.Status != "replied" {
		x.t.Fatalf("%s of %s: %s", method, name, a)
	}
	if err := candid.Unmarshal(a.Reply, results...); err != nil {
		x.t.Fatal(err)
	}
}

func (x *transfer) take(name string) []byte {
	var s snapshotTaken
	x.manage(name, "take_canister_snapshot", struct {
		Canister principal.Principal `ic:"canister_id"`
	}{x.ID(name)}, &s)
	return s.ID
}

func (x *transfer) describe(name string, id []byte) (d snapshotDescription) {
	x.manage(name, "read_canister_snapshot_metadata", snapshotOf{x.ID(name), id}, &d)
	return d
}

// carry downloads a snapshot of one canister and uploads it to another.
func (x *transfer) carry(from string, id []byte, to string) []byte {
	const slice = 2_000_000
	d := x.describe(from, id)
	var made snapshotMade
	x.manage(to, "upload_canister_snapshot_metadata", snapshotUpload{
		Canister: x.ID(to), ModuleSize: d.ModuleSize, Globals: d.Globals, HeapSize: d.HeapSize, StableSize: d.StableSize,
		Certified: d.Certified, Timer: d.Timer, Hook: d.Hook,
	}, &made)
	for _, part := range []struct {
		size  uint64
		read  func(*snapshotRange) snapshotKind
		write func(*snapshotSpot) snapshotTarget
	}{
		{d.ModuleSize, func(r *snapshotRange) snapshotKind { return snapshotKind{Module: r} }, func(s *snapshotSpot) snapshotTarget { return snapshotTarget{Module: s} }},
		{d.HeapSize, func(r *snapshotRange) snapshotKind { return snapshotKind{Heap: r} }, func(s *snapshotSpot) snapshotTarget { return snapshotTarget{Heap: s} }},
		{d.StableSize, func(r *snapshotRange) snapshotKind { return snapshotKind{Stable: r} }, func(s *snapshotSpot) snapshotTarget { return snapshotTarget{Stable: s} }},
	} {
		for at := uint64(0); at < part.size; at += slice {
			var got snapshotBytes
			x.manage(from, "read_canister_snapshot_data", snapshotRead{x.ID(from), id, part.read(&snapshotRange{at, min(slice, part.size-at)})}, &got)
			x.manage(to, "upload_canister_snapshot_data", snapshotWrite{x.ID(to), made.ID, part.write(&snapshotSpot{at}), got.Chunk})
		}
	}
	for _, chunk := range d.Chunks {
		var got snapshotBytes
		x.manage(from, "read_canister_snapshot_data", snapshotRead{x.ID(from), id, snapshotKind{Chunk: &chunk}}, &got)
		x.manage(to, "upload_canister_snapshot_data", snapshotWrite{x.ID(to), made.ID, snapshotTarget{Chunk: new(candid.Null)}, got.Chunk})
	}
	return made.ID
}

func TestASnapshotThatIsDownloadedAndUploadedMakesTheSameCanister(t *testing.T) {
	x := &transfer{real.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Nodes: 13, NoRateLimits: true}}}), t}
	none := []byte("DIDL\x00\x00")
	for _, name := range []string{"A", "B"} {
		x.Create(name, 0, real.Plenty)
	}
	if a := x.Install("A", real.Install, canistertest.Fixture("counter"), none); a.Status != "replied" {
		t.Fatal(a)
	}
	chunk := bytes.Repeat([]byte("chunk"), 1000)
	x.manage("A", "upload_chunk", struct {
		Canister principal.Principal `ic:"canister_id"`
		Chunk    []byte              `ic:"chunk"`
	}{x.ID("A"), chunk}, new(snapshotChunk))
	count := func(name string) []byte {
		a := x.Call(name, "inc", none)
		if a.Status != "replied" {
			t.Fatalf("inc of %s: %s", name, a)
		}
		return a.Reply
	}
	for range 5 {
		count("A")
	}
	id := x.take("A")
	uploaded := x.carry("A", id, "B")
	x.manage("B", "load_canister_snapshot", snapshotOf{x.ID("B"), uploaded})
	again := x.describe("B", x.take("B"))
	if want := x.describe("A", id); !reflect.DeepEqual(want, again) || len(want.Chunks) != 1 {
		t.Errorf("a snapshot of the copy is %+v, want %+v", again, want)
	}
	for range 20 {
		if a, b := count("A"), count("B"); !bytes.Equal(a, b) {
			t.Fatalf("the canister counts %q, its copy %q", a, b)
		}
	}
	if a, b := x.Canister(x.ID("A")), x.Canister(x.ID("B")); a.Module().Hash() != b.Module().Hash() || !a.Module().Memory64() || !bytes.Equal(a.Certified, b.Certified) {
		t.Errorf("copy and canister differ: %+v, %+v", a, b)
	}
}
