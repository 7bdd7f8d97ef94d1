package journal_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/canisterd/canisterd/internal/journal"
)

// copies are the copies of the directory that are in it.
func copies(t *testing.T, fs vfs.FS) (names []string) {
	t.Helper()
	all, err := fs.List("state")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(name string) bool { return !strings.HasPrefix(name, "copy-") })
}

// Some append and wait, one makes checkpoints, and another exports all the time.
func TestAnExportBesideWritersHasEveryRecordThatWasAcknowledged(t *testing.T) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	keep(t, j, true, "base")
	var acknowledged atomic.Uint64
	var writers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		writers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				position := j.Position()
				j.Append([]byte("record"), false)
				if err := j.Sync(t.Context()); err != nil {
					t.Error(err)
					return
				}
				for old := acknowledged.Load(); position+1 > old && !acknowledged.CompareAndSwap(old, position+1); old = acknowledged.Load() {
				}
			}
		})
	}
	for range 10 {
		position := j.Position()
		synced(t, j)
		_, err := j.Keep(journal.Checkpoint{Position: position}, func(w io.Writer, _ *journal.PageFiles) (state [32]byte, err error) {
			_, err = io.WriteString(w, "checkpoint")
			return state, err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Put("name", []byte("value")); err != nil {
			t.Fatal(err)
		}
		least := acknowledged.Load()
		var file bytes.Buffer
		if err := j.Export(&file); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := journal.Unpack(dir, &file); err != nil {
			t.Fatal(err)
		}
		checkExport(t, dir, j.Checkpoints(), least)
	}
	close(done)
	writers.Wait()
	if left := copies(t, fs); len(left) > 0 {
		t.Errorf("copies that stay: %q", left)
	}
	closed(t, j)
}

// checkExport opens a directory that was exported.
func checkExport(t *testing.T, dir string, want []journal.Checkpoint, least uint64) {
	t.Helper()
	j, err := journal.Open(dir, journal.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, j)
	if h := j.Check(); len(h.Damaged) > 0 || h.End < least {
		t.Errorf("the export has records until %d, want %d at least; damaged is %v", h.End, least, h.Damaged)
	}
	same := func(a, b journal.Checkpoint) bool { return a.File == b.File }
	if got := j.Checkpoints(); !slices.EqualFunc(got, want, same) {
		t.Errorf("the export has checkpoints %v, want %v", got, want)
	}
	if value, err := j.Get("name"); err != nil || string(value) != "value" {
		t.Errorf("the value is %q: %v", value, err)
	}
}

func TestAnOpeningRemovesCopiesThatACrashLeft(t *testing.T) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	keep(t, j, true, "base")
	closed(t, j)
	if err := fs.MkdirAll("state/copy-LEFT/store", 0o700); err != nil {
		t.Fatal(err)
	}
	closed(t, opened(t, fs))
	if left := copies(t, fs); len(left) > 0 {
		t.Errorf("copies that stay: %q", left)
	}
}

// A disk without room for the copy fails the export, and not the journal.
func TestAnExportThatCannotBeCopiedLeavesTheJournalAsItIs(t *testing.T) {
	var full atomic.Bool
	memory := vfs.NewMem()
	fs := errorfs.Wrap(memory, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && strings.Contains(op.Path, "copy-") && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpRemoveAll {
			return errors.New("no room")
		}
		return nil
	}))
	j := opened(t, fs)
	keep(t, j, true, "base")
	full.Store(true)
	var file bytes.Buffer
	if err := j.Export(&file); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("the export ends with %v", err)
	}
	full.Store(false)
	appendSome(j, 10)
	synced(t, j)
	if left := copies(t, memory); len(left) > 0 {
		t.Errorf("copies that stay: %q", left)
	}
	closed(t, j)
}
