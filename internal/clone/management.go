package clone

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/snapshotdir"
)

// Caller calls a method of the management canister about a canister, and returns the bytes of its reply. It is safe for
// concurrent use.
type Caller interface {
	Call(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error)
}

// AnsweredError is the error for a call that the network answered: the connection works, and asking again gives the same.
type AnsweredError struct {
	Err error
	// Canister is the text with which a canister rejected the message itself; "" for all other answers.
	Canister string
}

func (e *AnsweredError) Error() string { return e.Err.Error() }

// Unwrap returns the answer.
func (e *AnsweredError) Unwrap() error { return e.Err }

// isAnswer reports whether an error is an answer of the network.
func isAnswer(err error) bool {
	_, is := errors.AsType[*AnsweredError](err)
	return is
}

// Canister is a canister of a network.
type Canister struct {
	ID     principal.Principal
	Caller Caller
}

// call calls a method and reads its reply, unless that is nil.
func (c Canister) call(ctx context.Context, method string, argument, reply any) error {
	raw, err := candid.Marshal(argument)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	answer, err := c.Caller.Call(ctx, c.ID, method, raw)
	if err != nil || reply == nil {
		return err
	}
	if err := candid.Unmarshal(answer, reply); err != nil {
		return fmt.Errorf("the reply of %s: %w", method, err)
	}
	return nil
}

// Status returns the status of the canister, and the bytes of the reply.
func (c Canister) Status(ctx context.Context) (*management.Status, []byte, error) {
	argument, err := candid.Marshal(management.Canister{ID: c.ID})
	if err != nil {
		return nil, nil, fmt.Errorf("canister_status: %w", err)
	}
	raw, err := c.Caller.Call(ctx, c.ID, "canister_status", argument)
	if err != nil {
		return nil, nil, err
	}
	status, err := readStatus(raw)
	return status, raw, err
}

func readStatus(raw []byte) (*management.Status, error) {
	status := &management.Status{}
	if err := candid.Unmarshal(raw, status); err != nil {
		return nil, fmt.Errorf("the reply of canister_status: %w", err)
	}
	return status, nil
}

// Take takes a snapshot, in place of another if replaced is not nil.
func (c Canister) Take(ctx context.Context, replaced *[]byte) (taken management.Snapshot, err error) {
	return taken, c.call(ctx, "take_canister_snapshot", management.TakeSnapshot{Canister: c.ID, Replace: replaced}, &taken)
}

// List returns the snapshots of the canister.
func (c Canister) List(ctx context.Context) (all []management.Snapshot, err error) {
	return all, c.call(ctx, "list_canister_snapshots", management.Canister{ID: c.ID}, &all)
}

// Load replaces the code and the state of the canister by those of a snapshot.
func (c Canister) Load(ctx context.Context, snapshot []byte) error {
	return c.call(ctx, "load_canister_snapshot", management.SnapshotOf{Canister: c.ID, Snapshot: snapshot}, nil)
}

// Delete deletes a snapshot.
func (c Canister) Delete(ctx context.Context, snapshot []byte) error {
	return c.call(ctx, "delete_canister_snapshot", management.SnapshotOf{Canister: c.ID, Snapshot: snapshot}, nil)
}

// Reader reads a snapshot of the canister.
func (c Canister) Reader(snapshot []byte) snapshotdir.Source { return &reader{c, snapshot} }

type reader struct {
	Canister
	id []byte
}

// Metadata reads the metadata of the snapshot.
func (r *reader) Metadata(ctx context.Context) (*management.SnapshotMetadata, error) {
	about := &management.SnapshotMetadata{}
	return about, r.call(ctx, "read_canister_snapshot_metadata", management.SnapshotOf{Canister: r.ID, Snapshot: r.id}, about)
}

// Read reads a slice of a part.
func (r *reader) Read(ctx context.Context, p snapshotdir.Part, offset, size uint64) ([]byte, error) {
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
func (r *reader) ReadChunk(ctx context.Context, hash []byte) ([]byte, error) {
	return r.read(ctx, management.SnapshotRange{Chunk: &management.ChunkHash{Hash: hash}})
}

func (r *reader) read(ctx context.Context, kind management.SnapshotRange) ([]byte, error) {
	var got management.SnapshotData
	err := r.call(ctx, "read_canister_snapshot_data", management.ReadSnapshotData{Canister: r.ID, Snapshot: r.id, Kind: kind}, &got)
	return got.Chunk, err
}

// Writer makes a snapshot of the canister, in place of another if replaced is not nil.
func (c Canister) Writer(replaced *[]byte) snapshotdir.Target { return &writer{c, replaced} }

type writer struct {
	Canister
	replaced *[]byte
}

// Begin makes the snapshot.
func (w *writer) Begin(ctx context.Context, about *management.SnapshotMetadata) ([]byte, error) {
	var begun management.SnapshotID
	err := w.call(ctx, "upload_canister_snapshot_metadata", *about.Upload(w.ID, w.replaced), &begun)
	return begun.ID, err
}

// Write writes a slice of a part.
func (w *writer) Write(ctx context.Context, id []byte, p snapshotdir.Part, offset uint64, slice []byte) error {
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
func (w *writer) WriteChunk(ctx context.Context, id, chunk []byte) error {
	return w.write(ctx, id, management.SnapshotPlace{Chunk: &candid.Null{}}, chunk)
}

func (w *writer) write(ctx context.Context, id []byte, kind management.SnapshotPlace, chunk []byte) error {
	return w.call(ctx, "upload_canister_snapshot_data", management.UploadSnapshotData{Canister: w.ID, Snapshot: id, Kind: kind, Chunk: chunk}, nil)
}
