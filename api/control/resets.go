package control

import (
	"sync"
	"time"
)

// resetAllowance limits the RPCs that clients reset before they are answered ("rapid reset", CVE-2023-44487): gRPC
// limits open RPCs, not those that a client opens and resets at once. Clients may reset resetBurst RPCs together, and
// one each resetInterval. Beyond that, the connection of the client is read more slowly; no other is.
type resetAllowance struct {
	mu   sync.Mutex // guards all below
	left int64
	at   time.Time // when left was counted; zero: never
}

// take takes a reset from the allowance. It returns false if none is left.
func (a *resetAllowance) take(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.at.IsZero() {
		a.left, a.at = resetBurst, now
	}
	if gained := int64(now.Sub(a.at) / resetInterval); gained > 0 {
		a.left = min(resetBurst, a.left+gained)
		a.at = a.at.Add(time.Duration(gained) * resetInterval)
	}
	if a.left == 0 {
		return false
	}
	a.left--
	return true
}

// reset is called for an RPC that its client has reset.
func (c *connection) reset(now time.Time) {
	if c.all.resets.take(now) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resume.Before(now) {
		c.resume = now
	}
	if limit := now.Add(maxResetPause); c.resume.Before(limit) {
		c.resume = c.resume.Add(resetInterval)
	}
}

// awaitResume waits until the connection may be read, or is closed.
func (c *connection) awaitResume() {
	c.mu.Lock()
	pause := time.Until(c.resume)
	c.mu.Unlock()
	if pause <= 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.gone:
	}
}
