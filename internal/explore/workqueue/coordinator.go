package workqueue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/workqueue/workerv1"
)

// Coordinator is a pool whose workers are other processes. Run and Close belong to one goroutine.
type Coordinator struct {
	ctx         context.Context
	hub         *Hub
	id          string
	description []byte
	base        *spooled
	over        chan struct{} // closed when the campaign is over
	end         sync.Once

	changed chan struct{} // has room for one: something has arrived, or the campaign has failed
	taken   sync.Cond     // of mu: arrived has become shorter, or the campaign is over

	mu      sync.Mutex // guards what follows
	members map[*member]struct{}
	waiting []*assignment // for a worker
	arrived []*arrival    // in the order in which they came
	bytes   int           // of arrived
	failed  error         // nil as long as the campaign can go on
	since   time.Time     // since when there are no workers; zero: there are some
	problem string        // of the worker that has left last
}

var _ campaign.Pool = (*Coordinator)(nil)

// assignment is some consecutive jobs.
type assignment struct {
	number     uint64
	from       int // number of the first job
	jobs       []campaign.Job
	record     []byte // of the jobs
	baseline   string
	lost       int // workers that were gone before they gave results
	unreadable int // results that could not be read
}

// arrival is what a worker has given for an assignment.
type arrival struct {
	number  uint64
	record  []byte
	took    time.Duration
	problem string // why there are no results
}

// join adds a worker, which gets no assignments before start.
func (q *Coordinator) join(m *member) {
	q.mu.Lock()
	defer q.mu.Unlock()
	m.ready, m.held = false, make(map[uint64]*assignment)
	q.members[m], q.since = struct{}{}, time.Time{}
}

// start gives a worker its first assignments.
func (q *Coordinator) start(m *member) {
	q.mu.Lock()
	defer q.mu.Unlock()
	m.ready = true
	q.give()
}

// leave removes a worker, and says why if it cannot work. While the campaign goes on, its assignments wait for another
// worker. It does nothing where the worker is not a member.
func (q *Coordinator) leave(m *member, problem string) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, member := q.members[m]; !member {
		return
	}
	delete(q.members, m)
	if q.isOver() {
		return
	}
	if problem != "" {
		q.problem = problem
	}
	if len(q.members) == 0 {
		q.since = time.Now()
	}
	lost := make([]*assignment, 0, len(m.held))
	for _, a := range m.held {
		if a.lost++; a.lost >= maxAttempts {
			q.failed = fmt.Errorf("%d workers were given the same runs, and none has finished them", maxAttempts)
			q.signal()
		}
		lost = append(lost, a)
	}
	slices.SortFunc(lost, func(a, b *assignment) int { return a.from - b.from })
	q.waiting = append(lost, q.waiting...)
	q.give()
}

// give gives waiting assignments to workers that have room. The caller holds mu.
func (q *Coordinator) give() {
	for len(q.waiting) > 0 {
		var idle *member
		for m := range q.members { // any of those with the most room: results do not depend on it
			if m.ready && len(m.held) <= m.slots && (idle == nil || m.slots-len(m.held) > idle.slots-len(idle.held)) {
				idle = m
			}
		}
		if idle == nil {
			return
		}
		a := q.waiting[0]
		if idle.tell(&workerv1.WorkResponse{Step: &workerv1.WorkResponse_Assignment{Assignment: &workerv1.Assignment{
			Number: a.number, Baseline: a.baseline, Jobs: a.record,
		}}}) != nil {
			idle.ready = false // its stream ends when it is silent
			continue
		}
		q.waiting = q.waiting[1:]
		idle.held[a.number] = a
	}
}

// holds reports whether a worker has an assignment.
func (q *Coordinator) holds(m *member, number uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return m.held[number] != nil
}

// arrive takes the results of an assignment, and gives its worker another. It waits while many results wait.
func (q *Coordinator) arrive(ctx context.Context, m *member, r *arrival) {
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.taken.Broadcast()
	})()
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.bytes > arrivedBytes && ctx.Err() == nil && !q.isOver() {
		q.taken.Wait()
	}
	delete(m.held, r.number)
	q.arrived = append(q.arrived, r)
	q.bytes += len(r.record)
	q.give()
	q.signal()
}

func (q *Coordinator) signal() {
	select {
	case q.changed <- struct{}{}:
	default: // there is a signal already
	}
}

// put adds an assignment, which a worker gets as soon as one has room.
func (q *Coordinator) put(a *assignment) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, a)
	q.give()
}

// takeArrived returns what has arrived since the last call, or why the campaign cannot go on.
func (q *Coordinator) takeArrived() ([]*arrival, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.arrived
	q.arrived, q.bytes = nil, 0
	q.taken.Broadcast()
	return all, q.failed
}

// callOff drops the assignments that no worker has.
func (q *Coordinator) callOff() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = nil
}

// Workers returns how many workers there are, and how many jobs they run in parallel.
func (q *Coordinator) Workers() (count, slots int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for m := range q.members {
		count, slots = count+1, slots+m.slots
	}
	return count, slots
}

// abandoned returns an error where no worker has been there for long.
func (q *Coordinator) abandoned() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.since.IsZero() || time.Since(q.since) < workerPatience {
		return nil
	}
	if q.problem != "" {
		return fmt.Errorf("no workers for %s; the last one stopped: %s", workerPatience, q.problem)
	}
	return fmt.Errorf("no workers for %s: start some with canisterd explore worker", workerPatience)
}

// ended returns a channel that is closed when the campaign is over; nil for no campaign.
func (q *Coordinator) ended() <-chan struct{} {
	if q == nil {
		return nil
	}
	return q.over
}

func (q *Coordinator) isOver() bool {
	select {
	case <-q.over:
		return true
	default:
		return false
	}
}

// Close ends the campaign. Its workers join another.
func (q *Coordinator) Close() {
	q.end.Do(func() {
		q.hub.forget(q)
		close(q.over)
		q.mu.Lock()
		q.waiting = nil
		q.taken.Broadcast()
		q.mu.Unlock()
		q.base.close()
	})
}
