package wasm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
)

func TestAModuleIsCompiledOnce(t *testing.T) {
	e := newTestEngine(t, Config{})
	m := rewritten(t, counter)
	codes := make([]*Code, 8)
	var group sync.WaitGroup
	for i := range codes {
		group.Go(func() {
			var err error
			if codes[i], err = e.Compile(context.Background(), m); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, c := range codes {
		if c != codes[0] {
			t.Error("the same module has two codes")
		}
	}
	if e.compiled != 1 {
		t.Errorf("compiled %d times", e.compiled)
	}
}

func TestCodeThatNothingRunsIsDroppedAndMadeAgain(t *testing.T) {
	e := newTestEngine(t, Config{MaxResident: 2})
	e.codes.most = 3
	var guests []*Guest
	for i := range 8 {
		guests = append(guests, newTestGuest(t, e, fmt.Sprintf(`(module (import "ic0" "note" (func $note (param i64))) (memory 1)
			(func (export "canister_update id") (call $note (i64.const %d))))`, i)))
	}
	held := 0
	for _, g := range guests {
		if g.code.compiled != nil {
			held++
		}
	}
	if held > 3 || e.codes.order.Len() > 3 {
		t.Errorf("%d codes are kept", held)
	}
	for i, g := range guests {
		if got := notes(t, g, "id"); got != uint64(i) {
			t.Errorf("guest %d runs code %d", i, got)
		}
		g.Rollback()
	}
}

func TestACancelledCompilationLeavesNothing(t *testing.T) {
	e := newTestEngine(t, Config{CacheDir: t.TempDir()})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := rewritten(t, counter)
	if _, err := e.Compile(ctx, m); err == nil {
		t.Error("compiled without time")
	}
	if _, err := e.Compile(context.Background(), m); err != nil {
		t.Error(err)
	}
}

// warm installs the module from the cache folder, or afresh, and runs it.
func warm(t *testing.T, dir string) (found bool) {
	t.Helper()
	e := newTestEngine(t, Config{CacheDir: dir})
	fresh := rewritten(t, counter)
	m, found := e.CachedModule(fresh.Hash)
	if found {
		if !bytes.Equal(m.Binary, fresh.Binary) || m.BinaryHash != fresh.BinaryHash || !reflect.DeepEqual(m.Data, fresh.Data) ||
			!reflect.DeepEqual(m.Globals, fresh.Globals) || !reflect.DeepEqual(m.Methods, fresh.Methods) {
			t.Fatal("the cached module is another one")
		}
	} else {
		m = fresh
		e.CacheModule(fresh.Hash, m)
	}
	code, err := e.Compile(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	g, err := e.NewGuest(code)
	if err != nil {
		t.Fatal(err)
	}
	run(t, g, "inc")
	commit(t, g)
	if got := notes(t, g, "heap"); got != 8 {
		t.Errorf("heap has %d", got)
	}
	g.Close()
	return found
}

func TestAWarmInstallReadsEverythingFromDisk(t *testing.T) {
	dir := t.TempDir()
	if warm(t, dir) {
		t.Error("found in an empty cache")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	if len(files) != 3 {
		t.Errorf("the cache has %q, want a module, a receipt and compiled code", files)
	}
	if !warm(t, dir) {
		t.Error("not found in the cache")
	}
	if again, _ := filepath.Glob(filepath.Join(dir, "*", "*")); !reflect.DeepEqual(again, files) {
		t.Errorf("a warm install changed the cache from %q to %q", files, again)
	}
}

func TestDamagedCacheFilesDoNotHurt(t *testing.T) {
	t.Parallel()
	damage := map[string]func(content []byte) []byte{
		"empty":     func([]byte) []byte { return nil },
		"truncated": func(c []byte) []byte { return c[:len(c)/2] },
		"cut":       func(c []byte) []byte { return c[:len(c)-1] },
		"longer":    func(c []byte) []byte { return append(c, 0) },
		"garbage":   func(c []byte) []byte { return bytes.Repeat([]byte{0xa5}, len(c)) },
		"zeros":     func(c []byte) []byte { return make([]byte, len(c)) },
	}
	for _, at := range []int{0, 8, 24, 30, 40, 200} {
		damage[fmt.Sprintf("flipped at %d", at)] = func(c []byte) []byte {
			c[min(at, len(c)-1)] ^= 0x10
			return c
		}
	}
	for name, change := range damage {
		for kind := range 3 {
			t.Run(fmt.Sprintf("%s %d", name, kind), func(t *testing.T) {
				dir := t.TempDir()
				warm(t, dir)
				files, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
				content, err := os.ReadFile(files[kind])
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(files[kind], change(content), 0o600); err != nil {
					t.Fatal(err)
				}
				warm(t, dir)
				if !warm(t, dir) {
					t.Error("the cache did not heal")
				}
			})
		}
	}
}

func FuzzDecodeModule(f *testing.F) {
	file, err := encodeModule(rewritten(f, counter))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, file []byte) {
		if m, err := decodeModule(file); (m == nil) == (err == nil) {
			t.Errorf("module %v and error %v", m, err)
		}
	})
}
