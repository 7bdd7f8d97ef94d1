package snapshotdir

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/canisterd/canisterd/candid/management"
)

// Source reads a snapshot of a canister.
type Source interface {
	Metadata(ctx context.Context) (*management.SnapshotMetadata, error)
	// Read reads so many bytes of a part, at most MaxSliceBytes.
	Read(ctx context.Context, p Part, offset, size uint64) ([]byte, error)
	ReadChunk(ctx context.Context, hash []byte) ([]byte, error)
}

// downloaded is .download_progress.json, by the names of parts.
type downloaded struct {
	Module downloadedPart `json:"wasm_module"`
	Heap   downloadedPart `json:"wasm_memory"`
	Stable downloadedPart `json:"stable_memory"`
}

// downloadedPart says which bytes of a part were written: all before the frontier. icp-cli, which reads several slices at
// once, also lists the offsets of slices after it; they are read again here.
type downloadedPart struct {
	Frontier uint64   `json:"frontier"`
	Ahead    []uint64 `json:"ahead"`
}

func (d *downloaded) of(p Part) *downloadedPart { return ofPart(p, &d.Module, &d.Heap, &d.Stable) }

// Download writes a snapshot to a directory, which it creates. With resume, it continues a download that was interrupted.
// tell gets the bytes of the parts that are there.
func Download(ctx context.Context, path string, resume bool, from Source, tell func(bytes int64)) (*management.SnapshotMetadata, error) {
	d := directory(path)
	about, err := from.Metadata(ctx)
	if err != nil {
		return nil, err
	}
	progress, err := d.begin(about, resume)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, p := range parts {
		done := progress.of(p.part)
		if done.Frontier > sizeOf(about, p.part) {
			return nil, fmt.Errorf("%s: %d bytes of %s are written, but it has only %d: remove the directory and begin again", d.path(downloadFile), done.Frontier, p.file, sizeOf(about, p.part))
		}
		if err := d.downloadPart(ctx, p.part, p.file, sizeOf(about, p.part), from, func(frontier uint64) error {
			*done = downloadedPart{Frontier: frontier, Ahead: []uint64{}}
			tell(int64(progress.Module.Frontier + progress.Heap.Frontier + progress.Stable.Frontier))
			return d.writeJSON(downloadFile, progress)
		}, done.Frontier); err != nil {
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
	if err := os.MkdirAll(d.path(chunkFolder), 0o755); err != nil {
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

// downloadPart writes the rest of a part to its file. wrote records how far it is on disk.
func (d directory) downloadPart(ctx context.Context, p Part, name string, total uint64, from Source, wrote func(frontier uint64) error, frontier uint64) (err error) {
	file, err := os.OpenFile(d.path(name), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Truncate(int64(total)); err != nil {
		return err
	}
	for frontier < total {
		slice, err := from.Read(ctx, p, frontier, min(MaxSliceBytes, total-frontier))
		if err != nil {
			return err
		}
		if len(slice) == 0 {
			return fmt.Errorf("reading %s: no bytes at %d of %d", name, frontier, total)
		}
		if err := writeSparse(file, slice, int64(frontier)); err != nil {
			return err
		}
		if err := file.Sync(); err != nil {
			return err
		}
		frontier += uint64(len(slice))
		if err := wrote(frontier); err != nil {
			return err
		}
	}
	return nil
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
	return os.WriteFile(d.chunk(hash), chunk, 0o644)
}
