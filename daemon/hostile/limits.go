package main

import "time"

// limits are what one attack may do at most.
type limits struct {
	same   time.Duration // p99 of the innocent canister in the attacked instance
	other  time.Duration // p99 of the innocent canister in another instance
	memory int64         // bytes, at any time
	back   time.Duration // until memory is given back
	pause  time.Duration // of the garbage collector
}

const (
	// memoryLimit is what the daemon is started with (--memory-limit).
	memoryLimit = 512 << 20
	// backSlack is how many bytes above the quiet memory count as given back: code of
	// modules that stays cached, stacks, and what the runtime keeps for the next allocation.
	backSlack = 64 << 20
	// runaway is the memory at which an attack is ended early, for the machine's sake.
	runaway = 4 << 30
	// interval is the time between two requests of a kind to an innocent canister.
	interval = 40 * time.Millisecond
	// maxInFlight is how many requests of a kind an innocent canister has in flight.
	maxInFlight = 32
	// sampleInterval is the time between two looks at the daemon's memory.
	sampleInterval = 50 * time.Millisecond
	// requestTimeout bounds every request of the suite.
	requestTimeout = 30 * time.Second
	// quietShare: the short version allows a latency of this many times the quiet one where
	// that is above the limit. A machine whose quiet p99 is a fifth of the limit is busy with
	// something else.
	quietShare = 5
	// stopTimeout is how long the daemon has to end after SIGTERM.
	stopTimeout = 15 * time.Second
	// readyTimeout is how long the daemon has to start.
	readyTimeout = 15 * time.Second
)

// standard are the limits that hold for every attack: an innocent canister in another
// instance answers within 50 ms, one in the same instance within 250 ms, memory stays
// within the limit and a quarter, and is back within 5 s.
var standard = limits{
	same: 250 * time.Millisecond, other: 50 * time.Millisecond,
	memory: memoryLimit + memoryLimit/4, back: 5 * time.Second, pause: 20 * time.Millisecond,
}
