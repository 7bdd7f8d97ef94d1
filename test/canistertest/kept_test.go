package canistertest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/canisterd/canisterd/canister"
)

// compiledIn installs the scriptable canister with an engine of its own, and returns the file with its machine code.
func compiledIn(t *testing.T, home string) os.FileInfo {
	t.Helper()
	engine, err := canister.NewEngine(canister.EngineConfig{CacheDir: modulesIn(home), Fragments: canister.FragmentsNever})
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlace(t)
	p.Engine = engine
	p.Scriptable()
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(modulesIn(home), "wazero-*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("compiled to %q (%v)", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestMachineCodeOfOneProcessIsThereInTheNext(t *testing.T) {
	k := keptCode{t.TempDir()}
	var files []os.FileInfo
	for range 3 {
		home, err := k.processFolder()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, compiledIn(t, home))
		k.add(modulesIn(home))
		if err := os.RemoveAll(home); err != nil {
			t.Fatal(err)
		}
	}
	if !os.SameFile(files[0], files[1]) || !os.SameFile(files[0], files[2]) {
		t.Error("the module was compiled again")
	}
}

func TestNothingIsKeptWhereTheCompilerIsAMutant(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	if k := openKept(); k.dir == "" {
		t.Fatal("nothing is kept")
	}
	t.Setenv(keepVariable, "off")
	if k := openKept(); k.dir != "" {
		t.Errorf("kept in %s", k.dir)
	}
}

func TestTheCompilerIsKnownByItsSources(t *testing.T) {
	t.Chdir(t.TempDir())
	sources := filepath.Join("canister", "internal", "wasm")
	if err := os.MkdirAll(sources, 0o700); err != nil {
		t.Fatal(err)
	}
	hashes := map[string]string{}
	for _, change := range []struct{ path, content string }{
		{"go.mod", "one version"},
		{"go.mod", "another version"},
		{filepath.Join(sources, "compile.go"), "one configuration"},
		{filepath.Join(sources, "compile.go"), "another configuration"},
	} {
		if err := os.WriteFile(change.path, []byte(change.content), 0o600); err != nil {
			t.Fatal(err)
		}
		hash, err := compilerHash()
		if err != nil {
			t.Fatal(err)
		}
		if before := hashes[hash]; before != "" {
			t.Errorf("with %s the hash is that with %s", change.content, before)
		}
		hashes[hash] = change.content
	}
	if err := os.WriteFile(filepath.Join(sources, "compile_test.go"), []byte("a test"), 0o600); err != nil {
		t.Fatal(err)
	}
	if hash, err := compilerHash(); err != nil || hashes[hash] != "another configuration" {
		t.Errorf("a test changes the hash (%v)", err)
	}
}

func TestFoldersThatNoTestUsesAreRemoved(t *testing.T) {
	cache := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, cache)
	}
	k := openKept()
	now := time.Now()
	for path, age := range map[string]time.Duration{
		filepath.Join(filepath.Dir(k.dir), "old"): 25 * time.Hour, filepath.Join(filepath.Dir(k.dir), "new"): 23 * time.Hour,
		filepath.Join(k.dir, "process-old"): 25 * time.Hour, filepath.Join(k.dir, "process-new"): 23 * time.Hour,
		filepath.Join(k.dir, "modules"): 25 * time.Hour,
	} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	openKept()
	left := map[string]bool{}
	for _, pattern := range []string{filepath.Join(filepath.Dir(k.dir), "*"), filepath.Join(k.dir, "*")} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			left[filepath.Base(path)] = true
		}
	}
	if left["old"] || left["process-old"] || !left["new"] || !left["process-new"] || !left["modules"] {
		t.Errorf("left: %v", left)
	}
}
