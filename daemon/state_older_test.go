package daemon

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/test/canistertest"
)

// older returns the content of a file that canisterd state export of an older version wrote. The program that wrote
// testdata/states/VERSION.journal.gz had that version of the archive format: a counter counted to 3 before a checkpoint and
// to 5 after it, and then the daemon was killed. In version 8 an update trapped at the end.
func older(t *testing.T, version string) []byte {
	t.Helper()
	content, err := io.ReadAll(unzipped(t, version+".journal.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// unzipped returns a reader of a compressed file of testdata/states.
func unzipped(t *testing.T, name string) io.Reader {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "states", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	content, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// unpackOlder unpacks a state directory of an older program. The program of commit 3dbf55ac left testdata/states/9.tar.gz,
// with its store, after canisterd start --seed 00 --state-dir, the canister of test/torture, three updates, canisterd stop,
// another start, two updates, and kill -9.
func unpackOlder(t *testing.T, dir, version string) {
	t.Helper()
	for files := tar.NewReader(unzipped(t, version+".tar.gz")); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.FromSlash(header.Name))
		if header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(to, 0o700)
		} else {
			var content []byte
			if content, err = io.ReadAll(files); err == nil {
				err = os.WriteFile(to, content, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkContinues starts a daemon twice with a state directory whose canister has counted to 5, and checks that it counts on.
func checkContinues(t *testing.T, dir, version string) {
	t.Helper()
	counter, err := principal.Parse("7tjcv-pp777-77776-qaaaa-cai")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []uint64{6, 7} {
		d, err := kept(t, dir, Config{})
		if err != nil {
			t.Fatalf("version %s: %v", version, err)
		}
		u := userOf(t, d)
		reply, err := u.Call(u.ctx, counter, counter, "count", nil)
		if err != nil || len(reply) != 16 || binary.LittleEndian.Uint64(reply) != want || binary.LittleEndian.Uint64(reply[8:]) != want {
			t.Errorf("version %s continues with %x, want %d: %v", version, reply, want, err)
		}
		u.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if r, err := ReplayState(t.Context(), dir, Config{CacheDir: canistertest.CacheDir(t)}, Traces{}); err != nil || r.Checkpoints == 0 {
			t.Errorf("version %s, with new records, replays to %+v: %v", version, r, err)
		}
	}
}

func TestAStateDirectoryThatAnOlderProgramLeftGoesOnAndReplays(t *testing.T) {
	const version = "9"
	dir := t.TempDir()
	unpackOlder(t, dir, version)
	if r, err := ReplayState(t.Context(), dir, Config{CacheDir: canistertest.CacheDir(t)}, Traces{}); err != nil || r.Checkpoints != 1 || r.Inputs < 7 {
		t.Errorf("version %s replays to %+v: %v", version, r, err)
	}
	checkContinues(t, dir, version)
}

func TestStateDirectoriesOfOlderVersionsGoOnAndReplay(t *testing.T) {
	for version, want := range map[string]Replayed{"7": {Inputs: 9, Rounds: 10}, "8": {Inputs: 8, Rounds: 9, Roots: 9}} {
		file := older(t, version)
		r, err := ReplayFile(t.Context(), bytes.NewReader(file), Config{CacheDir: canistertest.CacheDir(t)}, Traces{})
		if err != nil || r.Checkpoints != 1 || r.Inputs != want.Inputs || r.Rounds != want.Rounds || r.Roots != want.Roots {
			t.Errorf("version %s replays to %+v: %v", version, r, err)
		}
		dir := filepath.Join(t.TempDir(), "state")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := journal.Unpack(dir, bytes.NewReader(file)); err != nil {
			t.Fatal(err)
		}
		checkContinues(t, dir, version)
	}
}
