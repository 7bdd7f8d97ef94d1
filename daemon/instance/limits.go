package instance

import "time"

// MinInterval and MaxInterval bound the time between two rounds of pacing at an interval,
// DefaultInterval is the time where none is given. Ours.
const (
	MinInterval     = time.Millisecond
	DefaultInterval = time.Second
	MaxInterval     = time.Hour
)
