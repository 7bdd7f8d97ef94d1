package journal_test

import (
	"errors"
	"testing"

	"github.com/canisterd/canisterd/daemon/journal"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// threeBlocks is a directory with checkpoints at 10 and 20 of 30 records, which lie in three blocks.
func threeBlocks(t *testing.T) (vfs.FS, []journal.Checkpoint) {
	fs := vfs.NewMem()
	j := opened(t, fs)
	for i := range 3 {
		appendSome(j, 10)
		synced(t, j)
		if i < 2 {
			keep(t, j, false, "a network of some bytes")
		}
	}
	all := j.Checkpoints()
	closed(t, j)
	return fs, all
}

// damageBlock overwrites the block of the record at a position; the store knows nothing of it.
func damageBlock(t *testing.T, fs vfs.FS, position byte) {
	t.Helper()
	db, err := pebble.Open("state/store", &pebble.Options{FS: fs, Logger: pebble.DefaultLogger})
	if err == nil {
		err = db.Set([]byte{'r', 0, 0, 0, 0, 0, 0, 0, position}, []byte("something else"), pebble.Sync)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func damageFile(t *testing.T, fs vfs.FS, name string) {
	t.Helper()
	file, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = file.WriteAt([]byte("N"), 2)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestARepairGoesOnFromWhatIsNotDamaged(t *testing.T) {
	for what, c := range map[string]struct {
		damage func(t *testing.T, fs vfs.FS, all []journal.Checkpoint)
		from   uint64 // the newest checkpoint that is left
		end    uint64 // of the records that are left
	}{
		"nothing":               {func(*testing.T, vfs.FS, []journal.Checkpoint) {}, 20, 30},
		"the newest checkpoint": {func(t *testing.T, fs vfs.FS, all []journal.Checkpoint) { damageFile(t, fs, "state/"+all[1].File) }, 10, 30},
		"the older checkpoint":  {func(t *testing.T, fs vfs.FS, all []journal.Checkpoint) { damageFile(t, fs, "state/"+all[0].File) }, 20, 30},
		"the last records":      {func(t *testing.T, fs vfs.FS, _ []journal.Checkpoint) { damageBlock(t, fs, 20) }, 20, 20},
		"records between":       {func(t *testing.T, fs vfs.FS, _ []journal.Checkpoint) { damageBlock(t, fs, 10) }, 20, 30},
		"the newest checkpoint and the last records": {func(t *testing.T, fs vfs.FS, all []journal.Checkpoint) {
			damageFile(t, fs, "state/"+all[1].File)
			damageBlock(t, fs, 20)
		}, 10, 20},
	} {
		fs, all := threeBlocks(t)
		c.damage(t, fs, all)
		j, err := journal.Open("state", journal.Options{FS: fs, Damaged: true})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if h, end, err := j.Repair(); err != nil || end != c.end || (len(h.Damaged) == 0) != (what == "nothing") {
			t.Errorf("%s: records end at %d, want %d; damaged are %v: %v", what, end, c.end, h.Damaged, err)
		}
		appendSome(j, 5)
		closed(t, j)
		j = opened(t, fs)
		if h := j.Check(); len(h.Damaged) > 0 || h.Checkpoints[len(h.Checkpoints)-1].Position != c.from {
			t.Errorf("%s: after the repair, %+v", what, h)
		}
		checkRecords(t, j, c.from, c.end+5)
		closed(t, j)
	}
}

func TestADirectoryWithoutAGoodCheckpointIsNotRepaired(t *testing.T) {
	fs, all := threeBlocks(t)
	for _, c := range all {
		damageFile(t, fs, "state/"+c.File)
	}
	j := opened(t, fs)
	if h, _, err := j.Repair(); err == nil || len(h.Damaged) != 2 {
		t.Errorf("the repair of two damaged checkpoints: %v, %v", h.Damaged, err)
	}
	if left := j.Checkpoints(); len(left) != 2 {
		t.Errorf("%d checkpoints are left, want both", len(left))
	}
	closed(t, j)
}
