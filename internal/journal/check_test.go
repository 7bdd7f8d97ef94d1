package journal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/eventually"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// newThreeBlocks makes a directory with checkpoints at 10 and 20 of 30 records, which lie in three blocks.
func newThreeBlocks(t *testing.T) (vfs.FS, []journal.Checkpoint) {
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

// damageBlock overwrites the block at a position. The store itself stays consistent.
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
		fs, all := newThreeBlocks(t)
		c.damage(t, fs, all)
		j, err := journal.Open("state", journal.Options{FS: fs, MemTableBytes: smallTable, Damaged: true})
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
	fs, all := newThreeBlocks(t)
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

// ends fails the test if do hangs.
func ends(t *testing.T, what string, do func()) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		do()
	}()
	eventually.Receive(t, "the end of "+what, ended)
}

// newTables makes a directory whose records are in tables of the store.
func newTables(t *testing.T) vfs.FS {
	t.Helper()
	fs := vfs.NewMem()
	j := opened(t, fs)
	keep(t, j, false, "a network of some bytes")
	for range 10 {
		appendSome(j, 20)
		synced(t, j)
	}
	if err := j.Compact(); err != nil {
		t.Fatal(err)
	}
	closed(t, j)
	return fs
}

// lastWithSuffix returns the last file of a folder with a suffix.
func lastWithSuffix(t *testing.T, fs vfs.FS, folder, suffix string) (found string) {
	t.Helper()
	names, err := fs.List(folder)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(name, suffix) {
			found = name
		}
	}
	if found == "" {
		t.Fatalf("%s has %q", folder, names)
	}
	return found
}

// Every command on a damaged directory hung: without a handler, the store treats damage that it reads as fatal.
func TestADamagedTableOfTheStoreIsNamedAndNothingWaitsForIt(t *testing.T) {
	fs := newTables(t)
	table := lastWithSuffix(t, fs, "state/store", ".sst")
	damageFile(t, fs, "state/store/"+table)
	named := func(what string, err error) {
		t.Helper()
		damaged, ok := errors.AsType[*journal.DamagedError](err)
		if !ok || damaged.File != "store/"+table {
			t.Fatalf("%s: %v", what, err)
		}
		if text := err.Error(); strings.Contains(text, "\n") || strings.Contains(text, ".go:") || strings.Count(text, "state check") != 1 {
			t.Errorf("%s says: %s", what, text)
		}
	}
	ends(t, "an opening", func() {
		j, err := journal.Open("state", journal.Options{FS: fs})
		if err == nil {
			err = errors.Join(j.Records(0, func(uint64, []byte) error { return nil }), j.Close())
		}
		named("an opening", err)
	})
	ends(t, "a check", func() {
		j, err := journal.Open("state", journal.Options{FS: fs, ReadOnly: true, Damaged: true})
		if err == nil {
			h := j.Check()
			err = errors.Join(errors.Join(h.Damaged...), j.Close())
		}
		named("a check", err)
	})
}
