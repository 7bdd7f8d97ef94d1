package instance

import (
	"fmt"
	"time"
)

// PacingMode is when rounds happen and how time moves.
type PacingMode uint8

// The modes.
const (
	Auto     PacingMode = iota // a round as soon as there is work, at the time of the wall clock and the offset
	Manual                     // only when a client says so; time stands still meanwhile
	Interval                   // a round every interval, at the time of the wall clock and the offset
)

var pacingNames = [...]string{"auto", "manual", "interval"}

// String names the mode for people.
func (m PacingMode) String() string {
	if int(m) < len(pacingNames) {
		return pacingNames[m]
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// Pacing is a mode and, for Interval, the time between two rounds.
type Pacing struct {
	Mode     PacingMode
	Interval time.Duration
}

// Check refuses a pacing that does not exist (BadPacing).
func (p Pacing) Check() error {
	switch {
	case p.Mode > Interval:
		return BadPacing.Refuse(fmt.Sprintf("there is no pacing mode %d: rounds happen by themselves (auto), by hand (manual) or at an interval", p.Mode))
	case p.Mode == Interval && (p.Interval < MinInterval || p.Interval > MaxInterval):
		return BadPacing.Refuse(fmt.Sprintf("the interval between two rounds is %s: it may be from %s to %s", p.Interval, MinInterval, MaxInterval))
	}
	return nil
}
