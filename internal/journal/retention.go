package journal

import (
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Retention bounds the history that a journal keeps in addition to the last two checkpoints and the records after the
// older one. The zero value keeps no history. It is applied when a checkpoint is written.
type Retention struct {
	// Age is how far back the history reaches, by the creation times of checkpoints.
	Age time.Duration
	// RecordBytes bounds the records of the history.
	RecordBytes int64
	// CheckpointBytes bounds the files of its checkpoints. Files that the last two checkpoints also need do not count.
	CheckpointBytes int64
}

// DefaultRetention returns the retention of a daemon that was not configured otherwise.
func DefaultRetention() Retention {
	return Retention{Age: historyAge, RecordBytes: historyRecordBytes, CheckpointBytes: historyCheckpointBytes}
}

// apply returns the checkpoints of an ordered list that stay at a time. It drops the oldest one, with the records after
// it, while the next one is past Age or the records take too many bytes. If checkpoints take too many bytes, it drops
// those in the middle first: the history stays as long, and a fork in it repeats more records.
func (r *Retention) apply(all []Checkpoint, now time.Time) []Checkpoint {
	all = slices.Clone(all)
	for len(all) > checkpoints {
		u := usageOf(all)
		switch {
		case !all[1].Made.After(now.Add(-r.Age)) || u.HistoryRecords > r.RecordBytes:
			all = all[1:]
		case len(all) > maxCheckpoints || u.HistoryCheckpoints > r.CheckpointBytes:
			at := leastNeeded(all)
			all = slices.Delete(all, at, at+1)
		default:
			return all
		}
	}
	return all
}

// leastNeeded returns the index of the checkpoint in the middle of a history whose neighbors have the fewest records
// between them, 0 if there is none in the middle.
func leastNeeded(all []Checkpoint) (at int) {
	least := uint64(0)
	for i := 1; i < len(all)-checkpoints; i++ {
		if gap := all[i+1].Position - all[i-1].Position; at == 0 || gap < least {
			at, least = i, gap
		}
	}
	return at
}

// retainedWith returns the checkpoints that are kept with a new one, which is the last.
func (j *Journal) retainedWith(c Checkpoint) []Checkpoint {
	all := slices.DeleteFunc(slices.Clone(j.kept), func(k Checkpoint) bool { return k.Position == c.Position || c.Base })
	return j.retention.apply(append(all, c), c.Made)
}

// dropOthers sets the list of checkpoints that are kept, and adds to a batch the removal of other checkpoints and of
// the records before the oldest one.
func (j *Journal) dropOthers(batch *pebble.Batch, kept []Checkpoint) error {
	before := j.kept
	j.setKept(kept)
	for _, k := range before {
		if !slices.ContainsFunc(j.kept, func(s Checkpoint) bool { return s.Position == k.Position }) {
			if err := batch.Delete(positionKey(checkpointKey, k.Position), nil); err != nil {
				return err
			}
		}
	}
	block, err := j.seekBlock(j.kept[0].Position)
	if err != nil {
		return err
	}
	return batch.DeleteRange(positionKey(recordsKey, 0), positionKey(recordsKey, block), nil)
}
