package workqueue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/canisterd/canisterd/internal/explore/campaign"
)

// batch is one call of Run.
type batch struct {
	*campaign.Batch
	queue       *Coordinator
	assignments map[uint64]*assignment  // without results
	early       map[int]campaign.Result // by the numbers of their jobs
	begun       int                     // jobs that workers have, or had
	taken       int
	each        time.Duration // that a job takes; 0: not known yet
}

// Run runs a batch. The error says why workers give no results.
func (q *Coordinator) Run(in *campaign.Batch) error {
	b := &batch{Batch: in, queue: q, assignments: make(map[uint64]*assignment), early: make(map[int]campaign.Result)}
	defer q.callOff()
	check := time.NewTicker(aliveInterval)
	defer check.Stop()
	for b.taken < b.Count {
		if err := b.hand(); err != nil {
			return err
		}
		select {
		case <-q.changed:
			all, err := q.takeArrived()
			if err != nil {
				return err
			}
			for _, r := range all {
				if goesOn, err := b.read(r); err != nil || !goesOn {
					return err
				}
			}
		case <-check.C:
			if err := q.abandoned(); err != nil {
				return err
			}
		case <-q.ctx.Done():
			return context.Cause(q.ctx)
		}
	}
	return nil
}

// hand makes assignments, as many as keep all workers busy.
func (b *batch) hand() error {
	_, slots := b.queue.Workers()
	slots = max(2, slots)
	ready := b.Ready(b.taken)
	for b.begun < ready && len(b.assignments) < 3*slots && b.begun-b.taken < aheadJobs {
		size := b.size(ready, slots)
		if size == 0 {
			return nil
		}
		a := &assignment{from: b.begun, baseline: b.Baseline}
		for range size {
			a.jobs = append(a.jobs, b.Job(b.begun))
			b.begun++
		}
		var err error
		if a.record, err = campaign.AppendJobs(nil, a.jobs); err != nil {
			return err
		}
		b.put(a)
	}
	return nil
}

// put puts an assignment into the queue, under a new number.
func (b *batch) put(a *assignment) {
	a.number = b.queue.hub.nextNumber()
	b.assignments[a.number] = a
	b.queue.put(a)
}

// size is the number of jobs of the next assignment, of those that are ready: some that take about assignmentTime, and fewer
// at the end, so that workers finish at the same time. It is 0 if workers are busy, and more jobs will be ready when they
// are not. Jobs that are not done together may take very different times.
func (b *batch) size(ready, slots int) int {
	if b.Together == 1 {
		return 1
	}
	most, least := firstJobs, 1
	if b.each > 0 {
		most, least = int(assignmentTime/b.each), int(leastTime/b.each)
	}
	most = max(least, min(most, (b.Count-b.begun)/(2*slots)))
	size := max(least, min(most, (ready-b.begun+slots-1)/slots))
	if ready < b.Count && size < most/2 && len(b.assignments) >= 2*slots {
		return 0
	}
	return max(1, min(size, ready-b.begun, campaign.MaxJobs))
}

// read takes what a worker has given. Results of an earlier batch are ignored. It reports whether the batch goes on.
func (b *batch) read(r *arrival) (goesOn bool, err error) {
	a, known := b.assignments[r.number]
	if !known {
		return true, nil
	}
	if r.problem != "" {
		return false, errors.New(r.problem)
	}
	delete(b.assignments, r.number)
	results, err := b.ReadResults(r.record, a.jobs)
	if err != nil {
		return b.again(a, err)
	}
	b.each = max(1, r.took/time.Duration(len(a.jobs)))
	for i := range results {
		b.early[a.from+i] = results[i]
	}
	return b.take(), nil
}

// again puts an assignment into the queue whose results cannot be read.
func (b *batch) again(a *assignment, why error) (goesOn bool, err error) {
	if a.unreadable++; a.unreadable >= maxAttempts {
		return false, fmt.Errorf("%d workers have given results that cannot be read: %w", maxAttempts, why)
	}
	b.put(a)
	return true, nil
}

// take hands over the results whose turn it is.
func (b *batch) take() bool {
	for r, known := b.early[b.taken]; known; r, known = b.early[b.taken] {
		delete(b.early, b.taken)
		b.taken++
		if !b.Take(b.taken-1, r) {
			return false
		}
	}
	return true
}
