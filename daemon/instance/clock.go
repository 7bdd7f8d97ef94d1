package instance

import (
	"sync/atomic"
	"time"
)

// clock is the time of an instance that is not paced by hand: the wall clock's and an offset, which is never negative.
// Time that is moved ahead makes the offset larger. The owner of the network reads it and moves the network's time in
// one turn, so that no time from before a restore reaches the restored network.
type clock struct {
	wall   func() time.Time
	offset atomic.Int64 // ns
}

func (c *clock) wallNow() uint64 { return uint64(c.wall().UnixNano()) }

// now is the instance's time, in nanoseconds.
func (c *clock) now() uint64 { return c.wallNow() + uint64(c.offset.Load()) }

// wallOf is when the wall clock shows that an instance's time has come.
func (c *clock) wallOf(at uint64) time.Time { return time.Unix(0, int64(at)-c.offset.Load()) }

// catchUp continues from the time of a network. One that is behind the wall clock, as after some
// days in a file, catches up at once, like a machine that has slept.
func (c *clock) catchUp(from uint64) { c.offset.Store(max(0, int64(from-c.wallNow()))) }

// putAhead makes the offset at least so much.
func (c *clock) putAhead(offset time.Duration) {
	for {
		before := c.offset.Load()
		if int64(offset) <= before || c.offset.CompareAndSwap(before, int64(offset)) {
			return
		}
	}
}
