package canister

import (
	"math/bits"
	"sync/atomic"
)

// EngineStatistics are what an engine keeps ready, and what it has done since it was created.
type EngineStatistics struct {
	Resident    int       // canisters with an instance and a mapped heap
	MaxResident int       // limit of Resident, besides those in the middle of a message
	Evictions   uint64    // of resident canisters, to make room for others
	Compiled    uint64    // modules, without those from the cache
	InUse       int64     // allocated bytes of the checkpoint file
	Commits     Durations // of heaps and stable memories after messages and installations
}

// AddCounts adds the counts of another engine.
func (s *EngineStatistics) AddCounts(other *EngineStatistics) {
	s.Evictions += other.Evictions
	s.Compiled += other.Compiled
	s.Commits.Add(&other.Commits)
}

// commitBuckets is how many bounds CommitBounds has.
const commitBuckets = 11

// CommitBounds returns the upper bounds of the buckets of Durations, in nanoseconds: 1,024 ns, and four times as much
// from bucket to bucket, up to a second.
func CommitBounds() [commitBuckets]int64 {
	var bounds [commitBuckets]int64
	for i := range bounds {
		bounds[i] = firstBound << (2 * i)
	}
	return bounds
}

// firstBound is the bound of the first bucket in nanoseconds.
const firstBound = 1024

// Durations counts durations in buckets by length.
type Durations struct {
	Counts [commitBuckets + 1]uint64 // by bucket; the last has no bound
	Sum    int64                     // ns
}

// Add adds the counts of others.
func (d *Durations) Add(others *Durations) {
	for i, n := range others.Counts {
		d.Counts[i] += n
	}
	d.Sum += others.Sum
}

// durations is Durations for concurrent use.
type durations struct {
	counts [commitBuckets + 1]atomic.Uint64
	sum    atomic.Int64
}

// add counts a duration in nanoseconds. A negative duration, of a stopwatch that went back, counts as zero.
func (d *durations) add(ns int64) {
	ns = max(ns, 0)
	bucket := 0
	if ns > firstBound {
		bucket = min((bits.Len64(uint64(ns-1)/firstBound)+1)/2, commitBuckets)
	}
	d.counts[bucket].Add(1)
	d.sum.Add(ns)
}

// read returns the counts so far.
func (d *durations) read() (all Durations) {
	for i := range d.counts {
		all.Counts[i] = d.counts[i].Load()
	}
	all.Sum = d.sum.Load()
	return all
}

// Statistics returns the current statistics of the engine. Without EngineConfig.Stopwatch no commits are counted.
func (e *Engine) Statistics() EngineStatistics {
	s := e.wasm.Statistics()
	return EngineStatistics{
		Resident: s.Resident, MaxResident: s.MaxResident, Evictions: s.Evictions, Compiled: s.Compiled,
		InUse: e.InUse(), Commits: e.commits.read(),
	}
}

// commitBegins returns the value of the stopwatch at the beginning of a commit.
func (e *Engine) commitBegins() (begin int64) {
	if e.stopwatch == nil {
		return 0
	}
	return e.stopwatch()
}

// commitEnds counts a commit that began at the stopwatch value begin.
func (e *Engine) commitEnds(begin int64) {
	if e.stopwatch != nil {
		e.commits.add(e.stopwatch() - begin)
	}
}
