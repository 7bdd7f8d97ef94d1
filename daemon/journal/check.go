package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// Health is what is in a directory, and what is damaged in it.
type Health struct {
	Checkpoints []Checkpoint // the oldest first
	Damaged     []error      // a *DamagedError for each checkpoint that is damaged, and one for the records
	From, End   uint64       // positions: the records that can be read
}

// Good is the newest checkpoint that is not damaged; false: there is none.
func (h *Health) Good() (Checkpoint, bool) {
	for _, c := range slices.Backward(h.Checkpoints) {
		if !h.damages(c.File) {
			return c, true
		}
	}
	return Checkpoint{}, false
}

func (h *Health) damages(file string) bool {
	return slices.ContainsFunc(h.Damaged, func(err error) bool {
		damaged, ok := errors.AsType[*DamagedError](err)
		return ok && damaged.File == file
	})
}

// Check reads everything that is in the directory.
func (j *Journal) Check() Health {
	h := Health{Checkpoints: j.Checkpoints()}
	for i := range h.Checkpoints {
		err := j.Read(&h.Checkpoints[i], func(io.Reader, *PageFiles) error { return nil })
		if err == nil {
			err = j.checkPages(&h.Checkpoints[i])
		}
		if err != nil {
			h.Damaged = append(h.Damaged, err)
		}
	}
	if len(h.Checkpoints) > 0 {
		h.From = h.Checkpoints[0].Position
	}
	end, err := j.readable(h.From)
	if err != nil {
		h.Damaged = append(h.Damaged, err)
	}
	h.End = end
	return h
}

// readable is where the records from a position on end that can be read, and what is wrong with the next.
func (j *Journal) readable(from uint64) (end uint64, err error) {
	end = from
	err = j.Records(from, func(position uint64, _ []byte) error {
		end = position + 1
		return nil
	})
	return end, err
}

// Repair makes the directory one from which its user can go on, with the newest checkpoint that is not damaged: damaged
// checkpoints are removed, and damaged records with everything after them. lost says from which record on records were
// removed, the position after the last one if none. The error says why a repair is not possible: then nothing was changed.
func (j *Journal) Repair() (h Health, lost uint64, err error) {
	h = j.Check()
	good, ok := h.Good()
	if !ok {
		return h, 0, fmt.Errorf("state directory %q has no checkpoint that is not damaged: restore the directory from a backup, or import a network that was exported", j.dir)
	}
	end, damage := j.readable(good.Position)
	if len(h.Damaged) == 0 {
		return h, end, nil
	}
	batch := j.db.NewBatch()
	for _, c := range h.Checkpoints {
		if c.Position > h.End || h.damages(c.File) {
			if c.File != good.File {
				err = errors.Join(err, batch.Delete(positionKey(checkpointKey, c.Position), nil))
			}
		}
	}
	if h.End < good.Position { // records before the checkpoint are damaged: it alone is left, with those after it
		err = errors.Join(err, batch.DeleteRange(positionKey(checkpointKey, 0), positionKey(checkpointKey, good.Position), nil))
	}
	if damage != nil {
		err = errors.Join(err, j.cut(batch, end))
	}
	if err = errors.Join(err, j.write(batch)); err != nil {
		return h, end, fmt.Errorf("repairing state directory %q: %w", j.dir, err)
	}
	j.keeping.Lock()
	defer j.keeping.Unlock()
	j.appended.Store(end)
	j.synced.Store(end)
	return h, end, errors.Join(j.readCheckpoints(), j.sweep(""))
}

// cut removes the blocks from a position on, at which one begins, and the one that has it, if that is damaged.
func (j *Journal) cut(batch *pebble.Batch, end uint64) error {
	from, err := j.blockBefore(end)
	if err != nil {
		return err
	}
	if block, closer, err := j.db.Get(positionKey(recordsKey, from)); err == nil {
		if from < end && eachOf(from, block, func([]byte) error { return nil }) == nil {
			from++ // it is whole
		}
		if err := closer.Close(); err != nil {
			return err
		}
	}
	return batch.DeleteRange(positionKey(recordsKey, from), []byte{recordsEnd}, nil)
}

// Compact gives the space back that removed records take.
func (j *Journal) Compact() error {
	if err := j.guarded(j.db.Flush); err != nil {
		return fmt.Errorf("compacting state directory %q: %w", j.dir, err)
	}
	err := j.guarded(func() error { return j.db.Compact(context.Background(), []byte{0}, []byte{0xff}, false) })
	if err != nil {
		return fmt.Errorf("compacting state directory %q: %w", j.dir, err)
	}
	return nil
}
