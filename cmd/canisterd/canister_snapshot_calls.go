package main

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/snapshotdir"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// canisterSnapshots calls the methods of the management canister about the snapshots of a canister.
type canisterSnapshots struct {
	cli      *cli
	daemon   *remote.Daemon
	canister principal.Principal
	sender   string
}

func (c *cli) snapshotsOf(d *remote.Daemon, canister string) (*canisterSnapshots, error) {
	id, err := principal.Parse(canister)
	if err != nil {
		return nil, err
	}
	sender, err := c.sender()
	return &canisterSnapshots{c, d, id, sender}, err
}

// call calls a method and reads its reply, unless that is nil.
func (m *canisterSnapshots) call(ctx context.Context, method string, argument, reply any) error {
	raw, err := candid.Marshal(argument)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	management := principal.Management.String()
	answer, err := m.daemon.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: m.cli.instance, Call: &controlv1.Call{
		CanisterId: management, Method: method, Argument: bytesValue(raw), Sender: m.sender, ReplyForm: controlv1.Form_FORM_BYTES, EffectiveCanisterId: m.canister.String(),
	}})
	if err != nil {
		return err
	}
	value, err := remote.Reply(answer.GetOutcome())
	if err != nil {
		return m.cli.rejected(management, method, err)
	}
	if reply == nil {
		return nil
	}
	if err := candid.Unmarshal(value.GetBytes(), reply); err != nil {
		return fmt.Errorf("the reply of %s: %w", method, err)
	}
	return nil
}

// The Candid types of the methods.
type (
	snapshotArgument struct {
		Canister principal.Principal `ic:"canister_id"`
		Snapshot []byte              `ic:"snapshot_id"`
	}
	takeSnapshotArgument struct {
		Canister principal.Principal `ic:"canister_id"`
		Replace  *[]byte             `ic:"replace_snapshot"`
	}
	listSnapshotsArgument struct {
		Canister principal.Principal `ic:"canister_id"`
	}
	snapshotRecord struct {
		ID    []byte `ic:"id"`
		Taken uint64 `ic:"taken_at_timestamp"`
		Size  uint64 `ic:"total_size"`
	}
	readSnapshotArgument struct {
		Canister principal.Principal `ic:"canister_id"`
		Snapshot []byte              `ic:"snapshot_id"`
		Kind     readKind            `ic:"kind"`
	}
	readKind struct {
		Module *snapshotSlice `ic:"wasm_module,variant"`
		Heap   *snapshotSlice `ic:"wasm_memory,variant"`
		Stable *snapshotSlice `ic:"stable_memory,variant"`
		Chunk  *snapshotChunk `ic:"wasm_chunk,variant"`
	}
	snapshotSlice struct {
		Offset uint64 `ic:"offset"`
		Size   uint64 `ic:"size"`
	}
	snapshotChunk struct {
		Hash []byte `ic:"hash"`
	}
	snapshotBytes struct {
		Chunk []byte `ic:"chunk"`
	}
	beginSnapshotArgument struct {
		Canister   principal.Principal  `ic:"canister_id"`
		Replace    *[]byte              `ic:"replace_snapshot"`
		ModuleSize uint64               `ic:"wasm_module_size"`
		Globals    []snapshotdir.Global `ic:"globals"`
		HeapSize   uint64               `ic:"wasm_memory_size"`
		StableSize uint64               `ic:"stable_memory_size"`
		Certified  []byte               `ic:"certified_data"`
		Timer      *snapshotdir.Timer   `ic:"global_timer"`
		Hook       *snapshotdir.Hook    `ic:"on_low_wasm_memory_hook_status"`
	}
	begunSnapshot struct {
		ID []byte `ic:"snapshot_id"`
	}
	writeSnapshotArgument struct {
		Canister principal.Principal `ic:"canister_id"`
		Snapshot []byte              `ic:"snapshot_id"`
		Kind     writeKind           `ic:"kind"`
		Chunk    []byte              `ic:"chunk"`
	}
	writeKind struct {
		Module *snapshotPlace `ic:"wasm_module,variant"`
		Heap   *snapshotPlace `ic:"wasm_memory,variant"`
		Stable *snapshotPlace `ic:"stable_memory,variant"`
		Chunk  *candid.Null   `ic:"wasm_chunk,variant"`
	}
	snapshotPlace struct {
		Offset uint64 `ic:"offset"`
	}
)

func (m *canisterSnapshots) take(ctx context.Context, replaced *[]byte) (taken snapshotRecord, err error) {
	return taken, m.call(ctx, "take_canister_snapshot", takeSnapshotArgument{m.canister, replaced}, &taken)
}

func (m *canisterSnapshots) list(ctx context.Context) (all []snapshotRecord, err error) {
	return all, m.call(ctx, "list_canister_snapshots", listSnapshotsArgument{m.canister}, &all)
}

// snapshotReader is the source of a download.
type snapshotReader struct {
	*canisterSnapshots
	id []byte
}

func (m *canisterSnapshots) reader(id []byte) *snapshotReader { return &snapshotReader{m, id} }

// Metadata reads the metadata of the snapshot.
func (r *snapshotReader) Metadata(ctx context.Context) (*snapshotdir.Metadata, error) {
	about := &snapshotdir.Metadata{}
	return about, r.call(ctx, "read_canister_snapshot_metadata", snapshotArgument{r.canister, r.id}, about)
}

// Read reads a slice of a part.
func (r *snapshotReader) Read(ctx context.Context, p snapshotdir.Part, offset, size uint64) ([]byte, error) {
	slice := &snapshotSlice{offset, size}
	switch p {
	case snapshotdir.Module:
		return r.read(ctx, readKind{Module: slice})
	case snapshotdir.Heap:
		return r.read(ctx, readKind{Heap: slice})
	}
	return r.read(ctx, readKind{Stable: slice})
}

// ReadChunk reads a chunk of the chunk store.
func (r *snapshotReader) ReadChunk(ctx context.Context, hash []byte) ([]byte, error) {
	return r.read(ctx, readKind{Chunk: &snapshotChunk{hash}})
}

func (r *snapshotReader) read(ctx context.Context, kind readKind) ([]byte, error) {
	var got snapshotBytes
	err := r.call(ctx, "read_canister_snapshot_data", readSnapshotArgument{r.canister, r.id, kind}, &got)
	return got.Chunk, err
}

// snapshotWriter is the target of an upload.
type snapshotWriter struct {
	*canisterSnapshots
	replaced *[]byte
}

// Begin makes the snapshot.
func (w *snapshotWriter) Begin(ctx context.Context, about *snapshotdir.Metadata) ([]byte, error) {
	var begun begunSnapshot
	err := w.call(ctx, "upload_canister_snapshot_metadata", beginSnapshotArgument{
		Canister: w.canister, Replace: w.replaced, ModuleSize: about.ModuleSize, Globals: about.Globals, HeapSize: about.HeapSize, StableSize: about.StableSize,
		Certified: about.Certified, Timer: about.Timer, Hook: about.Hook,
	}, &begun)
	return begun.ID, err
}

// Write writes a slice of a part.
func (w *snapshotWriter) Write(ctx context.Context, id []byte, p snapshotdir.Part, offset uint64, slice []byte) error {
	place := &snapshotPlace{offset}
	switch p {
	case snapshotdir.Module:
		return w.write(ctx, id, writeKind{Module: place}, slice)
	case snapshotdir.Heap:
		return w.write(ctx, id, writeKind{Heap: place}, slice)
	}
	return w.write(ctx, id, writeKind{Stable: place}, slice)
}

// WriteChunk writes a chunk of the chunk store.
func (w *snapshotWriter) WriteChunk(ctx context.Context, id, chunk []byte) error {
	return w.write(ctx, id, writeKind{Chunk: &candid.Null{}}, chunk)
}

func (w *snapshotWriter) write(ctx context.Context, id []byte, kind writeKind, chunk []byte) error {
	return w.call(ctx, "upload_canister_snapshot_data", writeSnapshotArgument{w.canister, id, kind, chunk}, nil)
}
