package instance

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

const (
	// tick is how often a network looks at the wall clock while it has something to
	// do, and how soon after something has happened it looks for what is due next: the
	// accuracy of global timers. Mainnet's is a round, about a second.
	tick = 20 * time.Millisecond
	// heartbeat is the time between two heartbeats of an idle network: about
	// mainnet's time between rounds.
	heartbeat = time.Second
)

// pacer moves the time of one network with the wall clock, or runs its rounds at an
// interval. It and the backend are where the time of day enters, by the instance's clock;
// its own alarms are set by the wall clock. A network that has
// nothing to do costs nothing: it is looked at when it is due.
type pacer struct {
	clock    *clock
	schedule *schedule
	alarm    alarm
	node     *node.Node
	ctx      context.Context

	mu      sync.Mutex
	pacing  Pacing
	begun   bool
	ended   bool
	ticking bool // on a goroutine of running
	again   bool // it was due meanwhile
	beat    time.Time
	running sync.WaitGroup
}

// start begins to pace a node; ctx ends what is under way.
func (p *pacer) start(ctx context.Context, n *node.Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ctx, p.node, p.begun = ctx, n, true
	p.alarm.due = p.due
}

// set changes the pacing. After one of a Manual network no tick is begun; end or quiet
// waits for the one under way.
func (p *pacer) set(pacing Pacing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pacing = pacing
	p.beat = p.clock.wall()
	p.schedule.cancel(&p.alarm)
	switch pacing.Mode {
	case Auto:
		p.schedule.set(&p.alarm, p.beat)
	case Interval:
		p.schedule.set(&p.alarm, p.beat.Add(pacing.Interval))
	}
}

// wake is called by the network's owner when something has happened.
func (p *pacer) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun && p.pacing.Mode == Auto {
		p.schedule.set(&p.alarm, p.clock.wall().Add(tick))
	}
}

// due begins a tick.
func (p *pacer) due() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended || p.pacing.Mode == Manual:
	case p.ticking:
		p.again = true
	default:
		p.ticking = true
		p.running.Go(p.tick)
	}
}

// tick looks at the wall clock once.
func (p *pacer) tick() {
	p.mu.Lock()
	pacing, beat := p.pacing, p.beat
	p.mu.Unlock()
	now := p.clock.wall()
	var next time.Time // none
	switch pacing.Mode {
	case Auto:
		next, beat = p.advance(now, beat)
	case Interval:
		next = p.round(beat, pacing.Interval)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticking = false
	if p.again {
		p.again = false
		next = now.Add(tick)
	}
	if pacing == p.pacing && !p.ended { // else another pacing has set its own time
		p.beat = beat
		if !next.IsZero() {
			p.schedule.set(&p.alarm, next)
		}
	}
}

// advance moves time to the clock's and says when to look again: never, where
// nothing will be due unless something happens.
func (p *pacer) advance(now, beat time.Time) (next, beaten time.Time) {
	beats := now.Sub(beat) >= heartbeat
	if beats {
		beat = now
	}
	rest, err := p.node.Tick(p.ctx, p.clock.now, beats)
	if err != nil {
		return time.Time{}, beat // the node has said why where it is a bug
	}
	if rest.Heartbeat {
		next = beat.Add(heartbeat)
	}
	if rest.Due > 0 {
		due := p.clock.wallOf(rest.Due)
		if soon := now.Add(tick); due.Before(soon) {
			due = soon
		}
		if next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next, beat
}

// round runs a round at the clock's time. Rounds that were missed are not
// made up for.
func (p *pacer) round(begun time.Time, interval time.Duration) (next time.Time) {
	if err := p.node.Do(p.ctx, func(n *replica.Network) { n.Apply(replica.AdvanceTo(p.clock.now())) }); err != nil {
		return time.Time{}
	}
	if _, err := p.node.Round(p.ctx); err != nil {
		return time.Time{}
	}
	now := p.clock.wall()
	return now.Add(interval - now.Sub(begun)%interval)
}

// quiet waits until no tick is under way.
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

// schedule rings the alarms of all pacers: one goroutine and one timer for any number
// of them.
type schedule struct {
	clock func() time.Time
	mu    sync.Mutex
	queue alarms
	first chan struct{} // has a value when the first alarm is another
}

// alarm is called once at its time, or earlier where it is set anew to an earlier one.
type alarm struct {
	due  func() // must not block
	at   time.Time
	rank int // position in the queue and one; 0 for none
}

func newSchedule(clock func() time.Time) *schedule {
	return &schedule{clock: clock, first: make(chan struct{}, 1)}
}

// set makes an alarm ring at a time at the latest.
func (s *schedule) set(a *alarm, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case a.rank == 0:
		a.at = at
		heap.Push(&s.queue, a)
	case at.Before(a.at):
		a.at = at
		heap.Fix(&s.queue, a.rank-1)
	default:
		return
	}
	if a.rank == 1 {
		select {
		case s.first <- struct{}{}:
		default:
		}
	}
}

// cancel makes an alarm not ring.
func (s *schedule) cancel(a *alarm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.rank > 0 {
		heap.Remove(&s.queue, a.rank-1)
	}
}

// run rings until ctx ends.
func (s *schedule) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		due, next := s.take()
		for _, a := range due {
			a.due()
		}
		if len(due) > 0 {
			continue
		}
		if next > 0 {
			timer.Reset(next)
		} else {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.first:
		}
	}
}

// take takes the alarms whose time has come, and says how long it is to the next: 0
// for ever.
func (s *schedule) take() (due []*alarm, next time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	for len(s.queue) > 0 {
		if wait := s.queue[0].at.Sub(now); wait > 0 {
			return due, wait
		}
		due = append(due, heap.Pop(&s.queue).(*alarm))
	}
	return due, 0
}

// alarms is a heap by time.
type alarms []*alarm

// Len is that of a heap.
func (q alarms) Len() int { return len(q) }

// Less is that of a heap.
func (q alarms) Less(i, j int) bool { return q[i].at.Before(q[j].at) }

// Swap is that of a heap.
func (q alarms) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].rank, q[j].rank = i+1, j+1
}

// Push is that of a heap.
func (q *alarms) Push(x any) {
	a := x.(*alarm)
	*q = append(*q, a)
	a.rank = len(*q)
}

// Pop is that of a heap.
func (q *alarms) Pop() any {
	old := *q
	a := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	a.rank = 0
	return a
}
