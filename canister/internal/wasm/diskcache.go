package wasm

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// diskCache is a folder of rewritten modules (a checksum, then the module) next to the engine's own folder of compiled
// code. A damaged file counts as missing.
type diskCache struct {
	dir       string // of the modules and receipts
	root      string
	build     [32]byte
	processor [32]byte
}

func openDiskCache(root string) (*diskCache, error) {
	d := &diskCache{root: root, dir: filepath.Join(root, "modules"), build: buildFingerprint(), processor: processorFingerprint()}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the cache of rewritten modules: %w", err)
	}
	return d, nil
}

func (d *diskCache) path(key [32]byte) string {
	name := sha256.Sum256(append(d.build[:], key[:]...))
	return filepath.Join(d.dir, fmt.Sprintf("%x", name))
}

var errDamaged = errors.New("damaged file in the cache of rewritten modules")

func (d *diskCache) load(key [32]byte) (*rewrite.Module, error) {
	path := d.path(key)
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := decodeModule(file)
	if err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return m, nil
}

// A file of the cache is a checksum (against damage, as in a receipt, not against forgery), the length of the
// description, the description of the module and its binary, which is used in place.
const (
	checksumSize = 4
	headSize     = checksumSize + 4
)

func decodeModule(file []byte) (*rewrite.Module, error) {
	if len(file) < headSize || crc32.Checksum(file[checksumSize:], castagnoli) != binary.LittleEndian.Uint32(file) {
		return nil, errDamaged
	}
	described := uint64(binary.LittleEndian.Uint32(file[checksumSize:]))
	if described > uint64(len(file)-headSize) {
		return nil, errDamaged
	}
	rest := file[headSize:]
	m := new(rewrite.Module)
	if err := gob.NewDecoder(bytes.NewReader(rest[:described])).Decode(m); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	m.Binary = slices.Clip(rest[described:])
	return m, nil
}

func encodeModule(m *rewrite.Module) ([]byte, error) {
	description := *m
	description.Binary = nil
	var out bytes.Buffer
	out.Write(make([]byte, headSize))
	if err := gob.NewEncoder(&out).Encode(&description); err != nil {
		return nil, err
	}
	binary.LittleEndian.PutUint32(out.Bytes()[checksumSize:], uint32(out.Len()-headSize))
	out.Write(m.Binary)
	file := out.Bytes()
	binary.LittleEndian.PutUint32(file, crc32.Checksum(file[checksumSize:], castagnoli))
	return file, nil
}

func (d *diskCache) save(key [32]byte, m *rewrite.Module) error {
	file, err := encodeModule(m)
	if err != nil {
		return err
	}
	if err := d.replace(d.path(key), file); err != nil {
		return err
	}
	d.recordAdded(int64(len(file)))
	return nil
}

// move moves a file that is complete into the folder.
func (d *diskCache) move(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	d.recordAdded(info.Size())
	return nil
}

func (d *diskCache) replace(path string, content []byte) error {
	return replaceFile(d.dir, path, content)
}

// replaceFile writes a temporary file and renames it, so that no reader sees half a file.
func replaceFile(dir, path string, content []byte) error {
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
