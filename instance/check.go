package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
	if err := refuseNewer(j, dir); err != nil {
		return h, errors.Join(err, j.Close())
	}
	h.Health = j.Check()
	_, h.Snapshots, err = checkSnapshots(j)
	if failed := h.failure(); failed != nil {
		err = failed
	}
	return h, errors.Join(err, j.Close())
}

// refuseNewer returns an error if a newer program wrote the newest checkpoint or the last record: this one cannot continue
// from them. A directory is written in the order of versions, so the others are not newer.
func refuseNewer(j *journal.Journal, dir string) error {
	var newer *archive.NewerError
	if all := j.Checkpoints(); len(all) > 0 {
		version := uint32(0)
		err := j.Read(&all[len(all)-1], func(file io.Reader, _ *journal.PageFiles) (err error) {
			version, err = archive.VersionOf(file)
			return err
		})
		if err == nil && version > archive.Version { // a damaged one is found by the check
			newer = &archive.NewerError{Version: version}
		}
	}
	if end := j.Position(); end > 0 && newer == nil {
		_ = j.Records(end-1, func(_ uint64, record []byte) error {
			newer, _ = errors.AsType[*archive.NewerError](archive.ReadRecord(record, func(*archive.Coder) {}))
			return nil
		})
	}
	if newer != nil {
		return fmt.Errorf("state directory %q cannot be used: %w", dir, newer)
	}
	return nil
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
	if err = refuseNewer(j, dir); err == nil {
		h.Health, lost, err = j.Repair()
	}
	if err == nil {
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
