package wasm

import (
	"bytes"
	"os"
	"testing"
	"time"
)

func TestDebugInformationIsKeptByTheHashOfItsModule(t *testing.T) {
	dir := t.TempDir()
	for name, config := range map[string]Config{"in memory": {}, "in files": {CacheDir: dir}} { // in any order
		e := newTestEngine(t, config)
		one, other := [32]byte{1}, [32]byte{2}
		for _, given := range []DebugInfo{{SourceMap: []byte("map"), DebugFile: []byte("file")}, {SourceMap: []byte("new")}} {
			if err := e.KeepDebugInfo(one, given); err != nil {
				t.Fatal(err)
			}
			if got := e.DebugInfo(one); !bytes.Equal(got.SourceMap, given.SourceMap) || !bytes.Equal(got.DebugFile, given.DebugFile) {
				t.Errorf("%s: the module has %+v, want %+v", name, got, given)
			}
		}
		if !e.HasDebugInfo(one) || e.HasDebugInfo(other) || e.DebugInfo(other).HasDebugInfo() {
			t.Errorf("%s: modules have the debug information of others", name)
		}
		if err := e.KeepDebugInfo(other, DebugInfo{}); err != nil || e.HasDebugInfo(other) {
			t.Errorf("%s: no debug information is kept (%v)", name, err)
		}
	}
	if e := newTestEngine(t, Config{CacheDir: dir}); !e.HasDebugInfo([32]byte{1}) {
		t.Error("another engine does not find the files")
	}
}

func TestTheOldestDebugInformationGoesAtItsLimits(t *testing.T) {
	memory, disk := maxDebugMemory, maxDebugDisk
	if memory != 256<<20 || disk != 4<<30 {
		t.Errorf("the limits are %d and %d", memory, disk)
	}
	defer func() { maxDebugMemory, maxDebugDisk = memory, disk }()
	maxDebugMemory, maxDebugDisk = 100, 100
	for name, config := range map[string]Config{"in memory": {}, "in files": {CacheDir: t.TempDir()}} { // in any order
		e := newTestEngine(t, config)
		for i := range byte(4) {
			if err := e.KeepDebugInfo([32]byte{i}, DebugInfo{SourceMap: make([]byte, 30)}); err != nil {
				t.Fatal(err)
			}
			if config.CacheDir != "" { // times of files may be the same
				old := time.Unix(int64(i), 0)
				if err := os.Chtimes(e.debug.path([32]byte{i}, sourceMapEnd), old, old); err != nil && i < 3 {
					t.Fatal(err)
				}
			}
		}
		if e.HasDebugInfo([32]byte{0}) || !e.HasDebugInfo([32]byte{3}) {
			t.Errorf("%s: the first is kept (%t), and the last (%t)", name, e.HasDebugInfo([32]byte{0}), e.HasDebugInfo([32]byte{3}))
		}
	}
}
