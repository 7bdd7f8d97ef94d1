package wasm

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// moduleCache keeps rewritten modules in memory, the least recently used go first.
type moduleCache struct {
	byHash map[[32]byte]*list.Element
	order  *list.List // of moduleEntry
	bytes  int
}

type moduleEntry struct {
	key    [32]byte
	module *rewrite.Module
}

func newModuleCache() moduleCache {
	return moduleCache{byHash: map[[32]byte]*list.Element{}, order: list.New()}
}

func (mc *moduleCache) add(key [32]byte, m *rewrite.Module) {
	if at, ok := mc.byHash[key]; ok {
		mc.order.MoveToFront(at)
		return
	}
	mc.byHash[key] = mc.order.PushFront(moduleEntry{key, m})
	mc.bytes += len(m.Binary)
	for mc.order.Len() > 1 && (mc.order.Len() > maxModules || mc.bytes > maxModuleBytes) {
		last := mc.order.Remove(mc.order.Back()).(moduleEntry)
		delete(mc.byHash, last.key)
		mc.bytes -= len(last.module.Binary)
	}
}

// CachedModule finds the rewritten form of a module by a key that its user makes of the uploaded bytes and everything else the rewriter
// depends on; the version of this program is part of it already.
func (e *Engine) CachedModule(key [32]byte) (*rewrite.Module, bool) {
	e.mu.Lock()
	at, ok := e.modules.byHash[key]
	if ok {
		e.modules.order.MoveToFront(at)
	}
	e.mu.Unlock()
	if ok {
		return at.Value.(moduleEntry).module, true
	}
	if e.disk == nil {
		return nil, false
	}
	m, err := e.disk.load(key)
	if err != nil {
		return nil, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.modules.add(key, m)
	return m, true
}

// CacheModule keeps the rewritten form of a module for CachedModule. Failing to write it to disk is not an error: the cache is only a cache.
func (e *Engine) CacheModule(key [32]byte, m *rewrite.Module) {
	e.mu.Lock()
	e.modules.add(key, m)
	e.mu.Unlock()
	if e.disk != nil {
		_ = e.disk.save(key, m)
	}
}

// diskCache is a folder of rewritten modules: a checksum, then the module. Anything wrong with a file makes it as good as missing.
type diskCache struct {
	dir   string
	build [32]byte
}

func openDiskCache(dir string) (*diskCache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the cache of rewritten modules: %w", err)
	}
	return &diskCache{dir: dir, build: buildFingerprint()}, nil
}

// buildFingerprint tells programs apart whose rewriters may differ.
func buildFingerprint() [32]byte {
	h := sha256.New()
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info.Main.Version, info.GoVersion)
		for _, s := range info.Settings {
			fmt.Fprintln(h, s.Key, s.Value)
		}
	}
	if path, err := os.Executable(); err == nil {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
		}
	}
	return [32]byte(h.Sum(nil))
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

func decodeModule(file []byte) (*rewrite.Module, error) {
	if len(file) < sha256.Size || sha256.Sum256(file[sha256.Size:]) != [32]byte(file[:sha256.Size]) {
		return nil, errDamaged
	}
	m := new(rewrite.Module)
	if err := gob.NewDecoder(bytes.NewReader(file[sha256.Size:])).Decode(m); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return m, nil
}

func encodeModule(m *rewrite.Module) ([]byte, error) {
	var file bytes.Buffer
	file.Write(make([]byte, sha256.Size))
	if err := gob.NewEncoder(&file).Encode(m); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(file.Bytes()[sha256.Size:])
	copy(file.Bytes(), sum[:])
	return file.Bytes(), nil
}

// save writes beside and renames, so that no reader sees half a file.
func (d *diskCache) save(key [32]byte, m *rewrite.Module) error {
	file, err := encodeModule(m)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(d.dir, "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(file)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), d.path(key))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// dropCompiled empties the engine's own cache of compiled code.
func (d *diskCache) dropCompiled(cacheDir string) {
	folders, _ := filepath.Glob(filepath.Join(cacheDir, "wazero-*"))
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				_ = os.Remove(path)
			}
			return nil
		})
	}
}
