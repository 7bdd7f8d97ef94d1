package instance

import (
	"context"
	"time"
)

// interval runs a round every Pacing.Interval, whether there is work or not.
var interval = mode{
	name: "interval", says: "a round every interval, at the time of the wall clock and the offset",
	rounds: byTicker, byWallClock: true, hasInterval: true,
	newTicker: func(p *pacer, pacing Pacing, now time.Time) ticker {
		return &intervalTicker{pacer: p, begun: now, interval: pacing.Interval}
	},
}

// intervalTicker runs rounds at an interval.
type intervalTicker struct {
	*pacer
	begun    time.Time
	interval time.Duration
}

func (d *intervalTicker) first(now time.Time) time.Time { return now.Add(d.interval) }

func (d *intervalTicker) active(time.Time) time.Time { return time.Time{} }

// tick runs a round at the clock's time. Missed rounds are not made up for.
func (d *intervalTicker) tick(ctx context.Context, _ time.Time) (next time.Time) {
	if err := d.driver.AdvanceClock(ctx, func() (uint64, bool) { return d.clock.now(), true }); err != nil {
		return time.Time{}
	}
	if _, err := d.driver.Round(ctx); err != nil {
		return time.Time{}
	}
	now := d.clock.wall()
	return now.Add(d.interval - now.Sub(d.begun)%d.interval)
}
