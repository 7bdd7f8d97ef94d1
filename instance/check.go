package instance

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/internal/journal"
)

// Health describes the contents of the state directory of an instance, and the damage found in it.
type Health struct {
	journal.Health
	Snapshots []DamagedSnapshot
}

// DamagedSnapshot is a kept snapshot whose file cannot be read. The instance itself does not need it.
type DamagedSnapshot struct {
	Name  string
	Err   error // a *journal.DamagedError or *journal.FailedError
	Newer bool  // a newer program can read it
	file  string
}

// Reason names the snapshot and its file.
func (d *DamagedSnapshot) Reason() string {
	if damaged, ok := errors.AsType[*journal.DamagedError](d.Err); ok {
		return fmt.Sprintf("snapshot %q: %s", d.Name, damaged.Reason())
	}
	return fmt.Sprintf("snapshot %q: %v", d.Name, d.Err)
}

// Reasons returns the texts about all damage.
func (h *Health) Reasons() []string {
	texts := h.Health.Reasons()
	for i := range h.Snapshots {
		texts = append(texts, h.Snapshots[i].Reason())
	}
	return texts
}

// Check reads everything in a state directory, and changes nothing. It returns an error if the directory cannot be
// read; damage is in the result.
func Check(dir string, o journal.Options) (h Health, err error) {
	o.ReadOnly, o.Damaged = true, true
	j, err := journal.Open(dir, o)
	if err != nil {
		return h, err
	}
	h.Health = j.Check()
	_, h.Snapshots, err = checkSnapshots(j)
	if failed := h.failure(); failed != nil {
		err = failed
	}
	return h, errors.Join(err, j.Close())
}

// failure returns the error of the system that kept the check from reading, nil for none.
func (h *Health) failure() error {
	for _, err := range h.Damaged {
		if failed, ok := errors.AsType[*journal.FailedError](err); ok {
			return failed
		}
	}
	return nil
}

// Repair repairs a damaged state directory, so that an instance can continue from it, and removes damaged snapshots.
// lost is the position of the first record that was removed, or the end of the records if none was.
func Repair(dir string, o journal.Options) (h Health, lost uint64, err error) {
	o.Damaged = true
	j, err := journal.Open(dir, o)
	if err != nil {
		return h, 0, err
	}
	if h.Health, lost, err = j.Repair(); err == nil {
		h.Snapshots, err = repairSnapshots(j)
	}
	if closed := j.Close(); err == nil {
		err = closed
	}
	return h, lost, err
}

// checkSnapshots reads the files of the kept snapshots. It returns the description of the instance, and the snapshots
// that cannot be read.
func checkSnapshots(j *journal.Journal) (k kept, damaged []DamagedSnapshot, err error) {
	value, err := j.ReadableValue(keptName)
	if err != nil || value == nil {
		return k, nil, err
	}
	if err := json.Unmarshal(value, &k); err != nil {
		return k, nil, fmt.Errorf("reading the description of the instance: %w", err)
	}
	if !k.Complete {
		return k, nil, nil
	}
	for i := range k.Snapshots {
		s := &k.Snapshots[i]
		if err := verifySnapshot(j, s.File); err != nil {
			_, newer := errors.AsType[*archive.NewerError](err)
			damaged = append(damaged, DamagedSnapshot{Name: s.Name, Err: err, Newer: newer, file: s.File})
		}
	}
	return k, damaged, nil
}

// verifySnapshot reads the file of a snapshot.
func verifySnapshot(j *journal.Journal, file string) error {
	from, err := j.OpenFile(file)
	if err != nil {
		return err
	}
	if err = archive.Verify(from); err != nil {
		err = j.DamagedFile(file, err)
	}
	return errors.Join(err, from.Close())
}

// repairSnapshots removes damaged snapshots, first from the description of the instance: a crash leaves files that the
// next start removes.
func repairSnapshots(j *journal.Journal) ([]DamagedSnapshot, error) {
	k, damaged, err := checkSnapshots(j)
	removed := make(map[string]bool)
	for i := range damaged {
		if _, failed := errors.AsType[*journal.FailedError](damaged[i].Err); !failed && !damaged[i].Newer {
			removed[damaged[i].file] = true
		}
	}
	if err != nil || len(removed) == 0 {
		return damaged, err
	}
	all := make([]keptSnapshot, 0, len(k.Snapshots))
	for _, s := range k.Snapshots {
		if !removed[s.File] {
			all = append(all, s)
		}
	}
	k.Snapshots = all
	value, err := json.Marshal(&k)
	if err != nil {
		return damaged, fmt.Errorf("describing the instance: %w", err)
	}
	err = j.Put(keptName, value)
	for file := range removed {
		if err == nil {
			err = j.RemoveFile(file)
		}
	}
	return damaged, err
}
