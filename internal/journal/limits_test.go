package journal_test

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestADirectorySaysThatItsLayoutHasVersionOne(t *testing.T) {
	fs := vfs.NewMem()
	closed(t, opened(t, fs))
	file, err := fs.Open("/state/FORMAT")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(file)
	if err != nil || string(text) != "canisterd state directory, version 1\n" {
		t.Errorf("it says %q: %v", text, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}

func TestARecordWithoutAWaitingCallerIsOnDiskAfter50Milliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewCrashableMem()
		j := opened(t, fs)
		defer closed(t, j)
		appendSome(j, 1)
		time.Sleep(49 * time.Millisecond)
		if got := onDisk(t, fs); got != 0 {
			t.Errorf("%d records are on disk after 49 ms, want 0", got)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if got := onDisk(t, fs); got != 1 {
			t.Errorf("%d records are on disk after 51 ms, want 1", got)
		}
	})
}
