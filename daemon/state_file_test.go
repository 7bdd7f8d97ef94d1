package daemon

import (
	"archive/tar"
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/test/canistertest"
)

// exported is the file of a state directory with a counter.
func exported(t *testing.T) (file []byte, state Replayed) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	d, err := kept(t, dir, Config{})
	if err != nil {
		t.Fatal(err)
	}
	u := userOf(t, d)
	id := u.deploy(motoko(t, "counter"))
	if _, err := u.Call(u.ctx, id, id, "inc", []byte("DIDL\x00\x00")); err != nil {
		t.Fatal(err)
	}
	u.Close()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := ExportState(dir, &out); err != nil {
		t.Fatal(err)
	}
	if state, err = ReplayFile(t.Context(), bytes.NewReader(out.Bytes()), Config{CacheDir: canistertest.CacheDir(t)}, Traces{}); err != nil || state.Rounds == 0 || state.Checkpoints != 1 {
		t.Fatalf("the replay of the file: %+v: %v", state, err)
	}
	return out.Bytes(), state
}

// A client calls all the time. Each file has the calls that were answered before, and replays to the same.
func TestADaemonExportsTheJournalOfAnInstanceThatRuns(t *testing.T) {
	d, err := kept(t, filepath.Join(t.TempDir(), "state"), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	u := userOf(t, d)
	id := u.deploy(motoko(t, "counter"))
	running, err := d.Instances().Instance(instance.Default)
	if err != nil {
		t.Fatal(err)
	}
	var answered atomic.Uint64
	ctx, cancel := context.WithCancel(u.ctx)
	var clients sync.WaitGroup
	clients.Go(func() {
		for ctx.Err() == nil {
			if _, err := u.Call(ctx, id, id, "inc", []byte("DIDL\x00\x00")); err == nil {
				answered.Add(1)
			}
		}
	})
	for range 3 {
		enough := answered.Load() + 3
		eventually.True(t, "three answers", func() bool { return answered.Load() >= enough })
		least := answered.Load()
		var file bytes.Buffer
		if err := running.ExportJournal(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		replayed, err := ReplayFile(t.Context(), &file, Config{CacheDir: canistertest.CacheDir(t)}, Traces{Newest: 1_000})
		if err != nil {
			t.Fatal(err)
		}
		if calls := strings.Count(strings.Join(replayed.Traces, "\n"), ".inc"); uint64(calls) < least {
			t.Errorf("the file has %d calls of %d that were answered:\n%s", calls, least, replayed.Traces)
		}
	}
	cancel()
	clients.Wait()
}

// TestADamagedJournalFileIsAnErrorOrReplaysTheSame cuts the file, and flips bits in it.
func TestADamagedJournalFileIsAnErrorOrReplaysTheSame(t *testing.T) {
	file, want := exported(t)
	random := rand.New(rand.NewPCG(7, 8))
	refused := 0
	for attempt := range 60 {
		damaged := bytes.Clone(file)
		at := random.IntN(len(file))
		if attempt%3 == 0 {
			damaged = damaged[:at]
		} else {
			damaged[at] ^= 1 << random.IntN(8)
		}
		got, err := ReplayFile(t.Context(), bytes.NewReader(damaged), Config{CacheDir: canistertest.CacheDir(t)}, Traces{})
		if err != nil {
			refused++
			if text := err.Error(); !strings.Contains(text, "at byte") && !strings.Contains(text, "before byte") {
				t.Errorf("damage at byte %d: the error does not say where: %v", at, err)
			}
		} else if got.StateHash != want.StateHash {
			t.Errorf("damage at byte %d of %d is not noticed: %+v", at, len(file), got)
		}
	}
	if refused < 50 {
		t.Errorf("only %d of 60 damaged files are refused: this shows little", refused)
	}
}

func TestAForeignArchiveIsRefusedWithTheByte(t *testing.T) {
	archive := func(header *tar.Header) []byte {
		var out bytes.Buffer
		if err := tar.NewWriter(&out).WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	for want, file := range map[string][]byte{
		"at byte 0: it ends":    nil,
		"at byte 1536: unexp":   archive(&tar.Header{Name: "FORMAT", Size: 1 << 40, Mode: 0o600}),
		"is not a regular file": archive(&tar.Header{Name: "store", Typeflag: tar.TypeSymlink, Linkname: "/"}),
		"path escapes":          archive(&tar.Header{Name: "../outside", Mode: 0o600}),
	} {
		if _, err := ReplayFile(t.Context(), bytes.NewReader(file), Config{CacheDir: canistertest.CacheDir(t)}, Traces{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("an archive with %q: %v", want, err)
		}
	}
}
