package journal

import (
	"sync/atomic"
	"time"
)

// Statistics count what journals do, all that were opened with them. The zero value is ready. Safe for concurrent use.
type Statistics struct {
	commits                     [commitBuckets + 1]atomic.Uint64
	took                        atomic.Int64 // ns of all commits
	records, bytes, checkpoints atomic.Uint64
}

// Counts are what Statistics have counted.
type Counts struct {
	Commits     [commitBuckets + 1]uint64 // by how long each took: up to CommitBounds, and longer
	Took        time.Duration             // of all commits
	Records     uint64                    // that are on disk
	Bytes       uint64                    // of these records
	Checkpoints uint64                    // that were written
}

// CommitBounds are how long a commit takes at most that is counted in each place of Counts.Commits but the last.
func CommitBounds() (bounds [commitBuckets]time.Duration) {
	bound := firstCommit
	for i := range bounds {
		bounds[i] = bound
		bound *= 4
	}
	return bounds
}

// Read is what was counted so far.
func (s *Statistics) Read() (c Counts) {
	for i := range s.commits {
		c.Commits[i] = s.commits[i].Load()
	}
	c.Took = time.Duration(s.took.Load())
	c.Records, c.Bytes, c.Checkpoints = s.records.Load(), s.bytes.Load(), s.checkpoints.Load()
	return c
}

// committed counts a commit of records.
func (s *Statistics) committed(took time.Duration, records uint64, bytes int) {
	if s == nil {
		return
	}
	place := 0
	for _, bound := range CommitBounds() {
		if took <= bound {
			break
		}
		place++
	}
	s.commits[place].Add(1)
	s.took.Add(int64(took))
	s.records.Add(records)
	s.bytes.Add(uint64(bytes))
}

// kept counts a checkpoint.
func (s *Statistics) kept() {
	if s != nil {
		s.checkpoints.Add(1)
	}
}
