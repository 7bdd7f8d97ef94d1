package journal_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// failing is a disk on which operations fail from some moment on.
type failing struct {
	under   *vfs.MemFS
	err     error
	which   func(errorfs.Op) bool
	left    atomic.Int64 // operations until the first failure
	only    bool         // later operations succeed
	healthy atomic.Bool
}

func (f *failing) fs() vfs.FS {
	return errorfs.Wrap(f.under, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if f.healthy.Load() || !f.which(op) {
			return nil
		}
		if left := f.left.Add(-1); left == 0 || left < 0 && !f.only {
			return f.err
		}
		return nil
	}))
}

func writes(op errorfs.Op) bool { return op.Kind.ReadOrWrite() == errorfs.OpIsWrite }

func syncs(op errorfs.Op) bool {
	return op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo
}

func opens(op errorfs.Op) bool {
	return op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpOpen || op.Kind == errorfs.OpOpenDir || op.Kind == errorfs.OpReuseForWrite
}

// work appends records and keeps checkpoints until something fails. It returns how many records were acknowledged.
func work(t *testing.T, j *journal.Journal) (acked uint64, failure error) {
	t.Helper()
	for range 3 {
		for range 2 {
			appendSome(j, 20)
			end := j.Position()
			if failure = j.Sync(t.Context()); failure != nil {
				return acked, failure
			}
			acked = end
		}
		_, err := j.Keep(journal.Checkpoint{Position: acked}, func(w io.Writer, _ *journal.PageFiles) (state [32]byte, err error) {
			_, err = fmt.Fprintf(w, "network %d", acked)
			return state, err
		})
		if err == nil {
			err = errors.Join(j.Put("name", []byte("value")), j.Compact())
		}
		if failure = errors.Join(failure, err); errors.As(err, new(*journal.FailedError)) {
			return acked, failure
		}
	}
	return acked, failure
}

// TestNoFailureOfTheDiskLosesAnAcknowledgedRecord makes each operation of a history fail: only once, like a disk whose
// second fsync succeeds, or from then on.
func TestNoFailureOfTheDiskLosesAnAcknowledgedRecord(t *testing.T) {
	for _, c := range []struct {
		what  string
		err   error
		which func(errorfs.Op) bool
		only  bool
		says  string
	}{
		{"one write fails", syscall.EIO, writes, true, "see the system log"},
		{"one fsync fails", syscall.EIO, syncs, true, "see the system log"},
		{"the disk is full", syscall.ENOSPC, writes, false, "free space"},
		{"the disk is read-only", syscall.EROFS, writes, false, "mount it for writing"},
		{"the quota is used up", syscall.EDQUOT, writes, false, "your disk quota is used up"},
		{"the process has no descriptors", syscall.EMFILE, opens, false, "raise the limit (ulimit -n)"},
		{"the process has none for one file", syscall.EMFILE, opens, true, "raise the limit (ulimit -n)"},
		{"the system has no descriptors", syscall.ENFILE, opens, false, "close other programs"},
	} {
		t.Run(c.what, func(t *testing.T) {
			failures := 0
			for at := int64(1); ; at += stride {
				disk := &failing{under: vfs.NewCrashableMem(), err: c.err, which: c.which, only: c.only}
				disk.left.Store(1 << 60)
				closed(t, opened(t, disk.fs()))
				disk.left.Store(at)
				acked, failed := runOnce(t, disk, c.says)
				if left := disk.left.Load(); left > 0 {
					break // the history is shorter
				}
				if failed {
					failures++
				}
				j := opened(t, disk.under.CrashClone(vfs.CrashCloneCfg{}))
				from := uint64(0)
				if all := j.Checkpoints(); len(all) > 0 {
					from = all[0].Position
				}
				if j.Position() < acked {
					t.Errorf("failure %d: %d records are there, and %d were acknowledged", at, j.Position(), acked)
				}
				checkRecords(t, j, from, j.Position())
				closed(t, j)
			}
			if failures < 10/stride {
				t.Errorf("the journal failed %d times: the test shows little", failures)
			}
		})
	}
}

// runOnce opens a directory, works in it, and closes it.
func runOnce(t *testing.T, disk *failing, says string) (acked uint64, failed bool) {
	t.Helper()
	j, err := journal.Open("state", journal.Options{FS: disk.fs(), MemTableBytes: smallTable})
	if err == nil {
		acked, err = work(t, j)
		if named := new(*journal.FailedError); errors.As(err, named) {
			if again := j.Sync(t.Context()); !errors.Is(again, *named) && j.Position() > acked {
				t.Errorf("after the failure (%v), more records are kept: %v", err, again)
			}
		}
		err = errors.Join(err, j.Close())
	}
	if err == nil {
		return acked, false // only a checkpoint or a removal failed, or the store retried
	}
	if !errors.Is(err, disk.err) {
		t.Errorf("the error is %v", err)
	}
	named, failed := errors.AsType[*journal.FailedError](err)
	if failed && !strings.Contains(named.Error(), says) {
		t.Errorf("the error says: %v", named)
	}
	disk.healthy.Store(true)
	if err != nil { // the directory was given back
		closed(t, opened(t, disk.fs()))
	}
	return acked, failed
}

func TestAReadOnlyDirectoryIsNotTakenForOneInUse(t *testing.T) {
	disk := &failing{under: vfs.NewMem(), err: syscall.EROFS, which: func(op errorfs.Op) bool { return op.Kind == errorfs.OpLock }}
	closed(t, opened(t, disk.under))
	_, err := journal.Open("state", journal.Options{FS: disk.fs(), MemTableBytes: smallTable})
	if named, failed := errors.AsType[*journal.FailedError](err); !failed || !errors.Is(named, syscall.EROFS) {
		t.Errorf("opening it says: %v", err)
	}
}

// TestAFileThatCannotBeOpenedForWantOfDescriptorsIsNotDamaged opens each file of a directory without descriptors.
func TestAFileThatCannotBeOpenedForWantOfDescriptorsIsNotDamaged(t *testing.T) {
	for _, file := range []string{"checkpoint-", "pages-"} {
		disk := &failing{under: vfs.NewMem(), err: syscall.EMFILE, which: func(op errorfs.Op) bool {
			return op.Kind == errorfs.OpOpen && strings.Contains(op.Path, file)
		}}
		j := opened(t, disk.under)
		_, err := j.Keep(journal.Checkpoint{}, func(_ io.Writer, pages *journal.PageFiles) (state [32]byte, err error) {
			_, _, err = pages.Put(make([]byte, 4096))
			return state, err
		})
		if err != nil {
			t.Fatal(err)
		}
		closed(t, j)
		j = opened(t, disk.fs())
		for _, c := range j.Checkpoints() {
			err := j.Read(&c, func(_ io.Reader, pages *journal.PageFiles) error {
				_, err := pages.Open(c.Pages[0].Name)
				return err
			})
			if failed, ok := errors.AsType[*journal.FailedError](err); !ok || !strings.Contains(failed.Error(), "raise the limit (ulimit -n)") || errors.As(err, new(*journal.DamagedError)) {
				t.Errorf("a file %s… that cannot be opened: %v", file, err)
			}
		}
		closed(t, j)
	}
}

// A backup on a read-only medium could not be checked.
func TestADirectoryOnAReadOnlyDiskIsRead(t *testing.T) {
	disk := &failing{under: vfs.NewMem(), err: syscall.EROFS, which: func(op errorfs.Op) bool {
		return op.Kind.ReadOrWrite() == errorfs.OpIsWrite || op.Kind == errorfs.OpLock
	}}
	j := opened(t, disk.under)
	appendSome(j, 20)
	synced(t, j)
	keep(t, j, false, "a network of some bytes")
	closed(t, j)
	for _, damaged := range []bool{false, true} {
		j, err := journal.Open("state", journal.Options{FS: disk.fs(), MemTableBytes: smallTable, ReadOnly: true, Damaged: damaged})
		if err != nil {
			t.Fatal(err)
		}
		if h := j.Check(); len(h.Damaged) > 0 || len(h.Checkpoints) != 1 || h.End != 20 {
			t.Errorf("a check finds %+v", h)
		}
		closed(t, j)
	}
	_, err := journal.Open("new", journal.Options{FS: disk.fs(), MemTableBytes: smallTable})
	if err == nil || strings.Contains(err.Error(), "acknowledged") {
		t.Errorf("a new directory: %v", err)
	}
}
