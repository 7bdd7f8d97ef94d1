package snapshotdir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/internal/regular"
)

// Part is a part of a snapshot that is read and written in slices.
type Part uint8

// The parts, in the order in which they are sent.
const (
	Module Part = iota
	Heap
	Stable
)

// ofPart returns the value of a part.
func ofPart[T any](p Part, module, heap, stable T) T {
	switch p {
	case Module:
		return module
	case Heap:
		return heap
	}
	return stable
}

// sizeOf returns the size of a part.
func sizeOf(about *management.SnapshotMetadata, p Part) uint64 {
	return ofPart(p, about.ModuleSize, about.HeapSize, about.StableSize)
}

// parts are all parts with their files.
var parts = []struct {
	part Part
	file string
}{{Module, "wasm_module.bin"}, {Heap, "wasm_memory.bin"}, {Stable, "stable_memory.bin"}}

// The other files of a directory.
const (
	metadataFile = "metadata.json"
	chunkFolder  = "wasm_chunk_store"
	downloadFile = ".download_progress.json"
	uploadFile   = ".upload_progress.json"
	digestFile   = ".slices.sha256"
)

// ErrOccupied is the error for a download into a directory that has files of a snapshot.
var ErrOccupied = errors.New("it has files of a snapshot: pass --resume to continue an interrupted download, or name another directory")

// directory is a directory with a snapshot.
type directory string

func (d directory) path(name string) string { return filepath.Join(string(d), name) }

func (d directory) chunk(hash []byte) string {
	return d.path(filepath.Join(chunkFolder, hex.EncodeToString(hash)+".bin"))
}

// has reports whether the directory has a file.
func (d directory) has(name string) bool {
	_, err := os.Lstat(d.path(name))
	return err == nil
}

// occupied reports whether the directory has files of a snapshot.
func (d directory) occupied() bool {
	for _, p := range parts {
		if d.has(p.file) {
			return true
		}
	}
	return d.has(metadataFile)
}

// readJSON reads a JSON file.
func (d directory) readJSON(name string, into any) error {
	text, err := regular.Read(d.path(name), maxJSONBytes)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", d.path(name), err)
	}
	return nil
}

// writeJSON writes a JSON file completely or not at all.
func (d directory) writeJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", d.path(name), err)
	}
	return regular.Replace(d.path(name), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// remove removes a file, if it is there.
func (d directory) remove(name string) error {
	if err := os.Remove(d.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// digestOffset returns where the digest of a slice is in the file of digests: the slices of all parts, in their order.
func digestOffset(about *management.SnapshotMetadata, p Part, offset uint64) int64 {
	n := offset / MaxSliceBytes
	for _, before := range parts {
		if before.part < p {
			n += (sizeOf(about, before.part) + MaxSliceBytes - 1) / MaxSliceBytes
		}
	}
	return int64(n * sha256.Size)
}

// zeros is a block of zeros to compare with.
var zeros [holeBytes]byte

// allZero reports whether a slice has only zeros.
func allZero(slice []byte) bool {
	for len(slice) > 0 {
		block := slice[:min(len(slice), len(zeros))]
		if !bytes.Equal(block, zeros[:len(block)]) {
			return false
		}
		slice = slice[len(block):]
	}
	return true
}
