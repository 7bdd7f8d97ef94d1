package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Health lists the contents of a directory and the damage found in it.
type Health struct {
	Checkpoints []Checkpoint // the oldest first
	Damaged     []error      // a *DamagedError for each damaged checkpoint, and one or more for the rest
	From, End   uint64       // range of positions of the readable records
	Had         uint64       // number of records that were on disk, as far as is known: those from End on are lost

	// Aside is the folder to which a repair moved the damaged store, "" for none.
	Aside string

	salvaged *salvage // readable entries of a damaged store; nil: it is not damaged
}

// Good returns the newest checkpoint that is not damaged, and false if there is none.
func (h *Health) Good() (Checkpoint, bool) {
	for _, c := range slices.Backward(h.Checkpoints) {
		if !h.isDamaged(c.File) {
			return c, true
		}
	}
	return Checkpoint{}, false
}

// Reasons returns the texts of Damaged without the directory, for texts that name it.
func (h *Health) Reasons() (texts []string) {
	for _, err := range h.Damaged {
		if damaged, ok := errors.AsType[*DamagedError](err); ok {
			texts = append(texts, damaged.Reason())
		} else {
			texts = append(texts, err.Error())
		}
	}
	return texts
}

func (h *Health) isDamaged(file string) bool {
	return slices.ContainsFunc(h.Damaged, func(err error) bool {
		damaged, ok := errors.AsType[*DamagedError](err)
		return ok && damaged.File == file
	})
}

// storeDamaged reports whether the store is damaged.
func (h *Health) storeDamaged() bool {
	return slices.ContainsFunc(h.Damaged, func(err error) bool {
		damaged, ok := errors.AsType[*DamagedError](err)
		return ok && (damaged.File == journalName || strings.HasPrefix(damaged.File, storeFolder))
	})
}

// Check reads and verifies everything in the directory.
func (j *Journal) Check() (h Health) {
	h = Health{Checkpoints: j.Checkpoints(), Damaged: slices.Clone(j.damage), Had: j.synced.Load()}
	j.checkTables(&h)
	if len(h.Checkpoints) > 0 {
		h.From = h.Checkpoints[0].Position
	}
	if j.db != nil {
		var err error
		if h.End, err = j.readableEnd(h.From); err == nil {
			_, _, err = j.readValues()
		}
		if err != nil && !h.storeDamaged() {
			h.Damaged = append(h.Damaged, err)
		}
	}
	if h.storeDamaged() {
		if err := j.checkFiles(&h); err != nil {
			h.Damaged = append(h.Damaged, err)
			return h
		}
	}
	for i := range h.Checkpoints {
		if err := j.verify(&h.Checkpoints[i]); err != nil {
			h.Damaged = append(h.Damaged, err)
		}
	}
	if h.salvaged != nil {
		if kept, _, end := j.planRepair(&h); len(kept) > 0 {
			h.From, h.End = kept[0].Position, end
		}
	}
	return h
}

// checkFiles completes h for a directory whose store is damaged: with the readable entries of the store's files, and
// with checkpoints that the store does not list.
func (j *Journal) checkFiles(h *Health) (err error) {
	if h.salvaged, err = j.salvage(); err != nil {
		return err
	}
	side, err := j.readSidecars()
	if err != nil {
		return err
	}
	h.Had = max(h.Had, side.end)
	known := h.salvaged.checkpoints()
	for _, name := range side.files {
		at := slices.IndexFunc(h.Checkpoints, func(c Checkpoint) bool { return c.File == name })
		if position, _ := checkpointPosition(name); at < 0 {
			c, ok := j.readAbout(name)
			if i := slices.IndexFunc(known, func(k Checkpoint) bool { return k.File == name }); !ok && i >= 0 {
				c, ok = known[i], true
			}
			if ok {
				h.Checkpoints = append(h.Checkpoints, c)
			}
			h.Had = max(h.Had, position)
		}
	}
	slices.SortFunc(h.Checkpoints, func(a, b Checkpoint) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), a.Made.Compare(b.Made))
	})
	return nil
}

// readableEnd returns the end of the readable records from a position on, and the error about the next record.
func (j *Journal) readableEnd(from uint64) (end uint64, err error) {
	end = from
	err = j.Records(from, func(position uint64, _ []byte) error {
		end = position + 1
		return nil
	})
	return end, err
}

// Compact frees the space of removed records.
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
