package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// repairedFolder is the folder of the store that a repair makes, until it is whole.
const repairedFolder = storeFolder + ".repaired"

// repairBatch is how many bytes of records a repair writes at a time. Ours.
const repairBatch = 4 << 20

// Repair makes the directory one from which its user can go on, with the newest checkpoint that is not damaged, in a new
// store with what can be read. A store that is damaged is put aside. lost says from which record on records are lost, the
// position after the last one if none. The error says why a repair is not possible: then nothing was changed.
func (j *Journal) Repair() (h Health, lost uint64, err error) {
	h = j.Check()
	for _, err := range h.Damaged {
		if failed, ok := errors.AsType[*FailedError](err); ok {
			return h, 0, failed
		}
	}
	if len(h.Damaged) == 1 && h.damages(formatFile) {
		if err := j.writeFormat(); err != nil {
			return h, 0, err
		}
		return h, h.End, j.goOn()
	}
	if _, ok := h.Good(); !ok {
		return h, 0, fmt.Errorf("state directory %q has no checkpoint that is not damaged: restore the directory from a backup, or import a network that was exported", j.dir)
	}
	if len(h.Damaged) > 0 {
		if h.Aside, err = j.rebuild(&h); err != nil {
			return h, 0, fmt.Errorf("repairing state directory %q: %w", j.dir, err)
		}
	}
	err = j.goOn()
	return h, j.synced.Load(), err
}

// plan is what a repair keeps: checkpoints, the oldest first, and the records from the first of them on without a gap.
// Checkpoints before a base are of another network.
func (j *Journal) plan(h *Health) (kept []Checkpoint, blocks []block, end uint64) {
	good, ok := h.Good()
	if !ok {
		return nil, nil, 0
	}
	all, most, base := h.salvaged.blocks(), uint64(1<<63), uint64(0)
	for _, c := range h.Checkpoints {
		if c.Base && c.Position > good.Position {
			most = min(most, c.Position)
		} else if c.Base {
			base = c.Position
		}
	}
	for _, c := range h.Checkpoints {
		if c.Position < base || c.Position > good.Position || h.damages(c.File) || c.Position == good.Position && c.File != good.File {
			continue
		}
		if len(kept) == 0 {
			blocks, end = run(all, c.Position, most)
			if end < good.Position {
				continue // records are missing between it and the newest
			}
		}
		kept = append(kept, c)
	}
	return kept, blocks, end
}

// rebuild puts a store in the place of the one that is there, and FORMAT. aside is where that is now, if it is damaged.
func (j *Journal) rebuild(h *Health) (aside string, err error) {
	damaged := h.ofStore()
	if h.salvaged == nil {
		if h.salvaged, err = j.salvage(); err != nil {
			return "", err
		}
	}
	b, err := j.readBeside()
	if err != nil {
		return "", err
	}
	if err := j.makeStore(h, &b); err != nil {
		return "", err
	}
	if err := j.closeStore(); err != nil && !damaged {
		return "", err
	}
	j.db = nil
	if aside, err = j.replaceStore(damaged); err != nil {
		return "", err
	}
	return aside, j.writeFormat()
}

// makeStore writes a store with what is kept, beside the one that is there.
func (j *Journal) makeStore(h *Health, b *beside) error {
	dir := j.path(repairedFolder)
	if err := j.fs.RemoveAll(dir); err != nil && !isNotExist(err) {
		return err
	}
	kept, blocks, _ := j.plan(h)
	last := &kept[len(kept)-1]
	last.Kept = nil
	for i := range kept {
		last.Kept = append(last.Kept, kept[i].Position)
	}
	changes, values := h.salvaged.values()
	if b.changes >= changes && b.values != nil {
		changes, values = b.changes, b.values
	}
	return j.guarded(func() error {
		db, err := pebble.Open(dir, j.storeOptions(&Options{}, false))
		if err != nil {
			return err
		}
		batch := db.NewBatch()
		for _, b := range blocks {
			err = errors.Join(err, batch.Set(positionKey(recordsKey, b.first), b.value, nil))
			if batch.Len() > repairBatch {
				err = errors.Join(err, batch.Commit(pebble.Sync))
				batch = db.NewBatch()
			}
		}
		for _, c := range kept {
			err = errors.Join(err, j.enter(batch, c))
		}
		for name, value := range values {
			err = errors.Join(err, batch.Set(append([]byte{valueKey}, name...), value, nil))
		}
		err = errors.Join(err, batch.Set([]byte{changesKey}, binary.BigEndian.AppendUint64(nil, changes), nil))
		return errors.Join(err, batch.Commit(pebble.Sync), db.Close())
	})
}

// replaceStore puts the new store in the place of the one that is there. A crash leaves the one or the other, or none:
// then a repair reads the one that was put aside.
func (j *Journal) replaceStore(damaged bool) (aside string, err error) {
	err = j.guarded(func() error {
		_, err := j.fs.Stat(j.path(storeFolder))
		if err == nil {
			aside = j.aside()
			err = j.fs.Rename(j.path(storeFolder), j.path(aside))
		}
		if err != nil && !isNotExist(err) {
			return err
		}
		if err := j.fs.Rename(j.path(repairedFolder), j.path(storeFolder)); err != nil {
			return err
		}
		if err := j.syncDir(j.dir); err != nil || damaged {
			return err
		}
		defer func() { aside = "" }()
		return j.fs.RemoveAll(j.path(aside)) // nothing is wrong with it
	})
	if err != nil {
		return "", err
	}
	return aside, nil
}

// goOn opens the store for writing, unless it is open for that: a repair only read it.
func (j *Journal) goOn() error {
	j.keeping.Lock()
	defer j.keeping.Unlock()
	if j.end != nil && j.db != nil {
		return nil
	}
	if err := j.closeStore(); err != nil {
		return err
	}
	if j.end != nil {
		if err := j.end.Close(); err != nil {
			return err
		}
	}
	// The files beside the store are those of before the repair: the store tells what is there now.
	if err := j.openStore(&Options{}, &beside{any: true}); err != nil {
		return err
	}
	j.found = nil
	return j.begin(&beside{})
}

// writeFormat makes the file FORMAT.
func (j *Journal) writeFormat() error {
	err := j.putFile(formatFile, func(w io.Writer) error {
		_, err := io.WriteString(w, formatOf(Version))
		return err
	})
	if err != nil {
		return &FailedError{Dir: j.dir, Err: fmt.Errorf("writing %s: %w", formatFile, err), New: true}
	}
	return nil
}
