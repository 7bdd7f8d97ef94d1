package driver

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// QuerySlots is a fair semaphore: it bounds how many queries run at once on all drivers that share it. Waiting queries
// take turns, round-robin between instances, within an instance between canisters, within a canister between senders,
// and first come first served among the queries of one sender. A running query releases its slot after each slice while
// others wait.
//
// A parked query holds state of its canister, so their number is limited (maxParked) for a sender, a canister, an
// instance and in all. A query that has not ended after its first slice and cannot be parked is evicted: it changed
// nothing, so it begins again when there is room. Queries of one slice therefore never wait for the end of long ones.
//
//	root ── instance ── canister ── sender ── queries that wait
//
// Safe for concurrent use.
type QuerySlots struct {
	waiting atomic.Int64 // queries that wait; changed under mu

	// Tests watch the turns: paused is called at the end of each slice, granted, under mu, when a waiting query
	// receives a slot. Both are set before the first query.
	paused, granted func(*querySlot)

	mu   sync.Mutex // guards free, last and root with all below it
	free int        // slots
	last uint64     // number of the last query that began to wait
	root queryClass
}

// queryClass counts and orders all queries, or those of an instance, a canister or a sender. It exists while it counts
// a query.
type queryClass struct {
	name    any
	parent  *queryClass // nil at the root
	level   int
	counts  [stages]int // queries by stage; at most maxParked of those that were parked
	waiting int         // queries that wait, of any stage
	below   map[any]*queryClass
	turns   list.List         // of *queryClass: the classes below with waiting queries, the next to be served first
	place   *list.Element     // in the parent's turns; nil if no query waits
	queues  [stages]list.List // of *querySlot: the waiting queries of a sender
}

// Levels of classes.
const (
	allQueries = iota
	instanceQueries
	canisterQueries
	senderQueries
	levels
)

// stage is the progress of a query.
type stage uint8

const (
	stageFresh      stage = iota // not started
	stageFirstSlice              // running its first slice
	stageEvicted                 // evicted after its first slice; starts again from the beginning
	stageResumable               // it was parked, or may be
	stages
)

// NewQuerySlots makes a number of slots, at least one.
func NewQuerySlots(slots int) *QuerySlots { return &QuerySlots{free: max(slots, 1)} }

// querySlot is a query's claim to a slot. It is used by one goroutine at a time.
type querySlot struct {
	slots  *QuerySlots
	path   [levels - 1]any // names of instance, canister and sender
	ctx    context.Context // of the client
	driver *Driver
	err    error // why it did not receive a slot; final

	// Changed under slots.mu.
	held    bool          // it has a slot
	stage   stage         // a query that is not counted and holds a slot is trying
	class   *queryClass   // of its sender, which counts it; nil: it is not counted, since it never waited
	number  uint64        // orders waiting queries
	place   *list.Element // in a queue of class; nil if it does not wait
	granted chan struct{} // closed when it receives the slot it waits for
}

// slotFor makes a claim without a slot.
func (d *Driver) slotFor(ctx context.Context, canister, sender principal.Principal) *querySlot {
	return &querySlot{slots: d.slots, path: [...]any{d, canister, sender}, ctx: ctx, driver: d}
}

// acquire waits for a slot. If there is no error, the query holds one.
func (q *querySlot) acquire() error {
	if q.held || q.canceled() {
		return q.err
	}
	s := q.slots
	s.mu.Lock()
	if s.free > 0 && s.waiting.Load() == 0 {
		s.free--
		q.held = true
		s.mu.Unlock()
		return nil
	}
	q.enqueue()
	s.grant()
	s.mu.Unlock()
	return q.await()
}

// await waits until an enqueued query receives a slot.
func (q *querySlot) await() error {
	select {
	case <-q.granted:
		return nil
	case <-q.ctx.Done():
	case <-q.driver.closing:
	}
	q.slots.mu.Lock()
	defer q.slots.mu.Unlock()
	if q.place != nil {
		q.dequeue()
	}
	q.canceled()
	return q.err
}

// errEvicted ends a query that begins again (evicted).
var errEvicted = errors.New("the query was evicted: too many queries that are not over hold state")

// evicted reports whether the query was evicted. If so, it waits for a slot again after its caller has released this
// one.
func (q *querySlot) evicted() bool {
	if q.err != errEvicted {
		return false
	}
	q.err, q.stage = nil, stageEvicted
	return true
}

// pause passes the slot to a waiting query, and waits for the next turn. It does nothing if no query waits.
func (q *querySlot) pause() {
	s := q.slots
	if s.paused != nil {
		s.paused(q)
	}
	if s.waiting.Load() == 0 || q.canceled() {
		return
	}
	s.mu.Lock()
	if !q.park() {
		q.err = errEvicted
		s.mu.Unlock()
		return
	}
	q.enqueue()
	s.grant()
	s.mu.Unlock()
	_ = q.await() // kept in q.err, which ends the query
}

// yield releases the slot while the query waits for something else.
func (q *querySlot) yield() {
	s := q.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.stage == stageFresh {
		q.move(stageFirstSlice)
	}
	q.vacate()
	s.grant()
}

// release returns the slot and the place of the query.
func (q *querySlot) release() {
	s := q.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	q.vacate()
	if q.class != nil {
		q.class.count(q.stage, -1, 0)
		q.class = nil
	}
	s.grant()
}

// vacate releases the slot without passing it on. Needs slots.mu.
func (q *querySlot) vacate() {
	if q.held {
		q.held = false
		q.slots.free++
	}
}

// canceled reports whether the client went away, or the driver closes.
func (q *querySlot) canceled() bool {
	if q.err != nil {
		return true
	}
	select {
	case <-q.driver.closing:
		q.err = q.driver.stopped()
	default:
		q.err = q.ctx.Err()
	}
	return q.err != nil
}

// turns returns how the code of a query in this slot shares it.
func (q *querySlot) turns() replica.Turns {
	return replica.Turns{Pause: q.pause, Canceled: q.canceled}
}

// park releases the slot without passing it on. It returns false if the query has no room to park. Needs slots.mu.
func (q *querySlot) park() bool {
	if q.stage != stageResumable {
		q.join()
		if !q.class.hasRoom(stageResumable) {
			return false
		}
		q.move(stageResumable)
	}
	q.vacate()
	return true
}

// enqueue makes the query wait. Needs slots.mu.
func (q *querySlot) enqueue() {
	q.join()
	q.slots.last++
	q.number, q.granted = q.slots.last, make(chan struct{})
	q.place = q.class.queues[q.stage].PushBack(q)
	q.slots.waiting.Add(1)
	q.class.count(q.stage, 0, 1)
}

// dequeue ends the wait of the query. Needs slots.mu.
func (q *querySlot) dequeue() {
	q.class.queues[q.stage].Remove(q.place)
	q.place = nil
	q.slots.waiting.Add(-1)
	q.class.count(q.stage, 0, -1)
}

// move changes the stage of the query. Needs slots.mu.
func (q *querySlot) move(to stage) {
	q.join()
	q.class.count(to, 1, 0)
	q.class.count(q.stage, -1, 0)
	q.stage = to
}

// join adds the query to its class. Needs slots.mu.
func (q *querySlot) join() {
	if q.class != nil {
		return
	}
	c := &q.slots.root
	for i, name := range q.path {
		below := c.below[name]
		if below == nil {
			below = &queryClass{name: name, parent: c, level: i + 1}
			if c.below == nil {
				c.below = make(map[any]*queryClass)
			}
			c.below[name] = below
		}
		c = below
	}
	q.class = c
	c.count(q.stage, 1, 0)
}

// count changes the number of queries of a stage in a class and all classes above it, and the number of waiting ones. A
// class without queries is removed, and one without waiting queries has no turn.
func (c *queryClass) count(at stage, queries, waiting int) {
	for ; c.parent != nil; c = c.parent {
		c.counts[at] += queries
		c.waiting += waiting
		switch above := c.parent; {
		case c.waiting > 0 && c.place == nil:
			c.place = above.turns.PushBack(c)
		case c.waiting == 0 && c.place != nil:
			above.turns.Remove(c.place)
			c.place = nil
		}
		if c.counts == [stages]int{} {
			delete(c.parent.below, c.name)
		}
	}
	c.counts[at] += queries
	c.waiting += waiting
}

// hasRoom reports whether another query of a class may enter a stage.
func (c *queryClass) hasRoom(at stage) bool {
	for ; c != nil; c = c.parent {
		if !c.mayEnter(at) {
			return false
		}
	}
	return true
}

func (c *queryClass) mayEnter(at stage) bool {
	if at == stageResumable {
		return c.counts[stageResumable] < maxParked[c.level]
	}
	return c.counts[stageFirstSlice] < maxTrying[c.level]
}

// grant gives free slots to waiting queries. Needs mu.
func (s *QuerySlots) grant() {
	for s.free > 0 && s.waiting.Load() > 0 {
		q := s.root.next(true, true)
		if q == nil {
			return
		}
		s.free--
		q.held = true
		q.dequeue()
		if s.granted != nil {
			s.granted(q)
		}
		switch q.stage {
		case stageFresh:
			q.move(stageFirstSlice)
		case stageEvicted:
			q.move(stageResumable)
		}
		close(q.granted)
	}
}

// next returns the query whose turn it is, nil if none may continue: a fresh query may if every class of it may try
// another, a long one if every class has room for another to park.
func (c *queryClass) next(mayTry, mayBegin bool) *querySlot {
	mayTry, mayBegin = mayTry && c.mayEnter(stageFirstSlice), mayBegin && c.mayEnter(stageResumable)
	if c.level == senderQueries {
		return c.first(mayTry, mayBegin)
	}
	for e := c.turns.Front(); e != nil; e = e.Next() {
		if q := e.Value.(*queryClass).next(mayTry, mayBegin); q != nil {
			c.turns.MoveToBack(e)
			return q
		}
	}
	return nil
}

// first returns the query of a sender that has waited longest among those that may continue.
func (c *queryClass) first(mayTry, mayBegin bool) (first *querySlot) {
	for at := range stages {
		e := c.queues[at].Front()
		if e == nil || at == stageFresh && !mayTry || at == stageEvicted && !mayBegin {
			continue
		}
		if q := e.Value.(*querySlot); first == nil || q.number < first.number {
			first = q
		}
	}
	return first
}
