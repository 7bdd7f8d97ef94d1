package journal

import (
	"sync/atomic"
	"time"
)

// Statistics count what journals do, all that were opened with them. The zero value is ready. Safe for concurrent use.
type Statistics struct {
	commits, syncs, checkpoints durations
	records, bytes              atomic.Uint64
}

// Counts are what Statistics have counted.
type Counts struct {
	Commits     Durations // of waiting records, with the store's own work
	Syncs       Durations // of one file or directory, by the file system
	Checkpoints Durations // that were written
	Records     uint64    // that are on disk
	Bytes       uint64    // of these records
}

// Durations are how often something was done, and how long that took.
type Durations struct {
	Counts [durationBuckets + 1]uint64 // by how long each took: up to Bounds, and longer
	Sum    time.Duration
}

// Bounds are how long something takes at most that is counted in each place of Durations.Counts but the last.
func Bounds() (bounds [durationBuckets]time.Duration) {
	bound := firstDuration
	for i := range bounds {
		bounds[i] = bound
		bound *= 4
	}
	return bounds
}

// durations are Durations that are counted.
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

// Read is what was counted so far.
func (s *Statistics) Read() Counts {
	return Counts{s.commits.read(), s.syncs.read(), s.checkpoints.read(), s.records.Load(), s.bytes.Load()}
}

// committed counts a commit of records.
func (s *Statistics) committed(took time.Duration, records uint64, bytes int) {
	if s == nil {
		return
	}
	s.commits.add(took)
	s.records.Add(records)
	s.bytes.Add(uint64(bytes))
}

// kept counts a checkpoint.
func (s *Statistics) kept(took time.Duration) {
	if s != nil {
		s.checkpoints.add(took)
	}
}

// sync does a sync, and counts it.
func (s *Statistics) sync(do func() error) error {
	begun := time.Now()
	err := do()
	if s != nil {
		s.syncs.add(time.Since(begun))
	}
	return err
}
