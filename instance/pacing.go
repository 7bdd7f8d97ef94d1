package instance

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/canisterd/canisterd/replica/driver"
)

// PacingMode says when rounds happen and how time moves.
type PacingMode uint8

// The modes.
const (
	Auto PacingMode = iota
	Manual
	Interval
	Still
	pacingModes // how many there are
)

// modes lists the modes. Each is declared in its own file (pacing_auto.go).
var modes = [pacingModes]*mode{Auto: &auto, Manual: &manual, Interval: &interval, Still: &still}

// mode is a pacing mode. Everything that depends on the mode is here: other code never compares modes.
type mode struct {
	name string // for people and clients
	says string // when rounds happen, and at which time
	// rounds says who begins rounds.
	rounds roundsBy
	// byWallClock means that the wall clock plus the offset moves the time; otherwise only clients do.
	byWallClock bool
	// hasInterval means that a pacing of the mode has an Interval.
	hasInterval bool
	// newTicker makes the ticker of a network; nil if only clients drive it.
	newTicker func(p *pacer, pacing Pacing, now time.Time) ticker
}

// roundsBy is who begins the rounds of a network.
type roundsBy uint8

const (
	byDriver  roundsBy = iota // its driver, as soon as there is work
	byTicker                  // the ticker of the mode, at its times
	byClients                 // clients that ask for them
)

// PacingModes returns all modes.
func PacingModes() []PacingMode {
	all := make([]PacingMode, pacingModes)
	for m := range all {
		all[m] = PacingMode(m)
	}
	return all
}

// String returns the name of the mode for people.
func (m PacingMode) String() string {
	if m < pacingModes {
		return modes[m].name
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// Says describes when rounds happen in the mode, and at which time.
func (m PacingMode) Says() string { return modes[m].says }

// HasInterval reports whether a pacing of the mode has an Interval.
func (m PacingMode) HasInterval() bool { return modes[m].hasInterval }

// Pacing is a mode and, if the mode has one, the time between two rounds.
type Pacing struct {
	Mode     PacingMode
	Interval time.Duration
}

// Check refuses an invalid pacing (BadPacing).
func (p Pacing) Check() error {
	switch {
	case p.Mode >= pacingModes:
		var names []string
		for _, m := range modes {
			names = append(names, m.name)
		}
		return BadPacing.Refuse(fmt.Sprintf("there is no pacing mode %d: the modes are %s", p.Mode, strings.Join(names, ", ")))
	case p.Mode.HasInterval() && (p.Interval < MinInterval || p.Interval > MaxInterval):
		return BadPacing.Refuse(fmt.Sprintf("the interval between two rounds is %s: it may be from %s to %s", p.Interval, MinInterval, MaxInterval))
	}
	return nil
}

// decided returns the pacing with its default interval filled in. The errors are as in Check.
func (p Pacing) decided() (Pacing, error) {
	switch {
	case p.Mode >= pacingModes:
	case p.Mode.HasInterval():
		p.Interval = cmp.Or(p.Interval, DefaultInterval)
	default:
		p.Interval = 0
	}
	return p, p.Check()
}

// TimeByWallClock reports whether the wall clock moves the time; otherwise only clients do.
func (p Pacing) TimeByWallClock() bool { return modes[p.Mode].byWallClock }

// RoundsByClients reports whether rounds happen only when clients ask for them.
func (p Pacing) RoundsByClients() bool { return modes[p.Mode].rounds == byClients }

// roundsByDriver reports whether the driver begins a round as soon as there is work.
func (p Pacing) roundsByDriver() bool { return modes[p.Mode].rounds == byDriver }

// driverMode returns the mode of a driver with this pacing.
func (p Pacing) driverMode() driver.Mode {
	if p.roundsByDriver() {
		return driver.Auto
	}
	return driver.Manual
}
