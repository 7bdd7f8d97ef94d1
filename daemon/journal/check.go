package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Health is what is in a directory, and what is damaged in it.
type Health struct {
	Checkpoints []Checkpoint // the oldest first
	Damaged     []error      // a *DamagedError for each checkpoint that is damaged, and one or more for the rest
	From, End   uint64       // positions: the records that can be read
	Had         uint64       // how many records were on disk, as far as is known: those from End on are lost

	// Aside is the folder in which a repair has put the store that was damaged, "" for none.
	Aside string

	salvaged *salvage // what can be read of a store that is damaged; nil: it is not
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

// Reasons say what is damaged, for texts that name the directory.
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

func (h *Health) damages(file string) bool {
	return slices.ContainsFunc(h.Damaged, func(err error) bool {
		damaged, ok := errors.AsType[*DamagedError](err)
		return ok && damaged.File == file
	})
}

// ofStore reports whether the store is damaged.
func (h *Health) ofStore() bool {
	return slices.ContainsFunc(h.Damaged, func(err error) bool {
		damaged, ok := errors.AsType[*DamagedError](err)
		return ok && (damaged.File == journalName || strings.HasPrefix(damaged.File, storeFolder))
	})
}

// Check reads everything that is in the directory.
func (j *Journal) Check() (h Health) {
	h = Health{Checkpoints: j.Checkpoints(), Damaged: slices.Clone(j.found), Had: j.synced.Load()}
	j.checkTables(&h)
	if len(h.Checkpoints) > 0 {
		h.From = h.Checkpoints[0].Position
	}
	if j.db != nil {
		var err error
		if h.End, err = j.readable(h.From); err == nil {
			_, _, err = j.readValues()
		}
		if err != nil && !h.ofStore() {
			h.Damaged = append(h.Damaged, err)
		}
	}
	if h.ofStore() {
		if err := j.checkFiles(&h); err != nil {
			h.Damaged = append(h.Damaged, err)
			return h
		}
	}
	for i := range h.Checkpoints {
		if err := j.whole(&h.Checkpoints[i]); err != nil {
			h.Damaged = append(h.Damaged, err)
		}
	}
	if h.salvaged != nil {
		if kept, _, end := j.plan(&h); len(kept) > 0 {
			h.From, h.End = kept[0].Position, end
		}
	}
	return h
}

// checkFiles finds what is left of a directory whose store is damaged: checkpoints that have their files, and what can be
// read of the files of the store.
func (j *Journal) checkFiles(h *Health) (err error) {
	if h.salvaged, err = j.salvage(); err != nil {
		return err
	}
	b, err := j.readBeside()
	if err != nil {
		return err
	}
	h.Had = max(h.Had, b.end)
	known := h.salvaged.checkpoints()
	for _, name := range b.files {
		at := slices.IndexFunc(h.Checkpoints, func(c Checkpoint) bool { return c.File == name })
		if position, _ := positionOf(name); at < 0 {
			c, ok := j.described(name)
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

// readable is where the records from a position on end that can be read, and what is wrong with the next.
func (j *Journal) readable(from uint64) (end uint64, err error) {
	end = from
	err = j.Records(from, func(position uint64, _ []byte) error {
		end = position + 1
		return nil
	})
	return end, err
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
