package journal_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// onDisk returns the number of records after a crash.
func onDisk(t *testing.T, fs *vfs.MemFS) uint64 {
	t.Helper()
	crashed := opened(t, fs.CrashClone(vfs.CrashCloneCfg{}))
	defer closed(t, crashed)
	return crashed.Position()
}

func TestALazyRecordIsWrittenWithTheNextThatIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewCrashableMem()
		j := opened(t, fs)
		defer closed(t, j)
		for _, step := range []struct {
			lazy bool
			want uint64
		}{{true, 0}, {true, 0}, {false, 3}, {true, 3}, {false, 5}} {
			j.Append(recordAt(j.Position()), step.lazy)
			time.Sleep(time.Hour)
			if got := onDisk(t, fs); got != step.want {
				t.Errorf("of %d records, %d are on disk, want %d", j.Position(), got, step.want)
			}
		}
		j.Append(recordAt(j.Position()), true)
		synced(t, j)
		if got := onDisk(t, fs); got != 6 {
			t.Errorf("%d records are on disk after a wait for a lazy one, want 6", got)
		}
	})
}
