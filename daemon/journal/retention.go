package journal

import (
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Retention is what a journal keeps of the past, beside the last two checkpoints and the records after the older one.
// The zero value keeps nothing more. It is applied when a checkpoint is written.
type Retention struct {
	// Age is how far back the history reaches, by the times at which checkpoints were made.
	Age time.Duration
	// RecordBytes bounds the records of the history.
	RecordBytes int64
	// CheckpointBytes bounds the files of its checkpoints. Files that the last two checkpoints need as well do not count.
	CheckpointBytes int64
}

// DefaultRetention is the retention of a daemon that was not told another one.
func DefaultRetention() Retention {
	return Retention{Age: historyAge, RecordBytes: historyRecordBytes, CheckpointBytes: historyCheckpointBytes}
}

// kept are the checkpoints that stay at a time, of a list in order. The oldest checkpoint is dropped, with the records
// after it, while the next one is old enough, or while there are too many bytes of records. If checkpoints take too many
// bytes, those in the middle are dropped first: the history stays as long, and a fork in it repeats more records.
func (r *Retention) kept(all []Checkpoint, now time.Time) []Checkpoint {
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

// leastNeeded is the checkpoint of a history without which the fewest records lie between its neighbors. It is the
// oldest one if no other is in the middle.
func leastNeeded(all []Checkpoint) (at int) {
	least := uint64(0)
	for i := 1; i < len(all)-checkpoints; i++ {
		if gap := all[i+1].Position - all[i-1].Position; at == 0 || gap < least {
			at, least = i, gap
		}
	}
	return at
}

// keptWith are the checkpoints that are kept with a new one, which is the last.
func (j *Journal) keptWith(c Checkpoint) []Checkpoint {
	all := slices.DeleteFunc(slices.Clone(j.kept), func(k Checkpoint) bool { return k.Position == c.Position || c.Base })
	return j.retention.kept(append(all, c), c.Made)
}

// forget makes a list that of the checkpoints that are kept, and takes what is not kept with them out of the store.
func (j *Journal) forget(batch *pebble.Batch, kept []Checkpoint) error {
	before := j.kept
	j.setKept(kept)
	for _, k := range before {
		if !slices.ContainsFunc(j.kept, func(s Checkpoint) bool { return s.Position == k.Position }) {
			if err := batch.Delete(positionKey(checkpointKey, k.Position), nil); err != nil {
				return err
			}
		}
	}
	block, err := j.blockBefore(j.kept[0].Position)
	if err != nil {
		return err
	}
	return batch.DeleteRange(positionKey(recordsKey, 0), positionKey(recordsKey, block), nil)
}
