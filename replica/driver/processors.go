package driver

import (
	"sync"
	"sync/atomic"
)

// Processors is a fair semaphore: it bounds how many messages run at once on all drivers that share it. If messages of
// several drivers wait, the driver that ran for the shortest time goes first (start-time fair queueing), so that a
// driver that was idle waits for the end of one slice, however many others are busy. Safe for concurrent use.
type Processors struct {
	// free is how many more messages may run. It is taken without mu while no message waits.
	free atomic.Int64
	// waiting is how many messages wait; changed under mu.
	waiting atomic.Int64
	clock   func() int64 // nanoseconds; nil: every message counts the same

	mu    sync.Mutex // guards queue and now
	queue []*queuedMessage
	now   int64 // virtual time: the start of the message that was admitted last
}

// queuedMessage is a message that waits.
type queuedMessage struct {
	of   *usage
	open chan struct{}
}

// usage is what a driver used of the processors.
type usage struct {
	// finish is the virtual time at which the admitted messages of the driver end; it never goes back.
	finish atomic.Int64
}

// NewProcessors lets a number of messages run at once, at least one; clock measures them.
func NewProcessors(processors int, clock func() int64) *Processors {
	p := &Processors{clock: clock}
	p.free.Store(int64(max(processors, 1)))
	return p
}

// acquire waits until a message of a driver may run, and returns its start time: 0 if it need not be measured, because
// there was room for another.
func (p *Processors) acquire(of *usage) (begun int64) {
	if p.waiting.Load() == 0 {
		if free := p.free.Load(); free > 0 && p.free.CompareAndSwap(free, free-1) {
			if free > 1 {
				return 0
			}
			return p.read()
		}
	}
	if gate := p.enqueue(of); gate != nil {
		<-gate.open
	}
	return p.read()
}

func (p *Processors) read() int64 {
	if p.clock == nil {
		return 1
	}
	return max(p.clock(), 1)
}

// enqueue makes a message wait, unless there is room.
func (p *Processors) enqueue(of *usage) *queuedMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting.Add(1)
	of.finish.Store(max(of.finish.Load(), p.now-sleeperCredit))
	gate := &queuedMessage{of, make(chan struct{})}
	p.queue = append(p.queue, gate)
	p.admit()
	return gate
}

// release ends the use that acquire began.
func (p *Processors) release(of *usage, begun int64) {
	if begun > 0 {
		used := int64(1)
		if p.clock != nil {
			used = max(p.clock()-begun, 1)
		}
		of.finish.Add(used)
	}
	p.free.Add(1)
	if p.waiting.Load() > 0 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.admit()
	}
}

// admit admits messages while there is room, beginning with the driver that used least; among equals, the message that
// came first. Needs mu.
func (p *Processors) admit() {
	for len(p.queue) > 0 {
		free := p.free.Load()
		if free <= 0 {
			return
		}
		if !p.free.CompareAndSwap(free, free-1) {
			continue
		}
		first := 0
		for i, gate := range p.queue {
			if gate.of.finish.Load() < p.queue[first].of.finish.Load() {
				first = i
			}
		}
		gate := p.queue[first]
		p.queue = append(p.queue[:first], p.queue[first+1:]...)
		p.waiting.Add(-1)
		p.now = max(p.now, gate.of.finish.Load())
		close(gate.open)
	}
}
