package journal

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A flush that was under way when another operation failed closed its log, got an error for that, and the store ended
// the process: "sync: unlock of unlocked mutex".
func TestAFileThatWasCutOffClosesWithoutAnError(t *testing.T) {
	d := &disk{FS: vfs.NewMem(), store: "store", fail: func(err error) { t.Error(err) }}
	file, err := d.Create("store.log", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	d.cut()
	if err := file.Close(); err != nil {
		t.Errorf("the store is told %v", err)
	}
}

// unclosable is a file that the system does not close.
type unclosable struct {
	vfs.File
	err error
}

func (f unclosable) Close() error { return f.err }

func TestALogThatDoesNotCloseIsAFailureOfTheDisk(t *testing.T) {
	broken, failed := errors.New("input/output error"), make(chan error, 1)
	fs := vfs.NewMem()
	d := &disk{FS: fs, store: "store", fail: func(err error) { failed <- err }}
	file, err := d.openForWrite("store.log", func() (vfs.File, error) {
		file, err := fs.Create("store.log", vfs.WriteCategoryUnspecified)
		return unclosable{file, broken}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		err := file.Close()
		failed <- fmt.Errorf("none: the store goes on, with the error %w", err)
	}()
	if err := <-failed; !errors.Is(err, broken) || err.Error() != "closing store.log: input/output error" {
		t.Errorf("the failure is %v", err)
	}
}
