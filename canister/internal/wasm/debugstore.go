package wasm

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// DebugInfo is debug information beside a module. An empty part is none.
type DebugInfo struct {
	SourceMap []byte
	DebugFile []byte // a Wasm module with sections .debug_*
}

// HasDebugInfo reports whether there is any.
func (d DebugInfo) HasDebugInfo() bool { return len(d.SourceMap) > 0 || len(d.DebugFile) > 0 }

func (d DebugInfo) size() int { return len(d.SourceMap) + len(d.DebugFile) }

// debugStore keeps debug information by the hash of the module as uploaded: in a folder, or without one in memory. It is
// no part of the state of canisters. What was given first goes first when there is no room.
type debugStore struct {
	dir string // "" for memory

	mu    sync.Mutex // guards what follows
	order [][32]byte // of kept, the oldest first
	kept  map[[32]byte]DebugInfo
	bytes int
}

// The ends of the names of files: the hash in hexadecimal digits comes before.
const (
	sourceMapEnd = ".map"
	debugFileEnd = ".wasm"
)

func newDebugStore(cacheDir string) *debugStore {
	s := &debugStore{kept: map[[32]byte]DebugInfo{}}
	if cacheDir != "" {
		s.dir = filepath.Join(cacheDir, "debug")
	}
	return s
}

// KeepDebugInfo keeps debug information for a module, in the place of any that it has. The error is that of the folder.
func (e *Engine) KeepDebugInfo(module [32]byte, d DebugInfo) error {
	if !d.HasDebugInfo() {
		return nil
	}
	s := e.debug
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		s.remember(module, d)
		return nil
	}
	if err := s.write(module, d); err != nil {
		return fmt.Errorf("keep debug information: %w", err)
	}
	return nil
}

// remember keeps debug information in memory. Needs mu.
func (s *debugStore) remember(module [32]byte, d DebugInfo) {
	if old, ok := s.kept[module]; ok {
		s.bytes -= old.size()
		s.order = slices.DeleteFunc(s.order, func(hash [32]byte) bool { return hash == module })
	}
	s.kept[module], s.order, s.bytes = d, append(s.order, module), s.bytes+d.size()
	for len(s.order) > 1 && s.bytes > maxDebugMemory {
		s.bytes -= s.kept[s.order[0]].size()
		delete(s.kept, s.order[0])
		s.order = s.order[1:]
	}
}

// write keeps debug information in files. Needs mu.
func (s *debugStore) write(module [32]byte, d DebugInfo) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	for end, content := range map[string][]byte{sourceMapEnd: d.SourceMap, debugFileEnd: d.DebugFile} { // in any order
		if len(content) == 0 {
			if err := os.Remove(s.path(module, end)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			continue
		}
		if err := replaceFile(s.dir, s.path(module, end), content); err != nil {
			return err
		}
	}
	pruneFiles(s.files(), maxDebugDisk)
	return nil
}

func (s *debugStore) path(module [32]byte, end string) string {
	return filepath.Join(s.dir, hex.EncodeToString(module[:])+end)
}

func (s *debugStore) files() []string {
	all, _ := filepath.Glob(filepath.Join(s.dir, "*"))
	return all
}

// DebugInfo returns the debug information that is kept for a module. A file that cannot be read is none.
func (e *Engine) DebugInfo(module [32]byte) DebugInfo {
	s := e.debug
	if s.dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.kept[module]
	}
	var d DebugInfo
	d.SourceMap, _ = os.ReadFile(s.path(module, sourceMapEnd))
	d.DebugFile, _ = os.ReadFile(s.path(module, debugFileEnd))
	return d
}

// HasDebugInfo reports whether debug information is kept for a module.
func (e *Engine) HasDebugInfo(module [32]byte) bool {
	s := e.debug
	if s.dir == "" {
		return e.DebugInfo(module).HasDebugInfo()
	}
	for _, end := range []string{sourceMapEnd, debugFileEnd} {
		if _, err := os.Stat(s.path(module, end)); err == nil {
			return true
		}
	}
	return false
}
