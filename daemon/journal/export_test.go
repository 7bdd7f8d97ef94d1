package journal

import "time"

// MaxPageFiles is what tests look at.
const MaxPageFiles = maxPageFiles

// Kept are the checkpoints that stay at a time.
func (r *Retention) Kept(all []Checkpoint, now time.Time) []Checkpoint { return r.kept(all, now) }
