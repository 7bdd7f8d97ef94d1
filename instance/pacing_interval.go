package instance

import (
	"context"
	"time"
)

// interval runs a round every Pacing.Interval, whether there is work or not.
var interval = mode{
	name: "interval", says: "a round every interval, at the time of the wall clock and the offset",
	rounds: byDriver, byWallClock: true, hasInterval: true,
	drive: func(p *pacer, pacing Pacing, now time.Time) driver {
		return &intervalDriver{pacer: p, begun: now, interval: pacing.Interval}
	},
}

// intervalDriver runs rounds at an interval.
type intervalDriver struct {
	*pacer
	begun    time.Time
	interval time.Duration
}

func (d *intervalDriver) first(now time.Time) time.Time { return now.Add(d.interval) }

func (d *intervalDriver) active(time.Time) time.Time { return time.Time{} }

// tick runs a round at the clock's time. Missed rounds are not made up for.
func (d *intervalDriver) tick(ctx context.Context, _ time.Time) (next time.Time) {
	if err := d.node.AdvanceClock(ctx, func() (uint64, bool) { return d.clock.now(), true }); err != nil {
		return time.Time{}
	}
	if _, err := d.node.Round(ctx); err != nil {
		return time.Time{}
	}
	now := d.clock.wall()
	return now.Add(d.interval - now.Sub(d.begun)%d.interval)
}
