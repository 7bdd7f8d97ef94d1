package journal_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// fileBytes returns the size of all checkpoint and page files in the directory.
func fileBytes(t testing.TB, fs vfs.FS) (bytes int64) {
	t.Helper()
	all, err := fs.List("state")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if !strings.HasPrefix(name, "checkpoint-") && !strings.HasPrefix(name, "pages-") {
			continue
		}
		info, err := fs.Stat("state/" + name)
		if err != nil {
			t.Fatal(err)
		}
		bytes += info.Size()
	}
	return bytes
}

func TestUsageIsWhatTheFilesAndRecordsOfCheckpointsTake(t *testing.T) {
	fs := vfs.NewCrashableMem()
	open := func() *journal.Journal {
		retention := journal.Retention{Age: time.Hour, RecordBytes: 1 << 20, CheckpointBytes: 100}
		j, err := journal.Open("state", journal.Options{FS: fs, Retention: retention})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j := open()
	if got := j.Usage(); got != (journal.Usage{}) {
		t.Errorf("a new directory takes %+v", got)
	}
	check := func(want journal.Usage) {
		t.Helper()
		if got := j.Usage(); got != want {
			t.Errorf("the directory takes %+v, want %+v", got, want)
		}
		if got := fileBytes(t, fs); got != want.Checkpoints+want.HistoryCheckpoints {
			t.Errorf("the files have %d bytes, want %d", got, want.Checkpoints+want.HistoryCheckpoints)
		}
	}
	now := time.Now()
	var shared memory
	// keepOne makes a checkpoint of 9 bytes with a page file of 70 bytes that all share, and one of 30 bytes of its
	// own.
	keepOne := func(i int) {
		t.Helper()
		appendSome(j, 10)
		synced(t, j)
		c := journal.Checkpoint{Position: j.Position(), Made: now.Add(time.Duration(i) * time.Minute), Written: int64(1000 * (i + 1))}
		_, err := j.Keep(c, func(w io.Writer, pages *journal.PageFiles) (state [32]byte, err error) {
			if i == 0 {
				shared.file, shared.offset, err = pages.Put(make([]byte, 70))
			} else {
				_, _, err = pages.Keep(shared.file, shared.offset, 70)
			}
			if err == nil && i > 0 {
				_, _, err = pages.Put(make([]byte, 30))
			}
			if err == nil {
				_, err = fmt.Fprintf(w, "network %d", i)
			}
			return state, err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	keepOne(0)
	check(journal.Usage{Checkpoints: 9 + 70})
	keepOne(1)
	check(journal.Usage{Checkpoints: 2*9 + 70 + 30, Records: 1000})
	keepOne(2)
	check(journal.Usage{Checkpoints: 2*9 + 70 + 2*30, Records: 1000, HistoryCheckpoints: 9, HistoryRecords: 1000})
	keepOne(3)
	check(journal.Usage{Checkpoints: 2*9 + 70 + 2*30, Records: 1000, HistoryCheckpoints: 2*9 + 30, HistoryRecords: 2000})
	closed(t, j)
	j = open()
	check(journal.Usage{Checkpoints: 2*9 + 70 + 2*30, Records: 1000, HistoryCheckpoints: 2*9 + 30, HistoryRecords: 2000})
	for i := 4; i < 9; i++ { // the budget of 100 bytes has room for the oldest and two in the middle
		keepOne(i)
	}
	check(journal.Usage{Checkpoints: 2*9 + 70 + 2*30, Records: 1000, HistoryCheckpoints: 3*9 + 2*30, HistoryRecords: 7000})
	closed(t, j)
}
