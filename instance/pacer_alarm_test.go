package instance

import (
	"testing"
	"time"
)

// The schedule takes an alarm out of its queue before it rings it. A pacing that changes in between cannot cancel it, and
// a network paced by the hour once ran a round at once.
func TestAnAlarmOfTheOldPacingTicksNoNewOne(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	wall := func() time.Time { return now }
	p := pacer{clock: &clock{wall: wall}, schedule: newSchedule(wall)}
	p.start(t.Context(), nil)
	p.set(Pacing{Mode: Interval, Interval: time.Millisecond})
	now = now.Add(time.Second)
	due, _ := p.schedule.take()
	if len(due) != 1 {
		t.Fatalf("%d alarms are due, want that of the first interval", len(due))
	}
	p.set(Pacing{Mode: Interval, Interval: time.Hour})
	p.ticking = true // a tick that begins now is noted, and does not run
	due[0].due()
	if p.again {
		t.Error("the network has a round an hour early")
	}
	now = now.Add(time.Hour)
	due, _ = p.schedule.take()
	if len(due) != 1 {
		t.Fatalf("%d alarms are due after an hour, want one", len(due))
	}
	if due[0].due(); !p.again {
		t.Error("the network has no round after an hour")
	}
}
