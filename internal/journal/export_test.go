package journal

import "time"

// Kept returns the checkpoints that stay at a time.
func (r *Retention) Kept(all []Checkpoint, now time.Time) []Checkpoint { return r.apply(all, now) }

// Committed counts a commit of records.
func (s *Statistics) Committed(took time.Duration, records uint64, bytes int) {
	s.addCommit(took, records, bytes)
}
