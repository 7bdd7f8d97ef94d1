package journal_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/internal/journal"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// A damaged byte in the last 32 KiB of the log was taken for its end: the start continued with fewer records, and
// removed an intact checkpoint of later ones.
func TestDamageInALogIsNotTakenForItsEnd(t *testing.T) {
	s := newState(t, "the power failed")
	name := "state/store/" + lastWithSuffix(t, s.disk(t, "", nil), "state/store", ".log")
	log := s.files[name]
	for at := range len(log) - 11000 { // the last two blocks are shorter
		if at%500 != 0 {
			continue
		}
		damaged := bytes.Clone(log)
		damaged[at] ^= 4
		_, err := journal.Open("state", journal.Options{FS: s.disk(t, name, damaged), MemTableBytes: smallTable})
		if named, ok := errors.AsType[*journal.DamagedError](err); !ok || "state/"+named.File != name {
			t.Errorf("byte %d of %d is damaged: %v", at, len(log), err)
		}
	}
	j, err := journal.Open("state", journal.Options{FS: s.disk(t, name, log[:len(log)-10]), MemTableBytes: smallTable})
	if err != nil {
		t.Fatalf("a log without its end: %v", err)
	}
	checkRecords(t, j, s.kept[0], s.end-10)
	closed(t, j)
}

func TestAWholeCheckpointOfLaterRecordsThanTheStoreHasIsKeptAndEntered(t *testing.T) {
	s := newState(t, "the power failed")
	fs := s.disk(t, "", nil)
	log := "state/store/" + lastWithSuffix(t, fs, "state/store", ".log")
	if err := fs.Remove(log); err != nil {
		t.Fatal(err)
	}
	_, err := journal.Open("state", journal.Options{FS: fs})
	if err == nil || !strings.Contains(err.Error(), "records 100 to 109 are missing; checkpoint-00000000000000000110-") {
		t.Errorf("opening it says: %v", err)
	}
	j, err := journal.Open("state", journal.Options{FS: fs, ReadOnly: true, Damaged: true})
	if err != nil {
		t.Fatal(err)
	}
	h := j.Check()
	closed(t, j)
	if good, ok := h.Good(); !ok || good.Position != 110 || h.Had != 110 {
		t.Errorf("a check finds %+v", h)
	}
	s.checkRepair(t, "the log is removed", fs, true)
}

// When the store was missing, the start created a new network and removed the checkpoints of the old one.
func TestADirectoryWithoutItsStoreIsNotANewOne(t *testing.T) {
	s := newState(t, "it was closed")
	fs := s.disk(t, "", nil)
	if err := fs.RemoveAll("state/store"); err != nil {
		t.Fatal(err)
	}
	before := contents(t, fs, "state")
	_, err := journal.Open("state", journal.Options{FS: fs})
	if named, ok := errors.AsType[*journal.DamagedError](err); !ok || named.Reason() != "store: it is missing" {
		t.Errorf("opening it says: %v", err)
	}
	for name, was := range before {
		if now := contents(t, fs, "state")[name]; !bytes.Equal(now, was) {
			t.Errorf("%s is changed", name)
		}
	}
	if names, err := fs.List("state"); err != nil || slices.Contains(names, "store") {
		t.Errorf("there are %q: %v", names, err)
	}
	s.checkRepair(t, "the store is removed", fs, true)
}

// The test cuts a repair off after each of its changes of the disk. The next repair finds the same data.
func TestARepairThatIsCutOffIsRepeated(t *testing.T) {
	s := newState(t, "it was closed")
	name := "state/store/" + lastWithSuffix(t, s.disk(t, "", nil), "state/store", ".log")
	damaged := bytes.Clone(s.files[name])
	damaged[len(damaged)/2] ^= 1
	for at := int64(1); ; at += stride {
		under := s.disk(t, name, damaged).(*vfs.MemFS)
		disk := &failing{under: under, err: errors.New("the power fails"), which: writes}
		disk.left.Store(at)
		j, err := journal.Open("state", journal.Options{FS: disk.fs(), MemTableBytes: smallTable, Damaged: true})
		if err == nil {
			_, _, err = j.Repair()
			_ = j.Close() // it may have failed
		}
		if s.checkRepair(t, "a repair that was cut off", under, true); disk.left.Load() > 0 {
			if err != nil || at < 20 {
				t.Errorf("a repair makes %d changes of the disk: %v", at, err)
			}
			break
		}
	}
}
