package journal_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// The process ends at each change of the disk in turn while a state directory is removed.
func TestACrashWhileADirectoryIsRemovedLeavesAllOfItOrNothing(t *testing.T) {
	for after := range int64(30) {
		memory := vfs.NewMem()
		o := journal.Options{FS: memory}
		j, err := journal.Open("/all/one", o)
		if err != nil {
			t.Fatal(err)
		}
		j.Append([]byte("record"), false)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		left := after
		crash := journal.Options{FS: errorfs.Wrap(memory, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if left--; left >= 0 {
				return nil
			}
			if op.Kind == errorfs.OpRemoveAll {
				_ = memory.RemoveAll(memory.PathJoin(op.Path, "store")) // in the middle of it; it may be gone
			}
			return errors.New("the process has ended")
		}))}
		removed := journal.Remove("/all/one", crash) == nil
		names, err := journal.List("/all", o)
		if err != nil {
			t.Fatal(err)
		}
		if len(names) > 0 && !slices.Equal(names, []string{"one"}) {
			t.Errorf("after %d changes: %q are left", after, names)
		}
		if len(names) > 0 {
			if j, err = journal.Open("/all/one", o); err != nil {
				t.Fatalf("after %d changes: %v", after, err)
			}
			if j.Position() != 1 {
				t.Errorf("after %d changes: %d records are left", after, j.Position())
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if removed {
			return
		}
	}
	t.Error("the directory is never removed")
}
