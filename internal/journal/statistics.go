package journal

import (
	"sync/atomic"
	"time"
)

// Statistics count the work of all journals that were opened with them. The zero value is ready to use. They are safe
// for concurrent use.
type Statistics struct {
	commits, syncs, checkpoints durations
	records, bytes              atomic.Uint64
}

// Counts is a snapshot of Statistics.
type Counts struct {
	Commits     Durations // of pending records, including the work of the store
	Syncs       Durations // of single files and directories, in the file system
	Checkpoints Durations // of writing a checkpoint
	Records     uint64    // written to disk
	Bytes       uint64    // of these records
}

// Durations is a histogram of how long an operation took.
type Durations struct {
	Counts [durationBuckets + 1]uint64 // by upper bound (Bounds); the last counts longer ones
	Sum    time.Duration
}

// Bounds returns the upper bounds of all buckets of Durations.Counts except the last.
func Bounds() (bounds [durationBuckets]time.Duration) {
	bound := firstDuration
	for i := range bounds {
		bounds[i] = bound
		bound *= 4
	}
	return bounds
}

// durations is the live form of Durations.
type durations struct {
	counts [durationBuckets + 1]atomic.Uint64
	sum    atomic.Int64 // ns
}

func (d *durations) add(took time.Duration) {
	place := 0
	for _, bound := range Bounds() {
		if took <= bound {
			break
		}
		place++
	}
	d.counts[place].Add(1)
	d.sum.Add(int64(took))
}

func (d *durations) read() (c Durations) {
	for i := range d.counts {
		c.Counts[i] = d.counts[i].Load()
	}
	c.Sum = time.Duration(d.sum.Load())
	return c
}

// Read returns the counts so far.
func (s *Statistics) Read() Counts {
	return Counts{s.commits.read(), s.syncs.read(), s.checkpoints.read(), s.records.Load(), s.bytes.Load()}
}

// addCommit counts a commit of records.
func (s *Statistics) addCommit(took time.Duration, records uint64, bytes int) {
	if s == nil {
		return
	}
	s.commits.add(took)
	s.records.Add(records)
	s.bytes.Add(uint64(bytes))
}

// addCheckpoint counts a checkpoint.
func (s *Statistics) addCheckpoint(took time.Duration) {
	if s != nil {
		s.checkpoints.add(took)
	}
}

// timeSync runs a sync, and counts it.
func (s *Statistics) timeSync(do func() error) error {
	begun := time.Now()
	err := do()
	if s != nil {
		s.syncs.add(time.Since(begun))
	}
	return err
}
