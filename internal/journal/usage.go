package journal

// Usage is the size of checkpoint files and of the records between checkpoints, in bytes. Records after the newest
// checkpoint do not count.
type Usage struct {
	Checkpoints        int64 // files of the last two checkpoints
	Records            int64 // records between them
	HistoryCheckpoints int64 // files that only older checkpoints need: at most Retention.CheckpointBytes
	HistoryRecords     int64 // records before the last two checkpoints: at most Retention.RecordBytes
}

// Usage returns the usage as of the newest checkpoint. It does not wait for a checkpoint that is being written.
func (j *Journal) Usage() Usage { return *j.usage.Load() }

// Retention returns the bounds of the history.
func (j *Journal) Retention() Retention { return j.retention }

// setKept sets the list of kept checkpoints, the oldest first. The caller holds j.checkpointMu.
func (j *Journal) setKept(all []Checkpoint) {
	u := usageOf(all)
	j.kept = all
	j.usage.Store(&u)
}

// usageOf returns the usage of checkpoints, the oldest first. A shared file counts once, for the newest of its
// checkpoints.
func usageOf(all []Checkpoint) (u Usage) {
	if len(all) == 0 {
		return u
	}
	counted := make(map[string]bool)
	needed := max(0, len(all)-checkpoints)
	u.Checkpoints = fileBytes(all[needed:], counted)
	u.HistoryCheckpoints = fileBytes(all[:needed], counted)
	u.Records = all[len(all)-1].Written - all[needed].Written
	u.HistoryRecords = all[needed].Written - all[0].Written
	return u
}

// fileBytes returns the size of the files of checkpoints, without the page files in counted, and adds theirs to it.
func fileBytes(all []Checkpoint, counted map[string]bool) (bytes int64) {
	for _, c := range all {
		bytes += c.Bytes
		for _, f := range c.Pages {
			if !counted[f.Name] {
				counted[f.Name] = true
				bytes += f.Bytes
			}
		}
	}
	return bytes
}
