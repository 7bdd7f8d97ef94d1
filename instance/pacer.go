package instance

import (
	"context"
	"sync"
	"time"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica/driver"
)

// ticker drives a network in one pacing, at times of the wall clock. The zero time means none.
type ticker interface {
	// first returns when a ticker that begins now has work.
	first(now time.Time) time.Time
	// active returns when it has work because something happens in the network now.
	active(now time.Time) time.Time
	// tick does what is due, and returns when to call it next. It is called on one goroutine at a time.
	tick(ctx context.Context, now time.Time) (next time.Time)
}

// pacer calls the ticker of one network when it is due. Only the pacer and the backend read the time of day, through
// the instance's clock; the pacer's own alarms are set by the wall clock.
type pacer struct {
	clock    *clock
	schedule *schedule
	driver   *driver.Driver
	ctx      context.Context

	mu      sync.Mutex // guards what follows
	ticker  ticker     // nil while clients alone drive the network
	alarm   *alarm     // of the ticker; nil without one
	ended   bool
	ticking bool // a goroutine of running ticks
	again   bool // due again during the tick
	running sync.WaitGroup
}

// start begins to pace a driver; ctx ends the current tick.
func (p *pacer) start(ctx context.Context, d *driver.Driver) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.driver = ctx, d
}

// set changes the ticker. Once it is nil no tick begins; end or quiet waits for the current one.
func (p *pacer) set(pacing Pacing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel()
	p.ticker, p.alarm = nil, nil
	if newTicker := modes[pacing.Mode].newTicker; newTicker != nil {
		now := p.clock.wall()
		started := newTicker(p, pacing, now)
		p.ticker, p.alarm = started, &alarm{due: func() { p.due(started) }}
		p.ring(started.first(now))
	}
}

// cancel stops the ticker's alarm, unless it is about to ring.
func (p *pacer) cancel() {
	if p.alarm != nil {
		p.schedule.cancel(p.alarm)
	}
}

// ring sets the alarm to a time, unless it is the zero time.
func (p *pacer) ring(at time.Time) {
	if !at.IsZero() {
		p.schedule.set(p.alarm, at)
	}
}

// wake is called by the network's owner when something happened.
func (p *pacer) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ticker != nil {
		p.ring(p.ticker.active(p.clock.wall()))
	}
}

// due begins a tick of a ticker, unless another one has taken its place: the alarm may have been about to ring when it was
// canceled.
func (p *pacer) due(current ticker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended || current != p.ticker:
	case p.ticking:
		p.again = true
	default:
		p.ticking = true
		p.running.Go(func() { contain.Do(func() { p.tick(current) }, p.driver.Fail) })
	}
}

// tick calls a ticker to do what is due.
func (p *pacer) tick(current ticker) {
	now := p.clock.wall()
	next := current.tick(p.ctx, now)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticking = false
	if p.again {
		p.again = false
		next = now.Add(tick)
	}
	if current == p.ticker && !p.ended { // otherwise the new ticker has set its own time
		p.ring(next)
	}
}

// quiet waits until no tick is running.
func (p *pacer) quiet(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		p.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end ends the pacing; p.ctx must have ended.
func (p *pacer) end() {
	p.mu.Lock()
	p.ended = true
	p.cancel()
	p.mu.Unlock()
	p.running.Wait()
}
