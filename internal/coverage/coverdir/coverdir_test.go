package coverdir_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/coverage"
	"github.com/canisterd/canisterd/internal/coverage/coverdir"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/canisterd/canisterd/test/canistertest/wat"
)

// branches has a method for each of two ways.
const branches = `(module (import "ic0" "msg_reply" (func $reply)) (import "ic0" "msg_arg_data_size" (func $size (result i32)))
	(func (export "canister_update run") (if (call $size) (then (call $reply)) (else (call $reply) (nop)))))`

// process runs the module in an engine of its own and writes what ran.
func process(t *testing.T, dir string, args ...string) *coverdir.Writer {
	t.Helper()
	w, err := coverdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := canister.NewEngine(canister.EngineConfig{CacheDir: canistertest.CacheDir(t), Coverage: w.Coverage})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	place := canistertest.NewPlace(t)
	place.Engine = engine
	c := place.Canister(place.Module(wat.MustAssemble(branches)), nil)
	for _, arg := range args {
		place.Update(c, "run", []byte(arg))
	}
	if err := w.Write(); err != nil {
		t.Fatal(err)
	}
	return w
}

func blocksOf(t *testing.T, dir string) (ran, all int) {
	t.Helper()
	joined, err := coverdir.Read(dir, func([32]byte) string { return "bank" })
	if err != nil {
		t.Fatal(err)
	}
	if len(joined.Modules) != 1 || joined.Modules[0].Name != "bank" {
		t.Fatalf("there are %d modules, want that of bank", len(joined.Modules))
	}
	s := coverage.Summarize(&joined.Report, coverage.Options{})
	return s.Blocks.Ran, s.Blocks.Total
}

func TestProcessesHaveOneReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ran")
	process(t, dir, "")
	one, all := blocksOf(t, dir)
	process(t, dir, "x")
	if both, _ := blocksOf(t, dir); one == 0 || one >= all || both != all {
		t.Errorf("%d of %d blocks ran in the first process, %d in both", one, all, both)
	}
	modules, err := filepath.Glob(filepath.Join(dir, "*.wasm"))
	if err != nil || len(modules) != 1 {
		t.Errorf("the directory has the modules %q (%v), want one", modules, err)
	}
}

func TestWhatRanIsWrittenOnlyIfSomethingNewDid(t *testing.T) {
	dir := t.TempDir()
	w := process(t, dir, "")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(); err != nil {
		t.Errorf("nothing ran since, and it is written again: %v", err)
	}
}

func TestAReaderWaitsForServersUntilTheyHaveWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w, err := coverdir.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		waited := func() time.Duration {
			t.Helper()
			began := time.Now()
			coverdir.AwaitServers(t.Context(), dir)
			return time.Since(began)
		}
		if got := waited(); got != 0 {
			t.Errorf("without a server, a reader waits %s", got)
		}
		if err := w.Announce(); err != nil {
			t.Fatal(err)
		}
		if got := waited(); got != 2*coverdir.Interval {
			t.Errorf("with a server, a reader waits %s", got)
		}
		go func() {
			time.Sleep(coverdir.Interval)
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}()
		if got := waited(); got < coverdir.Interval || got >= 2*coverdir.Interval {
			t.Errorf("with a server that ends after %s, a reader waits %s", coverdir.Interval, got)
		}
		if err := w.Close(); err != nil {
			t.Errorf("closed again: %v", err)
		}
	})
}

func TestDamagedFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ran-00.gob")
	if err := os.WriteFile(path, []byte("no coverage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := coverdir.Read(dir, func([32]byte) string { return "" }); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged file: %v", err)
	}
}

func TestAModuleWithoutANameHasItsHash(t *testing.T) {
	dir := t.TempDir()
	process(t, dir, "")
	joined, err := coverdir.Read(dir, func([32]byte) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	if m := joined.Modules[0]; m.Name != "module "+hex.EncodeToString(m.Hash[:4]) {
		t.Errorf("the module is called %q", m.Name)
	}
}

func TestADirectoryHasTheFilesOfTenThousandProcesses(t *testing.T) {
	dir := t.TempDir()
	has := 0
	refusal := func(files int) string {
		t.Helper()
		for ; has < files; has++ {
			addEmpty(t, filepath.Join(dir, fmt.Sprintf("ran-%05d.gob", has)), filepath.Join(dir, "ran-00000.gob"))
		}
		_, err := coverdir.Read(dir, func([32]byte) string { return "" })
		return fmt.Sprint(err)
	}
	if text := refusal(10_000); !strings.Contains(text, "ran-00000.gob is damaged") {
		t.Errorf("10,000 empty files: %s", text)
	}
	if text := refusal(10_001); !strings.Contains(text, "at most 10000 are read") {
		t.Errorf("10,001 empty files: %s", text)
	}
}

// addEmpty adds an empty file, as a link to another one where the file system has such links: thousands of links take a
// tenth of the time of thousands of files.
func addEmpty(t *testing.T, path, other string) {
	t.Helper()
	if os.Link(other, path) == nil {
		return
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
