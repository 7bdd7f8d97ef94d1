package instance

import (
	"sync/atomic"
	"time"
)

// clock is the time of an instance that is not paced by hand: the wall clock's and an offset, which is never negative.
// Time that is moved ahead makes the offset larger. The owner of the network reads it and moves the network's time in
// one turn, so that no time from before a restore reaches the restored network.
//
// A wall clock that is set forward, or was suspended, moves the instance's time forward. One that is set back makes the
// offset larger: the instance's time goes on from where it was, and timers do not wait until the wall clock shows it
// again.
type clock struct {
	wall   func() time.Time
	offset atomic.Int64 // ns
	latest atomic.Int64 // the wall clock as it was read last for the instance's time, in ns
}

// leastSetBack is by how much a wall clock is back at least that was set. Readings of several goroutines, which are not
// in order, differ by less.
const leastSetBack = 100 * time.Millisecond

func (c *clock) wallNow() uint64 { return uint64(c.wall().UnixNano()) }

// now is the instance's time, in nanoseconds.
func (c *clock) now() uint64 { return c.at(c.wallNow()) }

// at is the instance's time when the wall clock was read, in nanoseconds.
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

// wallOf is when the wall clock shows that an instance's time has come.
func (c *clock) wallOf(at uint64) time.Time { return time.Unix(0, int64(at)-c.offset.Load()) }

// catchUp continues from the time of a network. One that is behind the wall clock, as after some
// days in a file, catches up at once, like a machine that has slept.
func (c *clock) catchUp(from uint64) {
	wall := int64(c.wallNow())
	c.latest.Store(wall)
	c.offset.Store(max(0, int64(from)-wall))
}

// putAhead makes the offset at least so much.
func (c *clock) putAhead(offset time.Duration) {
	for {
		before := c.offset.Load()
		if int64(offset) <= before || c.offset.CompareAndSwap(before, int64(offset)) {
			return
		}
	}
}
