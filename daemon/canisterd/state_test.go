package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/daemon"
)

func TestAStateDirectoryIsCheckedReplayedCompactedAndRepaired(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for range 2 {
		d, err := daemon.Start(t.Context(), daemon.Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir(), StateDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Node().Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(code int, want string, args ...string) {
		t.Helper()
		var out, errOut bytes.Buffer
		if got := run(t.Context(), append(args, dir), &out, &errOut); got != code || !strings.Contains(out.String()+errOut.String(), want) {
			t.Errorf("canisterd %s: exit code %d, want %d and %q:\n%s%s", strings.Join(args, " "), got, code, want, &out, &errOut)
		}
	}
	expect(exitOK, "checkpoint  checkpoint-", "state", "check")
	expect(exitOK, "1 checkpoint compared", "replay")
	expect(exitOK, "nothing is damaged", "state", "repair")
	newest, err := filepath.Glob(filepath.Join(dir, "checkpoint-*"))
	if err != nil || len(newest) != 2 {
		t.Fatalf("the checkpoints are %s: %v", newest, err)
	}
	if err := os.WriteFile(newest[1], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(exitFailed, "goes on from "+filepath.Base(newest[0]), "state", "check")
	expect(exitOK, "is repaired", "state", "repair")
	expect(exitOK, "0 checkpoints compared", "replay")
	expect(exitOK, "0 records after the oldest", "state", "compact")
	expect(exitOK, "0 records (0 inputs", "replay")
}
