package workqueue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/canisterd/canisterd/internal/explore/campaign"
)

// assignment is some consecutive jobs that workers have.
type assignment struct {
	from     int // number of the first
	jobs     []campaign.Job
	attempts int // results that could not be read
}

// batch is one call of Run.
type batch struct {
	*campaign.Batch
	queue       *Coordinator
	assignments map[uint64]assignment   // without results
	early       map[int]campaign.Result // by the numbers of their jobs
	begun       int                     // jobs that workers have, or had
	taken       int
	each        time.Duration // that a job takes; 0: not known yet
}

// Run runs a batch. The error says why workers give no results.
func (q *Coordinator) Run(in *campaign.Batch) error {
	b := &batch{Batch: in, queue: q, assignments: make(map[uint64]assignment), early: make(map[int]campaign.Result)}
	check := time.NewTicker(aliveInterval)
	defer check.Stop()
	for b.taken < b.Count {
		if err := b.hand(); err != nil {
			return err
		}
		select {
		case m := <-q.answers:
			goesOn, err := b.answer(m)
			if err != nil || !goesOn {
				return errors.Join(err, b.callOff())
			}
		case <-check.C:
			if err := q.abandoned(); err != nil {
				return err
			}
		case <-q.ctx.Done():
			return context.Cause(q.ctx)
		case <-q.link.closed:
			return q.link.gone()
		}
	}
	return nil
}

// hand puts assignments into the queue, as many as keep all workers busy.
func (b *batch) hand() error {
	_, slots := b.queue.Workers()
	slots = max(2, slots)
	ready := b.Ready(b.taken)
	for b.begun < ready && len(b.assignments) < 3*slots && b.begun-b.taken < aheadJobs {
		size := b.size(ready, slots)
		if size == 0 {
			return nil
		}
		l := assignment{from: b.begun}
		for range size {
			l.jobs = append(l.jobs, b.Job(b.begun))
			b.begun++
		}
		if err := b.publish(l); err != nil {
			return err
		}
	}
	return nil
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

// publish puts an assignment into the queue.
func (b *batch) publish(l assignment) error {
	record, err := campaign.AppendJobs(nil, l.jobs)
	if err != nil {
		return err
	}
	number := b.queue.next
	b.queue.next++
	b.assignments[number] = l
	ctx, cancel := within(b.queue.ctx)
	defer cancel()
	m := nats.NewMsg(b.queue.id.jobs())
	m.Data = record
	m.Header.Set(assignmentHeader, strconv.FormatUint(number, 10))
	m.Header.Set(baselineHeader, b.Baseline)
	if _, err := b.queue.link.js.PublishMsg(ctx, m, jetstream.WithMsgID(m.Header.Get(assignmentHeader))); err != nil {
		return b.queue.link.failed("giving jobs to workers", err)
	}
	return nil
}

// answer takes a message about results. What is of no assignment that is under way is ignored: its results were taken, or
// they are no longer needed. It reports whether the batch goes on.
func (b *batch) answer(m jetstream.Msg) (goesOn bool, err error) {
	defer func() { _ = m.Ack() }() // a message that comes again is ignored
	number, err := assignmentOf(m.Headers())
	l, known := b.assignments[number]
	if err != nil || !known {
		return true, nil // it is of no worker
	}
	if text := m.Headers().Get(errorHeader); text != "" {
		return false, errors.New(text)
	}
	record, err := b.queue.record(m)
	if err != nil {
		return false, err
	}
	delete(b.assignments, number)
	results, err := b.ReadResults(record, l.jobs)
	if err != nil {
		return b.again(l, err)
	}
	b.each = max(1, elapsedIn(m.Headers())/time.Duration(len(l.jobs)))
	for i := range results {
		b.early[l.from+i] = results[i]
	}
	return b.take(), nil
}

// again puts an assignment into the queue whose results cannot be read.
func (b *batch) again(l assignment, why error) (goesOn bool, err error) {
	if l.attempts++; l.attempts >= maxAttempts {
		return false, fmt.Errorf("%d workers have given results that cannot be read: %w", maxAttempts, why)
	}
	return true, b.publish(l)
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

// record is the results of a message, which may be in the object store.
func (q *Coordinator) record(m jetstream.Msg) ([]byte, error) {
	name := m.Headers().Get(objectHeader)
	if name == "" {
		return m.Data(), nil
	}
	ctx, cancel := transferring(q.ctx)
	defer cancel()
	object, err := q.objects.Get(ctx, name)
	if err != nil {
		return nil, q.link.failed("reading results", err)
	}
	defer func() { _ = object.Close() }() // it was read
	record, err := io.ReadAll(io.LimitReader(object, descriptionBytes+1))
	if err != nil {
		return nil, q.link.failed("reading results", err)
	}
	if len(record) > descriptionBytes {
		return nil, fmt.Errorf("the results of an assignment have more than %d bytes", descriptionBytes)
	}
	if err := q.objects.Delete(ctx, name); err != nil {
		return nil, q.link.failed("removing results", err)
	}
	return record, nil
}

// callOff takes back the assignments that no worker has begun.
func (b *batch) callOff() error {
	ctx, cancel := within(b.queue.ctx)
	defer cancel()
	jobs, err := b.queue.link.js.Stream(ctx, b.queue.id.jobStream())
	if err == nil {
		err = jobs.Purge(ctx)
	}
	if err != nil {
		return b.queue.link.failed("calling off jobs", err)
	}
	return nil
}
