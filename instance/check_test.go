package instance_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/test/canistertest"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// A check read everything but the files of snapshots, and a damaged snapshot was found only by its first use.
func TestACheckReadsTheFilesOfSnapshotsAndARepairRemovesDamagedOnes(t *testing.T) {
	s := newDamageStage(t)
	var file string
	for name := range s.files {
		if kindOf(name) == "file" && strings.HasPrefix(name, "/state/instances/lab/") {
			file = name
		}
	}
	lab := instance.KeptIn("/state", "lab")
	for damage := range damages {
		fs := s.disk(t)
		c := caseOf(file, damage, len(s.files[file])/2, "start")
		s.apply(t, fs, &c)
		h := s.check(t, fs, lab)
		if len(h.Damaged) > 0 || len(h.Snapshots) != 1 || h.Snapshots[0].Name != "begun" || !strings.HasPrefix(h.Snapshots[0].Reason(), `snapshot "begun": file-`) {
			t.Errorf("%s: the check finds %q", &c, h.Reasons())
		}
		if h := s.check(t, fs, "/state"); len(h.Reasons()) > 0 {
			t.Errorf("%s: in another instance, the check finds %q", &c, h.Reasons())
		}
		if _, _, err := instance.Repair(lab, journal.Options{FS: fs}); err != nil {
			t.Fatalf("%s: the repair: %v", &c, err)
		}
		if h := s.check(t, fs, lab); len(h.Reasons()) > 0 {
			t.Errorf("%s: after the repair, the check finds %q", &c, h.Reasons())
		}
		s.startsWithoutSnapshots(t, fs, &c)
	}
}

// check checks a directory, in which something may be damaged.
func (s *damageStage) check(t *testing.T, fs vfs.FS, dir string) instance.Health {
	t.Helper()
	h, err := instance.Check(dir, journal.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// startsWithoutSnapshots checks that all instances answer, and that the damaged one has no snapshot.
func (s *damageStage) startsWithoutSnapshots(t *testing.T, fs vfs.FS, c *damageCase) {
	t.Helper()
	r, err := s.open(t, fs)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range damagedInstances {
		if err := s.answers(t, r, c, name); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
	i, err := r.Instance(c.instance)
	if err != nil {
		t.Fatal(err)
	}
	if left := i.Snapshots(); len(left) > 0 {
		t.Errorf("%s: after the repair there are %v", c, left)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// A start refused what a later version had written, and a check of it found nothing wrong.
func TestACheckRefusesWhatALaterVersionWrote(t *testing.T) {
	for name, write := range map[string]func(*testing.T, *journal.Journal){
		"a checkpoint": func(t *testing.T, j *journal.Journal) {
			var file bytes.Buffer
			archive.NewWriter(&file)
			later := binary.BigEndian.AppendUint32(bytes.TrimSuffix(file.Bytes(), binary.BigEndian.AppendUint32(nil, archive.Version)), archive.Version+1)
			if _, err := j.Keep(journal.Checkpoint{Position: j.Position(), Base: true}, func(w io.Writer, _ *journal.PageFiles) (state [32]byte, err error) {
				_, err = w.Write(later)
				return state, err
			}); err != nil {
				t.Fatal(err)
			}
		},
		"a record": func(t *testing.T, j *journal.Journal) {
			j.Append(binary.AppendUvarint(nil, archive.Version+1), false)
			if err := j.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
	} {
		c := newCrashing(t)
		c.deploy()
		if err := c.registry.Close(); err != nil {
			t.Fatal(err)
		}
		j, err := journal.Open("/state", journal.Options{FS: c.fs})
		if err != nil {
			t.Fatal(err)
		}
		write(t, j)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		_, checked := instance.Check("/state", journal.Options{FS: c.fs})
		_, _, repaired := instance.Repair("/state", journal.Options{FS: c.fs})
		c.registry = instance.NewRegistry(instance.Config{CacheDir: canistertest.CacheDir(t), Wall: time.Now, Engine: c.engine, Journal: journal.Options{FS: c.fs}})
		_, started := c.registry.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: instance.Default}, Journal: "/state"})
		for what, err := range map[string]error{"check": checked, "repair": repaired, "start": started} {
			if want := (&archive.NewerError{Version: archive.Version + 1}).Error(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the %s returns %v, want %q", name, what, err, want)
			}
		}
	}
}
