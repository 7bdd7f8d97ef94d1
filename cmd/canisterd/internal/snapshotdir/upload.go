package snapshotdir

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/internal/regular"
)

// Target makes a snapshot of a canister.
type Target interface {
	// Begin makes a snapshot whose parts are zeros, and returns its id.
	Begin(ctx context.Context, about *management.SnapshotMetadata) (id []byte, err error)
	// Write writes bytes of a part, at most MaxSliceBytes.
	Write(ctx context.Context, id []byte, p Part, offset uint64, slice []byte) error
	WriteChunk(ctx context.Context, id, chunk []byte) error
}

// uploaded is .upload_progress.json.
type uploaded struct {
	ID     string   `json:"snapshot_id"`
	Begun  bool     `json:"metadata_uploaded"`
	Module uint64   `json:"wasm_module_offset"`
	Heap   uint64   `json:"wasm_memory_offset"`
	Stable uint64   `json:"stable_memory_offset"`
	Chunks []string `json:"wasm_chunks_uploaded"`
}

func (u *uploaded) of(p Part) *uint64 { return ofPart(p, &u.Module, &u.Heap, &u.Stable) }

// Upload sends the snapshot in a directory, and returns its id. With resume, it continues an upload that was interrupted.
// tell gets the bytes of the parts that were sent.
func Upload(ctx context.Context, path string, resume bool, to Target, tell func(bytes int64)) (id []byte, err error) {
	d := directory(path)
	about, err := Read(path)
	if err != nil {
		return nil, err
	}
	progress, err := d.beginUpload(ctx, about, resume, to)
	if err != nil {
		return nil, err
	}
	if id, err = hex.DecodeString(progress.ID); err != nil {
		return nil, fmt.Errorf("%s: invalid snapshot_id %q: expected hex", d.path(uploadFile), progress.ID)
	}
	for _, p := range parts {
		done := progress.of(p.part)
		if err := d.uploadPart(ctx, id, p.part, p.file, to, func(sent uint64) error {
			*done = sent
			tell(int64(progress.Module + progress.Heap + progress.Stable))
			return d.writeJSON(uploadFile, progress)
		}, *done); err != nil {
			return nil, err
		}
	}
	for _, c := range about.Chunks {
		if name := hex.EncodeToString(c.Hash); !slices.Contains(progress.Chunks, name) {
			chunk, err := d.readChunk(c.Hash)
			if err != nil {
				return nil, err
			}
			if err := to.WriteChunk(ctx, id, chunk); err != nil {
				return nil, err
			}
			progress.Chunks = append(progress.Chunks, name)
			if err := d.writeJSON(uploadFile, progress); err != nil {
				return nil, err
			}
		}
	}
	return id, d.remove(uploadFile)
}

// Read returns the metadata of the snapshot in a directory, which must be complete.
func Read(path string) (*management.SnapshotMetadata, error) {
	d := directory(path)
	about := &management.SnapshotMetadata{}
	switch err := d.readJSON(metadataFile, about); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s has no snapshot: %s is missing", path, metadataFile)
	case err != nil:
		return nil, fmt.Errorf("reading the snapshot: %w", err)
	case d.has(downloadFile):
		return nil, fmt.Errorf("the snapshot in %s is incomplete: finish its download with --resume", path)
	}
	for _, p := range parts {
		info, err := os.Stat(d.path(p.file))
		found := uint64(0)
		if err == nil {
			found = uint64(info.Size())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading the snapshot: %w", err)
		}
		if found != sizeOf(about, p.part) {
			return nil, fmt.Errorf("the snapshot in %s is incomplete: %s has %d bytes, and %s says %d", path, p.file, found, metadataFile, sizeOf(about, p.part))
		}
	}
	for _, c := range about.Chunks {
		if _, err := d.readChunk(c.Hash); err != nil {
			return nil, err
		}
	}
	return about, nil
}

// beginUpload makes the snapshot, or with resume returns how far an earlier upload came.
func (d directory) beginUpload(ctx context.Context, about *management.SnapshotMetadata, resume bool, to Target) (*uploaded, error) {
	progress := &uploaded{Chunks: []string{}}
	switch begun := d.has(uploadFile); {
	case resume && !begun:
		return nil, fmt.Errorf("%s has no upload to resume: leave out --resume", string(d))
	case resume:
		return progress, d.readJSON(uploadFile, progress)
	case begun:
		return nil, fmt.Errorf("an upload of %s was interrupted: pass --resume to continue it, or remove %s to begin again", string(d), d.path(uploadFile))
	}
	id, err := to.Begin(ctx, about)
	if err != nil {
		return nil, err
	}
	progress.ID, progress.Begun = hex.EncodeToString(id), true
	return progress, d.writeJSON(uploadFile, progress)
}

// uploadPart sends the rest of a part. sent records how far it came. Zeros of a memory are there already.
func (d directory) uploadPart(ctx context.Context, id []byte, p Part, name string, to Target, sent func(offset uint64) error, offset uint64) error {
	file, err := regular.Open(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has no bytes
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only for reading
	slice := make([]byte, MaxSliceBytes)
	for {
		n, err := file.ReadAt(slice, int64(offset))
		if n == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if p == Module || !allZero(slice[:n]) {
			if err := to.Write(ctx, id, p, offset, slice[:n]); err != nil {
				return err
			}
		}
		offset += uint64(n)
		if err := sent(offset); err != nil {
			return err
		}
	}
}

// readChunk reads a chunk of the chunk store, and checks its hash.
func (d directory) readChunk(hash []byte) ([]byte, error) {
	chunk, err := regular.Read(d.chunk(hash), MaxSliceBytes)
	if err != nil {
		return nil, fmt.Errorf("reading a chunk of the chunk store: %w", err)
	}
	if sum := sha256.Sum256(chunk); hex.EncodeToString(sum[:]) != hex.EncodeToString(hash) {
		return nil, fmt.Errorf("%s is damaged: its SHA-256 is %x", d.chunk(hash), sum)
	}
	return chunk, nil
}
