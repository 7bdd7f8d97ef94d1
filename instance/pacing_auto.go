package instance

import (
	"context"
	"time"
)

// auto runs a round as soon as there is work: an update is answered at once, timers fire when they are due.
var auto = mode{
	name: "auto", says: "a round as soon as there is work, at the time of the wall clock and the offset",
	rounds: byDriver, byWallClock: true,
	newTicker: func(p *pacer, _ Pacing, now time.Time) ticker { return &autoTicker{pacer: p, beat: now} },
}

const (
	// tick is how often a busy network reads the wall clock, and how soon after an event it looks for what is due next:
	// the accuracy of global timers. Mainnet's is a round, about a second.
	tick = 20 * time.Millisecond
	// heartbeat is the time between two heartbeats of an idle network: about mainnet's time between rounds.
	heartbeat = time.Second
)

// autoTicker moves the time of a network with the wall clock. An idle network costs nothing: the ticker wakes when
// something is due.
type autoTicker struct {
	*pacer
	beat time.Time // of the last heartbeat
}

// first is a tick later: most instances of tests are deleted before.
func (d *autoTicker) first(now time.Time) time.Time { return now.Add(tick) }

func (d *autoTicker) active(now time.Time) time.Time { return now.Add(tick) }

// tick moves time to the clock's and returns when to look again: never if nothing will be due until something happens.
func (d *autoTicker) tick(ctx context.Context, now time.Time) (next time.Time) {
	beats := now.Sub(d.beat) >= heartbeat
	if beats {
		d.beat = now
	}
	rest, err := d.driver.Tick(ctx, d.clock.now, beats)
	if err != nil {
		return time.Time{} // the driver has logged a bug
	}
	if rest.Heartbeat {
		next = d.beat.Add(heartbeat)
	}
	if rest.Due > 0 {
		due := d.clock.wallOf(rest.Due)
		if soon := now.Add(tick); due.Before(soon) {
			due = soon
		}
		if next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next
}
