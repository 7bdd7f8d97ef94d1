package snapshotdir

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/internal/regular"
)

// Target makes a snapshot of a canister. Its methods are called concurrently.
type Target interface {
	// Begin makes a snapshot whose parts are zeros, and returns its id.
	Begin(ctx context.Context, about *management.SnapshotMetadata) (id []byte, err error)
	// Write writes bytes of a part, at most MaxSliceBytes.
	Write(ctx context.Context, id []byte, p Part, offset uint64, slice []byte) error
	WriteChunk(ctx context.Context, id, chunk []byte) error
}

// uploaded is .upload_progress.json. The offsets are those before which all bytes were sent.
type uploaded struct {
	ID     string   `json:"snapshot_id"`
	Begun  bool     `json:"metadata_uploaded"`
	Module uint64   `json:"wasm_module_offset"`
	Heap   uint64   `json:"wasm_memory_offset"`
	Stable uint64   `json:"stable_memory_offset"`
	Chunks []string `json:"wasm_chunks_uploaded"`
}

func (u *uploaded) of(p Part) *uint64 { return ofPart(p, &u.Module, &u.Heap, &u.Stable) }

// UploadOptions say how a snapshot is sent.
type UploadOptions struct {
	// Resume continues an upload that was interrupted.
	Resume bool
	// Progress is the name of the file in the directory that says what was sent; "": the one of icp-cli. Uploads of a
	// directory to several targets have a file each.
	Progress string
	// Unrecorded writes nothing into the directory. Such an upload cannot be resumed.
	Unrecorded bool
	// Parallel is the number of slices that are on their way at the same time; 0: one. Each takes a few megabytes.
	Parallel int
	// Tell gets the bytes of the parts that were sent; nil: they are not told.
	Tell func(bytes int64)
}

// upload is an upload of a directory.
type upload struct {
	dir      directory
	about    *management.SnapshotMetadata
	to       Target
	id       []byte
	name     string   // of the file with the progress; "": it is not recorded
	digests  *os.File // nil: there are none
	parallel int
	tell     func(bytes int64)

	mu         sync.Mutex // guards the others
	progress   *uploaded
	unrecorded int // slices that were sent and are not recorded
}

// Upload sends the snapshot in a directory, and returns its id.
func Upload(ctx context.Context, path string, to Target, options UploadOptions) (id []byte, err error) {
	about, err := Read(path)
	if err != nil {
		return nil, err
	}
	x := &upload{dir: directory(path), about: about, to: to, name: cmp.Or(options.Progress, uploadFile), parallel: options.Parallel, tell: options.Tell}
	if options.Unrecorded {
		x.name = ""
	}
	if x.tell == nil {
		x.tell = func(int64) {}
	}
	if err := x.begin(ctx, options.Resume); err != nil {
		return nil, err
	}
	if x.id, err = hex.DecodeString(x.progress.ID); err != nil {
		return nil, fmt.Errorf("%s: invalid snapshot_id %q: expected hex", x.dir.path(x.name), x.progress.ID)
	}
	if x.dir.has(digestFile) {
		if x.digests, err = regular.Open(x.dir.path(digestFile)); err != nil {
			return nil, err
		}
		defer func() { _ = x.digests.Close() }() // only for reading
	}
	for _, p := range parts {
		if err := x.part(ctx, p.part, p.file); err != nil {
			return nil, err
		}
	}
	if err := x.chunks(ctx); err != nil {
		return nil, err
	}
	if x.name == "" {
		return x.id, nil
	}
	return x.id, x.dir.remove(x.name)
}

// HasUpload reports whether a directory has an upload to resume, whose progress is in the named file.
func HasUpload(path, progress string) bool { return directory(path).has(progress) }

// IsIncomplete reports whether a directory has a download to resume.
func IsIncomplete(path string) bool {
	d := directory(path)
	return d.has(downloadFile) && d.has(metadataFile)
}

// Digest returns the SHA-256 of the digests of all slices of a directory that has them: equal digests are equal memories.
func Digest(path string) ([]byte, error) {
	file, err := regular.Open(directory(path).path(digestFile))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only for reading
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return nil, err
	}
	return sum.Sum(nil), nil
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

// begin makes the snapshot, or with resume reads how far an earlier upload came.
func (x *upload) begin(ctx context.Context, resume bool) error {
	x.progress = &uploaded{Chunks: []string{}}
	switch begun := x.name != "" && x.dir.has(x.name); {
	case resume && !begun:
		return fmt.Errorf("%s has no upload to resume: leave out --resume", string(x.dir))
	case resume:
		return x.dir.readJSON(x.name, x.progress)
	case begun:
		return fmt.Errorf("an upload of %s was interrupted: pass --resume to continue it, or remove %s to begin again", string(x.dir), x.dir.path(x.name))
	}
	id, err := x.to.Begin(ctx, x.about)
	if err != nil {
		return err
	}
	x.progress.ID, x.progress.Begun = hex.EncodeToString(id), true
	return x.record()
}

// part sends the rest of a part.
func (x *upload) part(ctx context.Context, p Part, name string) error {
	file, err := regular.Open(x.dir.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has no bytes
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only for reading
	done, total := &transferred{Frontier: *x.progress.of(p)}, sizeOf(x.about, p)
	err = inParallel(ctx, x.parallel, done.missing(total), func(ctx context.Context, offset uint64) error {
		if err := x.slice(ctx, p, file, offset); err != nil {
			return err
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		done.add(offset, total)
		*x.progress.of(p) = done.Frontier
		x.tell(int64(x.progress.Module + x.progress.Heap + x.progress.Stable))
		if x.unrecorded++; x.unrecorded < slicesPerSync {
			return nil
		}
		return x.record()
	})
	return errors.Join(err, x.record())
}

// slice sends a slice of a part. Zeros of a memory are there already.
func (x *upload) slice(ctx context.Context, p Part, file *os.File, offset uint64) error {
	slice := make([]byte, min(MaxSliceBytes, sizeOf(x.about, p)-offset))
	if _, err := file.ReadAt(slice, int64(offset)); err != nil {
		return err
	}
	if x.digests != nil {
		var want [sha256.Size]byte
		if _, err := x.digests.ReadAt(want[:], digestOffset(x.about, p, offset)); err != nil {
			return fmt.Errorf("reading the digests of %s: %w", file.Name(), err)
		}
		if sum := sha256.Sum256(slice); sum != want {
			return fmt.Errorf("%s is damaged: the SHA-256 of %d bytes at %d is %x, not %x", file.Name(), len(slice), offset, sum, want)
		}
	}
	if p != Module && allZero(slice) {
		return nil
	}
	return x.to.Write(ctx, x.id, p, offset, slice)
}

// chunks sends the rest of the chunk store.
func (x *upload) chunks(ctx context.Context) error {
	for _, c := range x.about.Chunks {
		name := hex.EncodeToString(c.Hash)
		if slices.Contains(x.progress.Chunks, name) {
			continue
		}
		chunk, err := x.dir.readChunk(c.Hash)
		if err != nil {
			return err
		}
		if err := x.to.WriteChunk(ctx, x.id, chunk); err != nil {
			return err
		}
		x.progress.Chunks = append(x.progress.Chunks, name)
		if err := x.record(); err != nil {
			return err
		}
	}
	return nil
}

// record writes how far the upload is.
func (x *upload) record() error {
	x.unrecorded = 0
	if x.name == "" {
		return nil
	}
	return x.dir.writeJSON(x.name, x.progress)
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
