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
	// quietShare and shortShare: the short version allows a latency of this many times the quiet
	// one, or the limit, whichever is more. It sends 75 requests of a kind, so its p99 is the
	// slowest of all, and the machine may be busy with something else.
	quietShare = 5
	shortShare = 2
)

// standard are the limits that hold for every attack: an innocent canister in another
// instance answers within 50 ms, one in the same instance within 250 ms, memory stays
// within the limit and a quarter, and is back within 5 s.
var standard = limits{
	same: 250 * time.Millisecond, other: 50 * time.Millisecond,
	memory: memoryLimit + memoryLimit/4, back: 5 * time.Second, pause: 20 * time.Millisecond,
}

// fullDiskLimits allow an innocent canister in another instance 75 ms. Each message that fails lets go of its 8,192 pages,
// and the next one faults on them twice, to read and to write; for the second fault the kernel interrupts all processors
// to flush their translations. With 2 virtual processors a third of the daemon's samples lie in these interrupts (perf
// record -g), and the 99th percentile of seven quiet runs is between 36 and 53 ms.
var fullDiskLimits = func() limits {
	l := standard
	l.other = 75 * time.Millisecond
	return l
}()
