package wasm

// EvictIdle evicts the guests that ran nothing since the call before, and returns their number. Those of one code then
// keep the pages that are equal in them once. Guests in the middle of a message stay. It may be called on any goroutine.
func (e *Engine) EvictIdle() (evicted int) {
	e.mu.Lock()
	closed := e.closed
	if !closed {
		e.working.Add(1)
	}
	at := len(e.resident)
	e.mu.Unlock()
	if closed {
		return 0
	}
	defer e.working.Done()
	for at > 0 {
		var g *Guest
		if g, at = e.idleBefore(at); g != nil {
			g.evict()
			g.shareCommon()
			g.residency.Unlock()
			evicted++
		}
	}
	return evicted
}

// idleBefore returns the last idle guest before a place in the list of residents, with its residency lock, and its place.
// If there is none, the guest is nil and the place 0. An evicted guest leaves its place to the last of the list, which was
// looked at before.
func (e *Engine) idleBefore(at int) (*Guest, int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := min(at, len(e.resident)) - 1; i >= 0; i-- {
		if g := e.resident[i]; !g.used.Swap(false) && g.lockEvictable() {
			return g, i
		}
	}
	return nil, 0
}

// lockEvictable takes the residency lock if the guest can be evicted, and reports whether it can.
func (g *Guest) lockEvictable() bool {
	if !g.residency.TryLock() {
		return false
	}
	if g.resident != nil && !g.open && !g.code.module.MutatesTable {
		return true
	}
	g.residency.Unlock()
	return false
}
