package instance

import (
	"sync/atomic"
	"time"
)

// clock is the time of an instance that is not paced by hand: the wall clock plus an offset, which is never negative.
// Moving time ahead raises the offset. The owner of the network reads it and moves the network's time in one turn, so
// that no time from before a restore reaches the restored network.
//
// A wall clock that is set forward, or was suspended, moves the instance's time forward. If it is set back, the offset
// grows: the instance's time continues from where it was, and timers do not wait until the wall clock catches up.
type clock struct {
	wall   func() time.Time
	offset atomic.Int64 // ns
	latest atomic.Int64 // last reading of the wall clock, in ns
}

// leastSetBack is the smallest step back that counts as setting the wall clock. Unordered readings of several
// goroutines differ by less.
const leastSetBack = 100 * time.Millisecond

func (c *clock) wallNow() uint64 { return uint64(c.wall().UnixNano()) }

// now returns the instance's time, in nanoseconds.
func (c *clock) now() uint64 { return c.at(c.wallNow()) }

// at returns the instance's time at a reading of the wall clock, in nanoseconds.
func (c *clock) at(read uint64) uint64 {
	wall, latest := int64(read), c.latest.Load()
	switch back := latest - wall; {
	case back >= int64(leastSetBack) && c.latest.CompareAndSwap(latest, wall):
		c.offset.Add(back)
	case back < 0:
		c.latest.CompareAndSwap(latest, wall)
	}
	return uint64(wall + c.offset.Load())
}

// wallOf returns the wall clock's time for a time of the instance.
func (c *clock) wallOf(at uint64) time.Time { return time.Unix(0, int64(at)-c.offset.Load()) }

// catchUp continues from the time of a network. If that is behind the wall clock, as after some days in a file, it
// catches up at once, like a machine that has slept.
func (c *clock) catchUp(from uint64) {
	wall := int64(c.wallNow())
	c.latest.Store(wall)
	c.offset.Store(max(0, int64(from)-wall))
}

// putAhead raises the offset to at least this value.
func (c *clock) putAhead(offset time.Duration) {
	for {
		before := c.offset.Load()
		if int64(offset) <= before || c.offset.CompareAndSwap(before, int64(offset)) {
			return
		}
	}
}
