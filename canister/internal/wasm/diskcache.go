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
	"sync"

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
	if _, done := tidied.LoadOrStore(root, true); !done {
		d.prune()
		d.dropOrphans()
		d.dropScratch()
	}
	return d, nil
}

// tidied has the cache folders from which this process has removed what is not used. Looking at all files of a folder takes
// longer than opening an engine, and nothing accumulates within a process: interrupted compilations are those of others.
var tidied sync.Map // from string to bool

// prune removes the oldest files of a cache that has become too big.
func (d *diskCache) prune() { pruneFiles(d.all(), maxDiskCache) }

// pruneFiles removes the oldest of some files if all have more bytes than a limit, until they have three quarters of it.
func pruneFiles(paths []string, limit int64) {
	type entry struct {
		path string
		info os.FileInfo
	}
	var entries []entry
	total := int64(0)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			entries = append(entries, entry{path, info})
			total += info.Size()
		}
	}
	if total <= limit {
		return
	}
	slices.SortFunc(entries, func(a, b entry) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, e := range entries {
		if total <= limit*3/4 {
			return
		}
		total -= e.info.Size()
		_ = os.Remove(e.path)
	}
}

func (d *diskCache) all() []string {
	modules, _ := filepath.Glob(filepath.Join(d.dir, "*"))
	return append(modules, d.compiled()...)
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
	return d.replace(d.path(key), file)
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
