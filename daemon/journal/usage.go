package journal

// Usage is what checkpoints and the records between them take of the disk, in bytes of their files and records. Records
// after the newest checkpoint do not count.
type Usage struct {
	Checkpoints        int64 // files of the last two checkpoints
	Records            int64 // records between them
	HistoryCheckpoints int64 // files that only older checkpoints need: at most Retention.CheckpointBytes
	HistoryRecords     int64 // records before the last two checkpoints: at most Retention.RecordBytes
}

// Usage is what the directory takes, as of the newest checkpoint. It does not wait for a checkpoint that is being written.
func (j *Journal) Usage() Usage { return *j.usage.Load() }

// Retention is the history that is kept beside what a start needs.
func (j *Journal) Retention() Retention { return j.retention }

// setKept enters the list of checkpoints that are kept, the oldest first. The caller holds j.keeping.
func (j *Journal) setKept(all []Checkpoint) {
	u := usageOf(all)
	j.kept = all
	j.usage.Store(&u)
}

// usageOf is what checkpoints take, the oldest first. A file that several of them need counts once, for the newest.
func usageOf(all []Checkpoint) (u Usage) {
	if len(all) == 0 {
		return u
	}
	counted := make(map[string]bool)
	needed := max(0, len(all)-checkpoints)
	u.Checkpoints = filesOf(all[needed:], counted)
	u.HistoryCheckpoints = filesOf(all[:needed], counted)
	u.Records = all[len(all)-1].Written - all[needed].Written
	u.HistoryRecords = all[needed].Written - all[0].Written
	return u
}

// filesOf are the bytes of the files of checkpoints, without the page files that were counted before.
func filesOf(all []Checkpoint, counted map[string]bool) (bytes int64) {
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
