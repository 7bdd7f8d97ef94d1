package workqueue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/explore/campaign"
)

// puller takes assignments from the queue of a campaign and gives them to workers.
type puller struct {
	work     *work
	id       subjects
	objects  jetstream.ObjectStore
	jobs     jetstream.Consumer
	baseline string
	ready    chan jetstream.Msg

	mu   sync.Mutex // guards held
	held map[jetstream.Msg]struct{}
}

// pull takes assignments until the context ends: one for each worker, and one that waits for the first that is idle.
func (p *puller) pull(ctx context.Context, first *campaign.Worker) error {
	ctx, end := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer close(p.ready)
	defer end(nil)
	for range p.work.host.Slots {
		w := first.Fork()
		group.Go(func() {
			defer w.Close()
			contain.Do(func() { p.serve(ctx, w, end) }, end)
		})
	}
	group.Go(func() { p.prolong(ctx) })
	for ctx.Err() == nil {
		m, err := p.next(ctx)
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		p.hold(m)
		select {
		case p.ready <- m:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// next waits for an assignment for some time; nil for none.
func (p *puller) next(ctx context.Context) (m jetstream.Msg, err error) {
	switch m, err = p.jobs.Next(jetstream.FetchMaxWait(fetchPatience)); {
	case err == nil:
		return m, nil
	case over(err), errors.Is(err, nats.ErrNoResponders):
		return nil, errOver
	case !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, jetstream.ErrNoMessages):
		select { // the connection may come back
		case <-ctx.Done():
		case <-time.After(reconnectWait):
		}
	}
	return m, nil
}

func (p *puller) hold(m jetstream.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[m] = struct{}{}
}

func (p *puller) release(m jetstream.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.held, m)
}

// prolong says that the assignments are held.
func (p *puller) prolong(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(assignmentProlonged):
		}
		p.mu.Lock()
		for m := range p.held { // each by itself: no order can be seen
			_ = m.InProgress() // an assignment that is lost is run by another worker, too
		}
		p.mu.Unlock()
	}
}

// serve runs assignments, one after the other. The results of one are on their way while the next is run.
func (p *puller) serve(ctx context.Context, w *campaign.Worker, end context.CancelCauseFunc) {
	var giving sync.WaitGroup
	defer giving.Wait()
	for m := range p.ready {
		out := p.assignment(w, m)
		giving.Wait()
		giving.Go(func() {
			defer p.release(m)
			if err := p.give(ctx, m, out); err != nil {
				end(err)
			}
		})
	}
}

// assignment runs an assignment. Its results are nil if it is of no coordinator.
func (p *puller) assignment(w *campaign.Worker, m jetstream.Msg) *nats.Msg {
	number, err := assignmentOf(m.Headers())
	if err != nil {
		return nil
	}
	jobs, err := campaign.ReadJobs(m.Data())
	if err != nil {
		return nil
	}
	out := nats.NewMsg(p.id.results())
	out.Header.Set(assignmentHeader, strconv.FormatUint(number, 10))
	begin := time.Now()
	if out.Data, err = p.results(w, m, jobs); err != nil {
		out.Header.Set(errorHeader, fmt.Sprintf("worker %s: %v", p.work.self.Worker, err))
	}
	out.Header.Set(tookHeader, strconv.FormatInt(int64(time.Since(begin)), 10))
	return out
}

// give gives the results of an assignment to the server.
func (p *puller) give(ctx context.Context, m jetstream.Msg, out *nats.Msg) error {
	if out == nil {
		return ignored(m.Term())
	}
	err := p.answer(ctx, out)
	if err == nil {
		return ignored(m.Ack())
	}
	if ctx.Err() != nil {
		return ignored(err) // nothing waits for the results
	}
	return p.work.link.failed("giving results to the coordinator", err)
}

// ignored is for errors that change nothing. An assignment that is not acknowledged comes again, and is ignored then.
func ignored(error) error { return nil }

// results runs jobs and writes what came of them. A worker that sees other runs than the coordinator has no results, and
// neither has a job that has ended several workers.
func (p *puller) results(w *campaign.Worker, m jetstream.Msg, jobs []campaign.Job) (record []byte, err error) {
	if known, err := m.Metadata(); err == nil && known.NumDelivered > maxAttempts {
		return nil, fmt.Errorf("%d workers were given assignment %s, and none has finished it", maxAttempts, m.Headers().Get(assignmentHeader))
	}
	if wanted := m.Headers().Get(baselineHeader); wanted != p.baseline {
		return nil, fmt.Errorf("the FIFO run has other messages here (%.12s) than at the coordinator (%.12s): %s", p.baseline, wanted, sameVersion)
	}
	defer contain.Into(&err)
	return campaign.AppendResults(nil, w.DoAll(jobs))
}

// answer gives results to the server, through the object store where they are too large for a message.
func (p *puller) answer(ctx context.Context, out *nats.Msg) error {
	if room := int(p.work.link.conn.MaxPayload()) / 2; len(out.Data) > room { // headers take some of it
		name := "results-" + out.Header.Get(assignmentHeader) + nats.NewInbox()
		if err := p.store(ctx, name, out.Data); err != nil {
			return err
		}
		out.Data = nil
		out.Header.Set(objectHeader, name)
	}
	ctx, cancel := within(ctx)
	defer cancel()
	_, err := p.work.link.js.PublishMsg(ctx, out)
	return err
}

// store puts results into the object store.
func (p *puller) store(ctx context.Context, name string, results []byte) error {
	ctx, cancel := transferring(ctx)
	defer cancel()
	_, err := p.objects.PutBytes(ctx, name, results)
	return err
}
