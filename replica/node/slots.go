package node

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// QuerySlots is a fair semaphore: it bounds how many queries run at once on all nodes that
// share it. Queries that wait for a slot take turns, round-robin between instances, within an
// instance between canisters, within a canister between senders, and first come first served
// among the queries of one sender. A query that runs gives its slot away after each slice
// while others wait.
//
// A parked query holds state of its canister, so their number is limited (maxParked) for a sender, a canister, an
// instance and in all. A query that is not over after its first slice and cannot be parked is evicted: it changed
// nothing, so it begins again when there is room. Queries of one slice therefore never wait for long ones to end.
//
//	root ── instance ── canister ── sender ── queries that wait
//
// Safe for concurrent use.
type QuerySlots struct {
	waiting atomic.Int64 // queries that wait; changed under mu

	mu   sync.Mutex // guards free, last and root with all below it
	free int        // slots
	last uint64     // number of the last query that began to wait
	root queryClass
}

// queryClass counts and orders the queries of everything, an instance, a canister or a sender.
// It exists while it counts one.
type queryClass struct {
	name    any
	parent  *queryClass // nil above all
	level   int
	counts  [stages]int // queries by stage; of those that were parked at most maxParked
	waiting int         // queries that wait, of any stage
	below   map[any]*queryClass
	turns   list.List         // of *queryClass: those below in which queries wait, the next to be served first
	place   *list.Element     // in the parent's turns; nil where no query waits
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

// stage is how far a query has come.
type stage uint8

const (
	fresh  stage = iota // it is still to begin
	trying              // it has begun, and its first slice is not over
	long                // it was evicted after its first slice, and is still to begin again
	begun               // it was parked, or may be
	stages
)

// NewQuerySlots makes a number of slots, at least one.
func NewQuerySlots(slots int) *QuerySlots { return &QuerySlots{free: max(slots, 1)} }

// querySlot is a query's claim to a slot. It is used by one goroutine at a time.
type querySlot struct {
	slots *QuerySlots
	path  [levels - 1]any // names of instance, canister and sender
	ctx   context.Context // of the client
	node  *Node
	err   error // why it got no slot; final

	// Changed under slots.mu.
	held    bool          // it has a slot
	stage   stage         // a query that is not counted and holds a slot is trying
	class   *queryClass   // of its sender, which counts it; nil: it is not counted, since it never waited
	number  uint64        // orders those that wait
	place   *list.Element // in a queue of class; nil where it does not wait
	granted chan struct{} // closed when it is given the slot it waits for
}

// slotFor makes a claim that holds nothing yet.
func (n *Node) slotFor(ctx context.Context, canister, sender principal.Principal) *querySlot {
	return &querySlot{slots: n.slots, path: [...]any{n, canister, sender}, ctx: ctx, node: n}
}

// acquire waits for a slot. Without an error the query holds one.
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

// await waits until a query that was enqueued is given a slot.
func (q *querySlot) await() error {
	select {
	case <-q.granted:
		return nil
	case <-q.ctx.Done():
	case <-q.node.closing:
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

// evicted reports whether the query was evicted. Then it waits for a slot again, once its caller
// has released this one.
func (q *querySlot) evicted() bool {
	if q.err != errEvicted {
		return false
	}
	q.err, q.stage = nil, long
	return true
}

// pause gives the slot to a query that waits, and waits for the next turn. It does nothing
// where no query waits.
func (q *querySlot) pause() {
	s := q.slots
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

// yield gives the slot back while the query waits for something else.
func (q *querySlot) yield() {
	s := q.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.stage == fresh {
		q.move(trying)
	}
	q.vacate()
	s.grant()
}

// release gives everything back.
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

// vacate gives the slot back without passing it on. Needs slots.mu.
func (q *querySlot) vacate() {
	if q.held {
		q.held = false
		q.slots.free++
	}
}

// canceled reports whether the client went away, or the node closes.
func (q *querySlot) canceled() bool {
	if q.err != nil {
		return true
	}
	select {
	case <-q.node.closing:
		q.err = q.node.stopped()
	default:
		q.err = q.ctx.Err()
	}
	return q.err != nil
}

// turns is how the code of a query in this slot shares it.
func (q *querySlot) turns() replica.Turns {
	return replica.Turns{Pause: q.pause, Canceled: q.canceled}
}

// park gives the slot back without passing it on. It is false where the query has no room to
// park. Needs slots.mu.
func (q *querySlot) park() bool {
	if q.stage != begun {
		q.join()
		if !q.class.hasRoom(begun) {
			return false
		}
		q.move(begun)
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

// dequeue makes the query wait no longer. Needs slots.mu.
func (q *querySlot) dequeue() {
	q.class.queues[q.stage].Remove(q.place)
	q.place = nil
	q.slots.waiting.Add(-1)
	q.class.count(q.stage, 0, -1)
}

// move brings the query to another stage. Needs slots.mu.
func (q *querySlot) move(to stage) {
	q.join()
	q.class.count(to, 1, 0)
	q.class.count(q.stage, -1, 0)
	q.stage = to
}

// join makes the class of the query count it. Needs slots.mu.
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

// count changes how many queries of a stage there are of a class and all classes above it, and
// how many of them wait. A class without queries is removed, and one in which none wait has no turn.
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

// hasRoom reports whether one more query of a class may come to a stage.
func (c *queryClass) hasRoom(at stage) bool {
	for ; c != nil; c = c.parent {
		if !c.mayEnter(at) {
			return false
		}
	}
	return true
}

func (c *queryClass) mayEnter(at stage) bool {
	if at == begun {
		return c.counts[begun] < maxParked[c.level]
	}
	return c.counts[trying] < maxTrying[c.level]
}

// grant gives free slots to queries that wait. Needs mu.
func (s *QuerySlots) grant() {
	for s.free > 0 && s.waiting.Load() > 0 {
		q := s.root.next(true, true)
		if q == nil {
			return
		}
		s.free--
		q.held = true
		q.dequeue()
		switch q.stage {
		case fresh:
			q.move(trying)
		case long:
			q.move(begun)
		}
		close(q.granted)
	}
}

// next is the query whose turn it is, nil where none may go on: a fresh query may where every
// class it is of may try one more, a long one where every class has room for one more to park.
func (c *queryClass) next(mayTry, mayBegin bool) *querySlot {
	mayTry, mayBegin = mayTry && c.mayEnter(trying), mayBegin && c.mayEnter(begun)
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

// first is the query of a sender that has waited for longest among those that may go on.
func (c *queryClass) first(mayTry, mayBegin bool) (first *querySlot) {
	for at := range stages {
		e := c.queues[at].Front()
		if e == nil || at == fresh && !mayTry || at == long && !mayBegin {
			continue
		}
		if q := e.Value.(*querySlot); first == nil || q.number < first.number {
			first = q
		}
	}
	return first
}
