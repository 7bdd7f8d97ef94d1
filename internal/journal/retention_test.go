package journal_test

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// hourly returns checkpoints at intervals of an hour, the last one made now, each with records and a file of so many
// bytes.
func hourly(count int, now time.Time, records, file int64) (all []journal.Checkpoint) {
	for i := range count {
		all = append(all, journal.Checkpoint{
			Position: uint64(100 * i), Written: int64(i) * records, Bytes: file, Made: now.Add(-time.Duration(count-1-i) * time.Hour),
		})
	}
	return all
}

// hundredsOf returns the positions of checkpoints, divided by 100.
func hundredsOf(all []journal.Checkpoint) (positions []uint64) {
	for _, c := range all {
		positions = append(positions, c.Position/100)
	}
	return positions
}

func TestAHistoryReachesBackAWeek(t *testing.T) {
	now := time.Now()
	r := journal.DefaultRetention()
	daily := hourly(12, now, 1, 1)
	for i := range daily {
		daily[i].Made = now.Add(-time.Duration(11-i) * 24 * time.Hour)
	}
	// A fork at any round of the last seven days begins at the checkpoint that was made before them, or later.
	if got := hundredsOf(r.Kept(daily, now)); !slices.Equal(got, []uint64{4, 5, 6, 7, 8, 9, 10, 11}) {
		t.Errorf("checkpoints %v are kept", got)
	}
	if got := hundredsOf(r.Kept(daily, now.Add(30*24*time.Hour))); !slices.Equal(got, []uint64{10, 11}) {
		t.Errorf("a month later, checkpoints %v are kept", got)
	}
}

func TestAHistoryHas256MiBOfRecords(t *testing.T) {
	now := time.Now()
	r := journal.DefaultRetention()
	const part = 64 << 20
	if got := hundredsOf(r.Kept(hourly(9, now, part, 1), now)); !slices.Equal(got, []uint64{3, 4, 5, 6, 7, 8}) {
		t.Errorf("checkpoints %v are kept, with 64 MiB of records after each", got)
	}
	if got := hundredsOf(r.Kept(hourly(9, now, part+1, 1), now)); !slices.Equal(got, []uint64{4, 5, 6, 7, 8}) {
		t.Errorf("checkpoints %v are kept, with a byte more", got)
	}
}

func TestAHistoryHasAGibibyteOfCheckpointsAndDropsThoseInTheMiddleFirst(t *testing.T) {
	now := time.Now()
	r := journal.DefaultRetention()
	const file = 256 << 20
	if got := hundredsOf(r.Kept(hourly(6, now, 1, file), now)); !slices.Equal(got, []uint64{0, 1, 2, 3, 4, 5}) {
		t.Errorf("checkpoints %v are kept, of 256 MiB each", got)
	}
	if got := hundredsOf(r.Kept(hourly(6, now, 1, file+1), now)); !slices.Equal(got, []uint64{0, 2, 3, 4, 5}) {
		t.Errorf("checkpoints %v are kept, of a byte more each", got)
	}
	uneven := hourly(7, now, 1, file)
	uneven[3].Position = 399 // the fewest records are between the neighbors of checkpoint 4
	if got := hundredsOf(r.Kept(uneven, now)); !slices.Equal(got, []uint64{0, 1, 2, 3, 5, 6}) {
		t.Errorf("checkpoints %v are kept of uneven ones", got)
	}
	if got := hundredsOf(r.Kept(hourly(4, now, 1, 2<<30), now)); !slices.Equal(got, []uint64{2, 3}) {
		t.Errorf("checkpoints %v are kept, where each is larger than the history may be", got)
	}
}

func TestPageFilesThatTheLastCheckpointsNeedAreNotOfTheHistory(t *testing.T) {
	now := time.Now()
	r := journal.Retention{Age: 24 * time.Hour, RecordBytes: 1 << 20, CheckpointBytes: 1000}
	all := hourly(4, now, 1, 1)
	for i := range all {
		all[i].Pages = []journal.PageFile{{Name: "shared", Bytes: 1 << 30}}
	}
	all[0].Pages = append(all[0].Pages, journal.PageFile{Name: "old", Bytes: 998})
	all[1].Pages = append(all[1].Pages, journal.PageFile{Name: "old", Bytes: 998}) // counts once
	if got := hundredsOf(r.Kept(all, now)); len(got) != 4 {
		t.Errorf("checkpoints %v are kept with 1,000 bytes of files of their own", got)
	}
	all[1].Bytes++
	if got := hundredsOf(r.Kept(all, now)); !slices.Equal(got, []uint64{0, 2, 3}) {
		t.Errorf("checkpoints %v are kept with a byte more", got)
	}
}

func TestAHistoryHas64CheckpointsAtMostThatAreEvenlySpread(t *testing.T) {
	now := time.Now()
	r := journal.DefaultRetention()
	all := []journal.Checkpoint{}
	for i := range 150 { // as they are made
		made := hourly(150, now, 1, 1)[i]
		if all = r.Kept(append(all, made), made.Made); len(all) != min(i+1, 64) {
			t.Fatalf("%d checkpoints are kept of %d", len(all), i+1)
		}
	}
	got := hundredsOf(all)
	if got[0] != 0 || got[62] != 148 || got[63] != 149 {
		t.Errorf("the history begins at checkpoint %d and ends at %d and %d", got[0], got[62], got[63])
	}
	for i := 1; i < len(got); i++ {
		if got[i]-got[i-1] > 8 {
			t.Errorf("between checkpoints %d and %d is none", got[i-1], got[i])
		}
	}
}

func TestTheRecordsAfterTheOldestCheckpointOfAHistoryAreKept(t *testing.T) {
	fs := vfs.NewCrashableMem()
	j, err := journal.Open("state", journal.Options{FS: fs, Retention: journal.Retention{Age: time.Hour, RecordBytes: 1 << 20, CheckpointBytes: 18}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for i := range 6 {
		appendSome(j, 100)
		synced(t, j)
		c := journal.Checkpoint{Position: j.Position(), Made: now.Add(time.Duration(i) * time.Minute), Written: j.Written()}
		if _, err := j.Keep(c, func(w io.Writer, _ *journal.PageFiles) (state [32]byte, err error) {
			_, err = fmt.Fprintf(w, "network %d", i)
			return state, err
		}); err != nil {
			t.Fatal(err)
		}
	}
	appendSome(j, 50)
	synced(t, j)
	crashed := fs.CrashClone(vfs.CrashCloneCfg{})
	closed(t, j)
	j = opened(t, crashed) // without a history: it is dropped with the next checkpoint
	if got := hundredsOf(j.Checkpoints()); !slices.Equal(got, []uint64{1, 3, 5, 6}) {
		t.Errorf("checkpoints %v are kept", got)
	}
	checkRecords(t, j, 100, 650)
	if files, err := crashed.List("state"); err != nil || len(files) != 12 { // FORMAT, lock, store, end, four checkpoints and four sidecars
		t.Errorf("the directory has %v: %v", files, err)
	}
	keep(t, j, false, "the last")
	if got := hundredsOf(j.Checkpoints()); !slices.Equal(got, []uint64{6, 6}) {
		t.Errorf("checkpoints %v are kept then", got)
	}
	checkRecords(t, j, 600, 650)
	closed(t, j)
}
