package instance

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// schedule rings the alarms of all pacers, with one goroutine and one timer in total.
type schedule struct {
	clock func() time.Time
	mu    sync.Mutex // guards queue, the alarms in it, and wakes
	queue alarms
	wakes time.Time     // when the goroutine looks at the queue again; zero: it does not wait for a time
	first chan struct{} // has a value when the first alarm is earlier than that
}

// alarm is called once at its time, or earlier if it is set to an earlier time.
type alarm struct {
	due  func() // must not block
	at   time.Time
	rank int // position in the queue plus one; 0 for none
}

func newSchedule(clock func() time.Time) *schedule {
	return &schedule{clock: clock, first: make(chan struct{}, 1)}
}

// set makes an alarm ring at a time or earlier.
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
	if a.rank == 1 && (s.wakes.IsZero() || at.Before(s.wakes)) {
		select {
		case s.first <- struct{}{}:
		default:
		}
	}
}

// cancel stops an alarm from ringing.
func (s *schedule) cancel(a *alarm) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.rank > 0 {
		heap.Remove(&s.queue, a.rank-1)
	}
}

// run rings alarms until ctx ends.
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

// take removes the alarms whose time has come, and returns how long it is to the next; 0: there is none.
func (s *schedule) take() (due []*alarm, next time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock()
	s.wakes = time.Time{}
	for len(s.queue) > 0 {
		if wait := s.queue[0].at.Sub(now); wait > 0 {
			s.wakes = s.queue[0].at
			return due, wait
		}
		due = append(due, heap.Pop(&s.queue).(*alarm))
	}
	return due, 0
}

// alarms is a heap by time.
type alarms []*alarm

// Len implements heap.Interface.
func (q alarms) Len() int { return len(q) }

// Less implements heap.Interface.
func (q alarms) Less(i, j int) bool { return q[i].at.Before(q[j].at) }

// Swap implements heap.Interface.
func (q alarms) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].rank, q[j].rank = i+1, j+1
}

// Push implements heap.Interface.
func (q *alarms) Push(x any) {
	a := x.(*alarm)
	*q = append(*q, a)
	a.rank = len(*q)
}

// Pop implements heap.Interface.
func (q *alarms) Pop() any {
	old := *q
	a := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	a.rank = 0
	return a
}
