package instance

import (
	"context"
	"math"
	"time"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Latest is the largest time, in nanoseconds: some canisters and clients have 63 bits.
const Latest = math.MaxInt64

// Time is the time of an instance, in nanoseconds, and how it moves.
type Time struct {
	Last      uint64 // of the last round
	Height    uint64
	NextRound uint64 // of a round that begins now
	NextDue   uint64 // of the next event that needs no client; 0: never
	NextTimer uint64 // when the next timer fires; 0: none is set
	Pacing    Pacing
	Offset    time.Duration
}

// Time returns the time of the instance.
func (i *Instance) Time(ctx context.Context) (Time, error) {
	return driver.Ask(ctx, i.driver, func(n *replica.Network) (t Time) {
		activity := n.Activity()
		t.Last, t.Height = activity.Time, activity.Height
		t.NextRound = max(n.Activity().NextTime, i.backend.Clock().Now)
		t.NextDue, _ = n.NextOf(replica.Events)
		t.NextTimer, _ = n.NextOf(replica.GlobalTimers)
		t.Pacing, t.Offset = i.Pacing(), i.Offset()
		return t
	})
}

// Now returns the time by which messages that are submitted now expire.
func (i *Instance) Now(ctx context.Context) (uint64, error) {
	if i.Pacing().TimeByWallClock() {
		return i.backend.Clock().Now, nil
	}
	return driver.Ask(ctx, i.driver, func(n *replica.Network) uint64 { return n.Activity().Clock }) // may be ahead of the last round
}

// CatchUp applies the wall clock if it moves the time. The owner of the network calls it.
func (i *Instance) CatchUp(n *replica.Network) {
	if i.Pacing().TimeByWallClock() {
		n.Apply(replica.AdvanceTo(i.backend.Clock().Now))
	}
}

// SetTime sets the time of the next round; the wall clock continues from there if it moves time. The error is a refusal
// (TimeGoesBack).
func (i *Instance) SetTime(ctx context.Context, at uint64) error { return i.jump(ctx, at, 0) }

// jump sets the time of the next round, with a minimum of the offset.
func (i *Instance) jump(ctx context.Context, at uint64, offset time.Duration) error {
	now, err := driver.Ask(ctx, i.driver, func(n *replica.Network) uint64 {
		now := i.now(n)
		if at >= now {
			n.Apply(replica.AdvanceTo(at))
			i.PutAhead(offset)
			i.continueWallClock(n)
		}
		return now
	})
	if err == nil && at < now {
		return TimeGoesBack.Refuse(written(now), written(at))
	}
	return err
}

// written formats a time as RFC 3339.
func written(ns uint64) string { return time.Unix(0, int64(ns)).UTC().Format(time.RFC3339Nano) }

// now returns the time of the instance's clock: the wall clock's time and the offset, or the time to which its network
// was moved if that is later.
func (i *Instance) now(n *replica.Network) uint64 {
	return max(n.Activity().Clock, i.backend.Clock().Now)
}

// continueWallClock makes the wall clock continue from the time to which the network's was moved.
func (i *Instance) continueWallClock(n *replica.Network) {
	i.PutAhead(time.Duration(n.Activity().Clock - i.backend.Clock().Wall))
}

// runRounds is Driver.RunRounds for callers that move time: the wall clock continues from the time at which the rounds
// end, or its caller gives up.
func (i *Instance) runRounds(ctx context.Context, next func(*replica.Network) driver.Next) (driver.Work, error) {
	done, err := i.driver.RunRounds(ctx, next)
	keeping := i.driver.Do(context.WithoutCancel(ctx), i.continueWallClock)
	if err == nil {
		err = keeping
	}
	return done, err
}
