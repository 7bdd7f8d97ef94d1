package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// repairedFolder is the folder in which a repair writes the new store.
const repairedFolder = storeFolder + ".repaired"

// repairBatch is how many bytes of records a repair writes at a time. Ours.
const repairBatch = 4 << 20

// Repair makes a damaged directory usable again: it writes a new store with the newest checkpoint that is not damaged
// and the readable records around it, and moves a damaged store aside. lost is the position of the first lost record,
// the end of the records if none is lost. If a repair is not possible, the error says why and nothing was changed.
func (j *Journal) Repair() (h Health, lost uint64, err error) {
	h = j.Check()
	for _, err := range h.Damaged {
		if failed, ok := errors.AsType[*FailedError](err); ok {
			return h, 0, failed
		}
	}
	if len(h.Damaged) == 1 && h.isDamaged(formatFile) {
		if err := j.writeFormat(); err != nil {
			return h, 0, err
		}
		return h, h.End, j.reopenStore()
	}
	if _, ok := h.Good(); !ok {
		return h, 0, fmt.Errorf("state directory %q has no checkpoint that is not damaged: restore the directory from a backup, or import a network that was exported", j.dir)
	}
	if len(h.Damaged) > 0 {
		if h.Aside, err = j.rebuildStore(&h); err != nil {
			return h, 0, fmt.Errorf("repairing state directory %q: %w", j.dir, err)
		}
	}
	err = j.reopenStore()
	return h, j.synced.Load(), err
}

// planRepair returns what a repair keeps: checkpoints, the oldest first, and the records from the first of them on, up
// to a gap. Checkpoints before a base belong to another network.
func (j *Journal) planRepair(h *Health) (kept []Checkpoint, blocks []block, end uint64) {
	good, ok := h.Good()
	if !ok {
		return nil, nil, 0
	}
	all, limit, base := h.salvaged.blocks(), uint64(1<<63), uint64(0)
	for _, c := range h.Checkpoints {
		if c.Base && c.Position > good.Position {
			limit = min(limit, c.Position)
		} else if c.Base {
			base = c.Position
		}
	}
	for _, c := range h.Checkpoints {
		if c.Position < base || c.Position > good.Position || h.isDamaged(c.File) || c.Position == good.Position && c.File != good.File {
			continue
		}
		if len(kept) == 0 {
			blocks, end = contiguous(all, c.Position, limit)
			if end < good.Position {
				continue // records between it and the newest are missing
			}
		}
		kept = append(kept, c)
	}
	return kept, blocks, end
}

// rebuildStore replaces the store, and writes FORMAT. aside is the folder to which the old store was moved, "" if it
// was not damaged.
func (j *Journal) rebuildStore(h *Health) (aside string, err error) {
	damaged := h.storeDamaged()
	if h.salvaged == nil {
		if h.salvaged, err = j.salvage(); err != nil {
			return "", err
		}
	}
	side, err := j.readSidecars()
	if err != nil {
		return "", err
	}
	if err := j.writeRepairedStore(h, &side); err != nil {
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

// writeRepairedStore writes a new store with what is kept. The old one stays as it is.
func (j *Journal) writeRepairedStore(h *Health, side *sidecars) error {
	dir := j.path(repairedFolder)
	if err := j.fs.RemoveAll(dir); err != nil && !isNotExist(err) {
		return err
	}
	kept, blocks, _ := j.planRepair(h)
	last := &kept[len(kept)-1]
	last.Kept = nil
	for i := range kept {
		last.Kept = append(last.Kept, kept[i].Position)
	}
	changes, values := h.salvaged.values()
	if side.changes >= changes && side.values != nil {
		changes, values = side.changes, side.values
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
			err = errors.Join(err, j.setCheckpoint(batch, c))
		}
		for name, value := range values {
			err = errors.Join(err, batch.Set(append([]byte{valueKey}, name...), value, nil))
		}
		err = errors.Join(err, batch.Set([]byte{changesKey}, binary.BigEndian.AppendUint64(nil, changes), nil))
		return errors.Join(err, batch.Commit(pebble.Sync), db.Close())
	})
}

// replaceStore moves the new store to the place of the old one. A crash leaves one of them there, or none: then the
// next repair reads the one that was moved aside.
func (j *Journal) replaceStore(damaged bool) (aside string, err error) {
	err = j.guarded(func() error {
		_, err := j.fs.Stat(j.path(storeFolder))
		if err == nil {
			aside = j.asideName()
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
		return j.fs.RemoveAll(j.path(aside)) // it is not damaged
	})
	if err != nil {
		return "", err
	}
	return aside, nil
}

// reopenStore opens the store for writing, unless it already is: Repair opens it read-only.
func (j *Journal) reopenStore() error {
	j.checkpointMu.Lock()
	defer j.checkpointMu.Unlock()
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
	// The sidecar files are from before the repair: do not compare the new store with them.
	if err := j.openStore(&Options{}, &sidecars{any: true}); err != nil {
		return err
	}
	j.damage = nil
	return j.beginWriting(&sidecars{})
}

// writeFormat writes the file FORMAT.
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
