package driver

import (
	"context"

	"github.com/canisterd/canisterd/replica"
)

// Rest says how long a driver without requests can be left alone.
type Rest struct {
	Due       uint64 // ns: something happens automatically then; 0 for never
	Heartbeat bool   // a canister has a heartbeat: each round executes something
}

// Tick moves the network's time to the time of a clock, which is read when it is the driver's turn, and runs a round if
// something is due or, if beat is set, a canister has a heartbeat. Config.Active is called again for the next thing
// that happens.
func (d *Driver) Tick(ctx context.Context, clock func() uint64, beat bool) (rest Rest, err error) {
	done := make(chan Rest, 1)
	err = d.readUnsettled(ctx, func(d *Driver) {
		d.active.Store(false)
		d.network.Apply(replica.AdvanceTo(clock()))
		if activity := d.network.Activity(); d.mode == Auto && d.ready() && (activity.HasRunnableWork || beat && activity.Heartbeat) {
			d.round()
		}
		activity := d.network.Activity()
		done <- Rest{Due: activity.NextDue, Heartbeat: activity.Heartbeat}
	})
	if err != nil {
		return rest, err
	}
	return <-done, nil
}

// Clock is a clock that moves a network's time, in ns. It is read when it is the driver's turn; moves is false if it
// stands still.
type Clock func() (time uint64, moves bool)

// moveTo moves the network's time to that of a clock; nil: it stands still.
func (d *Driver) moveTo(clock Clock) {
	if clock == nil {
		return
	}
	if time, moves := clock(); moves {
		d.network.Apply(replica.AdvanceTo(time))
	}
}

// AdvanceClock moves the network's time to that of a clock. The journal records the new time with the next event: until
// then a crash may undo it.
func (d *Driver) AdvanceClock(ctx context.Context, clock Clock) error {
	return d.askUnsettled(ctx, func(d *Driver) {
		d.clockOnly = true
		d.moveTo(clock)
	})
}

// reportActivity calls Config.Active at the first thing that happens after a tick.
func (d *Driver) reportActivity() {
	if d.config.Active != nil && !d.active.Load() && !d.active.Swap(true) {
		d.config.Active()
	}
}
