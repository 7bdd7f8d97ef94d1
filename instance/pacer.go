package instance

import (
	"context"
	"sync"
	"time"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica/node"
)

// driver drives a network in one pacing, at times of the wall clock. The zero time means none.
type driver interface {
	// first returns when a driver that begins now has work.
	first(now time.Time) time.Time
	// active returns when it has work because something happens in the network now.
	active(now time.Time) time.Time
	// tick does what is due, and returns when to call it next. It is called on one goroutine at a time.
	tick(ctx context.Context, now time.Time) (next time.Time)
}

// pacer calls the driver of one network when it is due. Only the pacer and the backend read the time of day, through
// the instance's clock; the pacer's own alarms are set by the wall clock.
type pacer struct {
	clock    *clock
	schedule *schedule
	alarm    alarm
	node     *node.Node
	ctx      context.Context

	mu      sync.Mutex // guards what follows and alarm
	driver  driver     // nil while clients alone drive the network
	ended   bool
	ticking bool // a goroutine of running ticks
	again   bool // due again during the tick
	running sync.WaitGroup
}

// start begins to pace a node; ctx ends the current tick.
func (p *pacer) start(ctx context.Context, n *node.Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.node = ctx, n
	p.alarm.due = p.due
}

// set changes the driver. Once it is nil no tick begins; end or quiet waits for the current one.
func (p *pacer) set(pacing Pacing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.driver = nil
	p.schedule.cancel(&p.alarm)
	if drive := modes[pacing.Mode].drive; drive != nil {
		now := p.clock.wall()
		p.driver = drive(p, pacing, now)
		p.ring(p.driver.first(now))
	}
}

// ring sets the alarm to a time, unless it is the zero time.
func (p *pacer) ring(at time.Time) {
	if !at.IsZero() {
		p.schedule.set(&p.alarm, at)
	}
}

// wake is called by the network's owner when something happened.
func (p *pacer) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.driver != nil {
		p.ring(p.driver.active(p.clock.wall()))
	}
}

// due begins a tick.
func (p *pacer) due() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended || p.driver == nil:
	case p.ticking:
		p.again = true
	default:
		p.ticking = true
		driver := p.driver
		p.running.Go(func() { contain.Do(func() { p.tick(driver) }, p.node.Fail) })
	}
}

// tick calls a driver to do what is due.
func (p *pacer) tick(driver driver) {
	now := p.clock.wall()
	next := driver.tick(p.ctx, now)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticking = false
	if p.again {
		p.again = false
		next = now.Add(tick)
	}
	if driver == p.driver && !p.ended { // otherwise the new driver has set its own time
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
	p.schedule.cancel(&p.alarm)
	p.mu.Unlock()
	p.running.Wait()
}
