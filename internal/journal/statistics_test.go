package journal_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestWhatJournalsDoIsCountedTogether(t *testing.T) { synctest.Test(t, countTogether) }

func countTogether(t *testing.T) {
	counts := new(journal.Statistics)
	for _, dir := range []string{"one", "two"} {
		j, err := journal.Open(dir, journal.Options{FS: slowDisk{vfs.NewMem(), time.Millisecond}, Statistics: counts})
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
	times := func(d journal.Durations) (n uint64) {
		for _, in := range d.Counts {
			n += in
		}
		return n
	}
	if times(got.Commits) != 6 || got.Records != 6 || got.Bytes != 600 || times(got.Checkpoints) != 2 || got.Commits.Sum <= 0 || got.Checkpoints.Sum <= 0 {
		t.Errorf("the counts are %+v", got)
	}
	if n := times(got.Syncs); n < 6+2*3 || got.Syncs.Sum <= 0 { // a commit syncs a file; a checkpoint syncs its file, the directory and the store
		t.Errorf("%d syncs are counted, in %v", n, got.Syncs.Sum)
	}
}

// slowDisk is a file system whose syncs take a while.
type slowDisk struct {
	vfs.FS
	takes time.Duration
}

type slowFile struct {
	vfs.File
	takes time.Duration
}

func (d slowDisk) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	file, err := d.FS.Create(name, category)
	return slowFile{file, d.takes}, err
}

func (f slowFile) Sync() error {
	time.Sleep(f.takes) // in a bubble
	return f.File.Sync()
}

func (f slowFile) SyncData() error {
	time.Sleep(f.takes) // in a bubble
	return f.File.SyncData()
}

func (f slowFile) SyncTo(length int64) (bool, error) {
	time.Sleep(f.takes) // in a bubble
	return f.File.SyncTo(length)
}

// TestASlowDiskIsSeenInTheTimesOfSyncs checks that a commit takes at least as long as its sync.
func TestASlowDiskIsSeenInTheTimesOfSyncs(t *testing.T) { synctest.Test(t, syncSlowly) }

func syncSlowly(t *testing.T) {
	const takes = 20 * time.Millisecond
	counts := new(journal.Statistics)
	j, err := journal.Open("dir", journal.Options{FS: slowDisk{vfs.NewMem(), takes}, Statistics: counts})
	if err != nil {
		t.Fatal(err)
	}
	before := counts.Read().Syncs.Sum
	j.Append([]byte("record"), false)
	synced(t, j)
	if got := counts.Read(); got.Syncs.Sum-before < takes || got.Commits.Sum < takes {
		t.Errorf("a sync of %v is counted as %v, its commit as %v", takes, got.Syncs.Sum-before, got.Commits.Sum)
	}
	closed(t, j)
}

func TestDurationsAreCountedFrom100MicrosecondsTo26Seconds(t *testing.T) {
	bounds := journal.Bounds()
	if len(bounds) != 10 || bounds[0] != 100*time.Microsecond || bounds[9] != 26_214_400*time.Microsecond {
		t.Errorf("the bounds are %v", bounds)
	}
	counts := new(journal.Statistics)
	for _, took := range []time.Duration{0, 100 * time.Microsecond, 101 * time.Microsecond, 400 * time.Microsecond, 26_214_400 * time.Microsecond, time.Hour} {
		counts.Committed(took, 1, 1)
	}
	if got := counts.Read().Commits; got.Counts != [11]uint64{0: 2, 1: 2, 9: 1, 10: 1} {
		t.Errorf("the commits are counted as %v", got.Counts)
	}
}
