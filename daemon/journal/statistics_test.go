package journal_test

import (
	"testing"
	"time"

	"github.com/canisterd/canisterd/daemon/journal"
	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestWhatJournalsDoIsCountedTogether(t *testing.T) {
	counts := new(journal.Statistics)
	for _, dir := range []string{"one", "two"} {
		j, err := journal.Open(dir, journal.Options{FS: vfs.NewMem(), Statistics: counts})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			j.Append(make([]byte, 99), false) // with its length, 100 bytes
			synced(t, j)
		}
		keep(t, j, false, "network")
		closed(t, j)
	}
	got := counts.Read()
	commits := uint64(0)
	for _, n := range got.Commits {
		commits += n
	}
	if commits != 6 || got.Records != 6 || got.Bytes != 600 || got.Checkpoints != 2 || got.Took <= 0 {
		t.Errorf("the counts are %+v", got)
	}
}

func TestCommitsAreCountedByTimesFrom100MicrosecondsTo1638Milliseconds(t *testing.T) {
	bounds := journal.CommitBounds()
	if len(bounds) != 8 || bounds[0] != 100*time.Microsecond || bounds[7] != 1_638_400*time.Microsecond {
		t.Errorf("the bounds are %v", bounds)
	}
	counts := new(journal.Statistics)
	for _, took := range []time.Duration{0, 100 * time.Microsecond, 101 * time.Microsecond, 400 * time.Microsecond, 1_638_400 * time.Microsecond, time.Hour} {
		counts.Committed(took, 1, 1)
	}
	if got := counts.Read(); got.Commits != [9]uint64{0: 2, 1: 2, 7: 1, 8: 1} {
		t.Errorf("the commits are counted as %v", got.Commits)
	}
}
