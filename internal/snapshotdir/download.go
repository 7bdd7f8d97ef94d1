package snapshotdir

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/canisterd/canisterd/candid/management"
)

// Source reads a snapshot of a canister. Its methods are called concurrently.
type Source interface {
	Metadata(ctx context.Context) (*management.SnapshotMetadata, error)
	// Read reads so many bytes of a part, at most MaxSliceBytes.
	Read(ctx context.Context, p Part, offset, size uint64) ([]byte, error)
	ReadChunk(ctx context.Context, hash []byte) ([]byte, error)
}

// downloaded is .download_progress.json, by the names of parts.
type downloaded struct {
	Module transferred `json:"wasm_module"`
	Heap   transferred `json:"wasm_memory"`
	Stable transferred `json:"stable_memory"`
}

func (d *downloaded) of(p Part) *transferred { return ofPart(p, &d.Module, &d.Heap, &d.Stable) }

// DownloadOptions say how a snapshot is written.
type DownloadOptions struct {
	// Resume continues a download that was interrupted.
	Resume bool
	// Digests writes the SHA-256 of each slice to a file in the directory, by which an upload finds damage.
	Digests bool
	// Parallel is the number of slices that are on their way at the same time; 0: one. Each takes a few megabytes.
	Parallel int
	// Tell gets the bytes of the parts that are there; nil: they are not told.
	Tell func(bytes int64)
}

// download is a download to a directory.
type download struct {
	dir      directory
	about    *management.SnapshotMetadata
	from     Source
	digests  *os.File // nil: they are not written
	parallel int
	tell     func(bytes int64)

	mu       sync.Mutex // guards the others
	progress *downloaded
	unsynced int // slices that are written and not synced
}

// Download writes a snapshot to a directory, which it creates.
func Download(ctx context.Context, path string, from Source, options DownloadOptions) (about *management.SnapshotMetadata, err error) {
	d := directory(path)
	if about, err = from.Metadata(ctx); err != nil {
		return nil, err
	}
	progress, err := d.begin(about, options.Resume)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	x := &download{dir: d, about: about, from: from, parallel: options.Parallel, tell: options.Tell, progress: progress}
	if x.tell == nil {
		x.tell = func(int64) {}
	}
	if options.Digests {
		if x.digests, err = os.OpenFile(d.path(digestFile), os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, x.digests.Close()) }()
	}
	for _, p := range parts {
		if err := x.part(ctx, p.part, p.file); err != nil {
			return nil, err
		}
	}
	for _, c := range about.Chunks {
		if err := d.downloadChunk(ctx, c.Hash, from); err != nil {
			return nil, err
		}
	}
	return about, d.remove(downloadFile)
}

// begin makes a directory ready for a download, and returns what an earlier one has written.
func (d directory) begin(about *management.SnapshotMetadata, resume bool) (*downloaded, error) {
	if err := os.MkdirAll(d.path(chunkFolder), 0o700); err != nil {
		return nil, err
	}
	progress := &downloaded{}
	if !resume {
		if d.occupied() {
			return nil, ErrOccupied
		}
		if err := d.writeJSON(downloadFile, progress); err != nil { // before the metadata: it makes the directory incomplete
			return nil, err
		}
		return progress, d.writeJSON(metadataFile, about)
	}
	var before management.SnapshotMetadata
	switch err := d.readJSON(metadataFile, &before); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("it has no download to resume: leave out --resume")
	case err != nil:
		return nil, err
	}
	same, err := sameMetadata(&before, about)
	switch {
	case err != nil:
		return nil, err
	case !same:
		return nil, errors.New("it has another snapshot: name another directory")
	}
	if err := d.readJSON(downloadFile, progress); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return progress, d.writeJSON(downloadFile, progress)
}

// sameMetadata reports whether two descriptions are of the same snapshot.
func sameMetadata(a, b *management.SnapshotMetadata) (bool, error) {
	first, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	second, err := json.Marshal(b)
	return bytes.Equal(first, second), err
}

// part writes the rest of a part to its file.
func (x *download) part(ctx context.Context, p Part, name string) (err error) {
	total, done := sizeOf(x.about, p), x.progress.of(p)
	if done.Frontier > total {
		return fmt.Errorf("%s: %d bytes of %s are written, but it has only %d: remove the directory and begin again", x.dir.path(downloadFile), done.Frontier, name, total)
	}
	file, err := os.OpenFile(x.dir.path(name), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Truncate(int64(total)); err != nil {
		return err
	}
	err = inParallel(ctx, x.parallel, done.missing(total), func(ctx context.Context, offset uint64) error {
		return x.slice(ctx, p, file, offset)
	})
	return errors.Join(err, x.record(file))
}

// slice writes a slice of a part.
func (x *download) slice(ctx context.Context, p Part, file *os.File, offset uint64) error {
	total := sizeOf(x.about, p)
	length := min(MaxSliceBytes, total-offset)
	slice, err := x.from.Read(ctx, p, offset, length)
	if err != nil {
		return err
	}
	if uint64(len(slice)) != length {
		return fmt.Errorf("reading %s: %d bytes at %d of %d, want %d", filepath.Base(file.Name()), len(slice), offset, total, length)
	}
	if err := writeSparse(file, slice, int64(offset)); err != nil {
		return err
	}
	if x.digests != nil {
		sum := sha256.Sum256(slice)
		if _, err := x.digests.WriteAt(sum[:], digestOffset(x.about, p, offset)); err != nil {
			return err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.progress.of(p).add(offset, total)
	x.tell(int64(x.progress.Module.bytes(x.about.ModuleSize) + x.progress.Heap.bytes(x.about.HeapSize) + x.progress.Stable.bytes(x.about.StableSize)))
	if x.unsynced++; x.unsynced < slicesPerSync {
		return nil
	}
	return x.record(file)
}

// record records the progress, once it is on disk. No slice of another part is on its way.
func (x *download) record(file *os.File) error {
	if x.unsynced == 0 {
		return nil
	}
	x.unsynced = 0
	if x.digests != nil {
		if err := x.digests.Sync(); err != nil {
			return err
		}
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return x.dir.writeJSON(downloadFile, x.progress)
}

// writeSparse writes the blocks of a slice that are not zero: the file has zeros there already.
func writeSparse(file *os.File, slice []byte, offset int64) error {
	for len(slice) > 0 {
		block := slice[:min(holeBytes, len(slice))]
		if !allZero(block) {
			if _, err := file.WriteAt(block, offset); err != nil {
				return err
			}
		}
		slice, offset = slice[len(block):], offset+int64(len(block))
	}
	return nil
}

// downloadChunk writes a chunk of the chunk store, unless it is there.
func (d directory) downloadChunk(ctx context.Context, hash []byte, from Source) error {
	if chunk, err := d.readChunk(hash); err == nil && chunk != nil {
		return nil
	}
	chunk, err := from.ReadChunk(ctx, hash)
	if err != nil {
		return err
	}
	return os.WriteFile(d.chunk(hash), chunk, 0o600)
}
