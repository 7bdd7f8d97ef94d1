//go:build unix

package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/journal"
)

func TestADirectoryStaysLockedWhenItsLockFileIsRenamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	j, err := journal.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := os.Rename(filepath.Join(dir, "lock"), dir+"-lock"); err != nil {
		t.Fatal(err)
	}
	alias := dir + "-alias" // a process does not open one path twice: it stands for another process
	if err := os.Symlink(dir, alias); err != nil {
		t.Fatal(err)
	}
	second, err := journal.Open(alias, journal.Options{})
	if locked := new(journal.LockedError); !errors.As(err, &locked) {
		t.Errorf("a second journal: %v", err)
	}
	if err == nil {
		_ = second.Close()
	}
	appendSome(j, 3)
	synced(t, j)
}

func TestNothingIsCommittedToADirectoryThatWasMoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	j, err := journal.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	appendSome(j, 3)
	synced(t, j)
	if err := os.Rename(dir, dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	appendSome(j, 3)
	if err := j.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "was moved or removed while it was in use") {
		t.Errorf("a commit: %v", err)
	}
}
