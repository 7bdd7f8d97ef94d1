package main

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/snapshotdir"
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
	receiver := principal.Management.String()
	answer, err := m.daemon.Calls.Update(ctx, &controlv1.UpdateRequest{Instance: m.cli.instance, Call: &controlv1.Call{
		CanisterId: receiver, Method: method, Argument: bytesValue(raw), Sender: m.sender, ReplyForm: controlv1.Form_FORM_BYTES, EffectiveCanisterId: m.canister.String(),
	}})
	if err != nil {
		return err
	}
	value, err := remote.Reply(answer.GetOutcome())
	if err != nil {
		return m.cli.rejected(receiver, method, err)
	}
	if reply == nil {
		return nil
	}
	if err := candid.Unmarshal(value.GetBytes(), reply); err != nil {
		return fmt.Errorf("the reply of %s: %w", method, err)
	}
	return nil
}

func (m *canisterSnapshots) take(ctx context.Context, replaced *[]byte) (taken management.Snapshot, err error) {
	return taken, m.call(ctx, "take_canister_snapshot", management.TakeSnapshot{Canister: m.canister, Replace: replaced}, &taken)
}

func (m *canisterSnapshots) list(ctx context.Context) (all []management.Snapshot, err error) {
	return all, m.call(ctx, "list_canister_snapshots", management.Canister{ID: m.canister}, &all)
}

// snapshotReader is the source of a download.
type snapshotReader struct {
	*canisterSnapshots
	id []byte
}

func (m *canisterSnapshots) reader(id []byte) *snapshotReader { return &snapshotReader{m, id} }

// Metadata reads the metadata of the snapshot.
func (r *snapshotReader) Metadata(ctx context.Context) (*management.SnapshotMetadata, error) {
	about := &management.SnapshotMetadata{}
	return about, r.call(ctx, "read_canister_snapshot_metadata", management.SnapshotOf{Canister: r.canister, Snapshot: r.id}, about)
}

// Read reads a slice of a part.
func (r *snapshotReader) Read(ctx context.Context, p snapshotdir.Part, offset, size uint64) ([]byte, error) {
	slice := &management.Range{Offset: offset, Size: size}
	switch p {
	case snapshotdir.Module:
		return r.read(ctx, management.SnapshotRange{Module: slice})
	case snapshotdir.Heap:
		return r.read(ctx, management.SnapshotRange{Heap: slice})
	}
	return r.read(ctx, management.SnapshotRange{Stable: slice})
}

// ReadChunk reads a chunk of the chunk store.
func (r *snapshotReader) ReadChunk(ctx context.Context, hash []byte) ([]byte, error) {
	return r.read(ctx, management.SnapshotRange{Chunk: &management.ChunkHash{Hash: hash}})
}

func (r *snapshotReader) read(ctx context.Context, kind management.SnapshotRange) ([]byte, error) {
	var got management.SnapshotData
	err := r.call(ctx, "read_canister_snapshot_data", management.ReadSnapshotData{Canister: r.canister, Snapshot: r.id, Kind: kind}, &got)
	return got.Chunk, err
}

// snapshotWriter is the target of an upload.
type snapshotWriter struct {
	*canisterSnapshots
	replaced *[]byte
}

// Begin makes the snapshot.
func (w *snapshotWriter) Begin(ctx context.Context, about *management.SnapshotMetadata) ([]byte, error) {
	var begun management.SnapshotID
	err := w.call(ctx, "upload_canister_snapshot_metadata", *about.Upload(w.canister, w.replaced), &begun)
	return begun.ID, err
}

// Write writes a slice of a part.
func (w *snapshotWriter) Write(ctx context.Context, id []byte, p snapshotdir.Part, offset uint64, slice []byte) error {
	place := &management.Place{Offset: offset}
	switch p {
	case snapshotdir.Module:
		return w.write(ctx, id, management.SnapshotPlace{Module: place}, slice)
	case snapshotdir.Heap:
		return w.write(ctx, id, management.SnapshotPlace{Heap: place}, slice)
	}
	return w.write(ctx, id, management.SnapshotPlace{Stable: place}, slice)
}

// WriteChunk writes a chunk of the chunk store.
func (w *snapshotWriter) WriteChunk(ctx context.Context, id, chunk []byte) error {
	return w.write(ctx, id, management.SnapshotPlace{Chunk: &candid.Null{}}, chunk)
}

func (w *snapshotWriter) write(ctx context.Context, id []byte, kind management.SnapshotPlace, chunk []byte) error {
	return w.call(ctx, "upload_canister_snapshot_data", management.UploadSnapshotData{Canister: w.canister, Snapshot: id, Kind: kind, Chunk: chunk}, nil)
}
