package wasm

import (
	"fmt"
)

// makeRoom evicts guests until one more fits. Guests in the middle of a message stay; too many of them is an error.
func (e *Engine) makeRoom() error {
	for {
		e.mu.Lock()
		if len(e.resident) < e.config.MaxResident && e.heaps.mappings.Load() < e.heaps.room {
			e.mu.Unlock()
			return nil
		}
		victim := e.victim()
		n := len(e.resident)
		e.mu.Unlock()
		if victim == nil {
			if n >= e.config.MaxResident+maxPinned {
				return fmt.Errorf("%d guests are in the middle of a message, %d more than may be resident: finish some of them", n, n-e.config.MaxResident)
			}
			return nil
		}
		victim.evict()
		victim.residency.Unlock()
		e.evictions.Add(1)
	}
}

// victim chooses a guest not used since the hand last passed it and takes its residency lock, or returns nil. Needs mu.
func (e *Engine) victim() *Guest {
	for range 2 * len(e.resident) {
		e.hand = (e.hand + 1) % len(e.resident)
		g := e.resident[e.hand]
		if !g.used.Swap(false) && g.lockEvictable() {
			return g
		}
	}
	return nil
}

// admit and leave maintain the list of resident guests.
func (e *Engine) admit(g *Guest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	g.place = len(e.resident)
	e.resident = append(e.resident, g)
}

func (e *Engine) leave(g *Guest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	last := len(e.resident) - 1
	if g.place > last || e.resident[g.place] != g {
		return // the engine is closed
	}
	e.resident[g.place] = e.resident[last]
	e.resident[g.place].place = g.place
	e.resident[last] = nil
	e.resident = e.resident[:last]
}

// Statistics are what an engine keeps resident, and what it has done since it was created.
type Statistics struct {
	Resident, MaxResident int    // guests that have an instance, and their limit
	Evictions             uint64 // of resident guests, to make room for others
	Compiled              uint64 // modules, without those from a cache
}

// Statistics returns the current statistics of the engine.
func (e *Engine) Statistics() Statistics {
	e.mu.Lock()
	defer e.mu.Unlock()
	return Statistics{
		Resident: len(e.resident), MaxResident: e.config.MaxResident, Evictions: e.evictions.Load(), Compiled: uint64(e.compiled),
	}
}

// Resident returns the number of guests that have an instance.
func (e *Engine) Resident() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.resident)
}
