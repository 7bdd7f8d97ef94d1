package wasm

import (
	"fmt"
)

// makeRoom puts guests to sleep until one more fits. Those in the middle of a message stay; too many of them is an error.
func (e *Engine) makeRoom() error {
	for {
		e.mu.Lock()
		if len(e.live) < e.config.MaxLive && e.heaps.mappings.Load() < e.heaps.room {
			e.mu.Unlock()
			return nil
		}
		victim := e.victim()
		n := len(e.live)
		e.mu.Unlock()
		if victim == nil {
			if n >= e.config.MaxLive+maxPinned {
				return fmt.Errorf("%d guests are in the middle of a message, %d more than may be live: finish some of them", n, n-e.config.MaxLive)
			}
			return nil
		}
		victim.sleep()
		victim.life.Unlock()
	}
}

// victim chooses a guest not used since the hand last passed it and takes its life lock, or returns nil. Needs mu.
func (e *Engine) victim() *Guest {
	for range 2 * len(e.live) {
		e.hand = (e.hand + 1) % len(e.live)
		g := e.live[e.hand]
		if g.used.Swap(false) || !g.life.TryLock() {
			continue
		}
		if g.live != nil && !g.open && !g.code.module.MutatesTable {
			return g
		}
		g.life.Unlock()
	}
	return nil
}

// admit and leave keep the list of live guests.
func (e *Engine) admit(g *Guest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	g.place = len(e.live)
	e.live = append(e.live, g)
}

func (e *Engine) leave(g *Guest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	last := len(e.live) - 1
	if g.place > last || e.live[g.place] != g {
		return // the engine is closed
	}
	e.live[g.place] = e.live[last]
	e.live[g.place].place = g.place
	e.live[last] = nil
	e.live = e.live[:last]
}

// Live is the number of guests that have an instance.
func (e *Engine) Live() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.live)
}
