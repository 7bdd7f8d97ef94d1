package workqueue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/explore/campaign"
	"github.com/canisterd/canisterd/internal/explore/workqueue/workerv1"
)

// Host is the process of a worker.
type Host struct {
	Version string // of canisterd
	Slots   int    // jobs that run in parallel
	// Open makes a worker of what the coordinator has offered; base reads the base, whose digest is the same for equal
	// bases. It is called for one campaign after the other; the caller closes the worker before the next call.
	Open func(description []byte, digest string, base func() (io.ReadCloser, error)) (*campaign.Worker, error)
	// Say tells people what happens; nil: nothing.
	Say func(format string, args ...any)
}

// Work runs jobs of campaigns of a daemon until the context or the connection ends. It returns an error before where the
// worker cannot take part.
func Work(ctx context.Context, daemon grpc.ClientConnInterface, h *Host) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	w := &work{client: workerv1.NewWorkersClient(daemon), host: *h, name: name()}
	if w.host.Slots = min(max(1, h.Slots), maxSlots); w.host.Say == nil {
		w.host.Say = func(string, ...any) {}
	}
	var err error
	if w.stream, err = w.client.Work(ctx); err != nil {
		return err
	}
	if err := w.send(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Joining{Joining: &workerv1.Joining{Version: h.Version, Slots: uint32(w.host.Slots)}}}); err != nil {
		return err
	}
	var group sync.WaitGroup
	defer group.Wait()
	defer end(nil)
	group.Go(func() { w.stayAlive(ctx) })
	err = w.follow(ctx, end)
	if own := context.Cause(ctx); own != nil {
		return own
	}
	return err
}

// name names this process for people.
func name() string {
	computer, err := os.Hostname()
	if err != nil {
		computer = "unknown"
	}
	return fmt.Sprintf("%s/%d", computer, os.Getpid())
}

// work is one call of Work.
type work struct {
	client workerv1.WorkersClient
	host   Host
	name   string
	stream grpc.BidiStreamingClient[workerv1.WorkRequest, workerv1.WorkResponse]

	sending sync.Mutex // held while a message is sent
}

// send sends a message. If the stream has ended, receiving says why.
func (w *work) send(out *workerv1.WorkRequest) error {
	w.sending.Lock()
	defer w.sending.Unlock()
	if err := w.stream.Send(out); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// stayAlive says every second that this worker is there.
func (w *work) stayAlive(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(aliveInterval):
		}
		_ = w.send(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Alive{Alive: &workerv1.Alive{}}}) // receiving notices the end
	}
}

// follow does what the daemon says. A campaign that fails ends the work.
func (w *work) follow(ctx context.Context, end context.CancelCauseFunc) error {
	w.host.Say("waiting for an exploration")
	var now *participation // nil: none
	defer func() { now.leave() }()
	for {
		in, err := w.stream.Recv()
		if err != nil {
			return err
		}
		switch {
		case in.GetRefusal() != "":
			return errors.New(in.GetRefusal())
		case in.GetInvitation() != nil:
			now.leave()
			now = w.join(ctx, in.GetInvitation(), end)
		case in.GetAssignment() != nil && now != nil:
			now.assignments <- in.GetAssignment() // has room: the daemon gives one more than there are slots
		case in.GetOver() != nil:
			now.leave()
			now = nil
			w.host.Say("exploration %s is over", in.GetOver().GetCampaign())
		}
	}
}

// participation is the part of this worker in one campaign.
type participation struct {
	work        *work
	campaign    string
	digest      string
	assignments chan *workerv1.Assignment
	cancel      context.CancelFunc
	done        chan struct{} // closed when it has ended
}

// join takes part in a campaign, on goroutines of its own. An error ends the work.
func (w *work) join(ctx context.Context, in *workerv1.Invitation, end context.CancelCauseFunc) *participation {
	ctx, cancel := context.WithCancel(ctx)
	p := &participation{
		work: w, campaign: in.GetCampaign(), digest: in.GetDigest(), assignments: make(chan *workerv1.Assignment, w.host.Slots+1), cancel: cancel,
		done: make(chan struct{}),
	}
	go func() {
		defer close(p.done)
		contain.Do(func() {
			if err := p.run(ctx); err != nil && ctx.Err() == nil {
				_ = w.send(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Opened{Opened: &workerv1.Opened{Campaign: p.campaign, Error: err.Error()}}}) // the end of the stream says it too
				end(err)
			}
		}, end)
	}()
	return p
}

// leave ends the participation after the jobs that run. It does nothing without one.
func (p *participation) leave() {
	if p == nil {
		return
	}
	p.cancel()
	<-p.done
}

// run makes workers, and runs assignments until the context ends.
func (p *participation) run(ctx context.Context) error {
	first, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer first.Close()
	ctx, cancel := context.WithCancel(ctx)
	baseline := first.Baseline()
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	failed := make(chan error, p.work.host.Slots)
	for range p.work.host.Slots {
		w := first.Fork()
		group.Go(func() {
			defer w.Close()
			contain.Do(func() { p.serve(ctx, w, baseline) }, func(err error) { failed <- err })
		})
	}
	if err := p.work.send(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Opened{Opened: &workerv1.Opened{Campaign: p.campaign}}}); err != nil {
		return err
	}
	p.work.host.Say("working for exploration %s", p.campaign)
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

// open reads the description and the base of the campaign.
func (p *participation) open(ctx context.Context) (*campaign.Worker, error) {
	description, err := p.read(ctx, workerv1.Content_CONTENT_DESCRIPTION)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(description, descriptionBytes+1))
	if err == nil {
		err = description.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("reading the exploration: %w", err)
	}
	if len(text) > descriptionBytes {
		return nil, fmt.Errorf("the description of the exploration has more than %d bytes", descriptionBytes)
	}
	made, err := p.work.host.Open(text, p.digest, func() (io.ReadCloser, error) { return p.read(ctx, workerv1.Content_CONTENT_BASE) })
	if err != nil {
		return nil, fmt.Errorf("worker %s cannot work for the exploration: %w", p.work.name, err)
	}
	return made, nil
}

// read reads from the coordinator. The caller closes the reader.
func (p *participation) read(ctx context.Context, content workerv1.Content) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancel(ctx)
	parts, err := p.work.client.Read(ctx, &workerv1.ReadRequest{Campaign: p.campaign, Content: content})
	if err != nil {
		cancel()
		return nil, err
	}
	return &partReader{parts, nil, cancel}, nil
}

// partReader reads the parts of a stream.
type partReader struct {
	parts  grpc.ServerStreamingClient[workerv1.ReadResponse]
	rest   []byte // of the newest part
	cancel context.CancelFunc
}

// Read reads from the newest part, or from the next.
func (r *partReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		in, err := r.parts.Recv()
		if err != nil {
			return 0, err // io.EOF after the last part
		}
		r.rest = in.GetPart()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close ends the stream.
func (r *partReader) Close() error {
	r.cancel()
	return nil
}

// serve runs assignments, one after the other.
func (p *participation) serve(ctx context.Context, w *campaign.Worker, baseline string) {
	for {
		select {
		case <-ctx.Done():
			return
		case in := <-p.assignments:
			begin := time.Now()
			record, err := p.results(w, in, baseline)
			p.give(in.GetNumber(), record, time.Since(begin), err)
		}
	}
}

// results runs the jobs of an assignment. A worker that sees other runs than the coordinator has no results.
func (p *participation) results(w *campaign.Worker, in *workerv1.Assignment, baseline string) (record []byte, err error) {
	jobs, err := campaign.ReadJobs(in.GetJobs())
	if err != nil {
		return nil, err
	}
	if wanted := in.GetBaseline(); wanted != baseline {
		return nil, fmt.Errorf("the FIFO run has other messages here (%.12s) than at the daemon (%.12s): %s", baseline, wanted, sameVersion)
	}
	defer contain.Into(&err)
	return campaign.AppendResults(nil, w.DoAll(jobs))
}

// give sends results in parts. An error of the stream is noticed by the goroutine that receives.
func (p *participation) give(number uint64, record []byte, took time.Duration, problem error) {
	last := &workerv1.Results{Assignment: number, Last: true, Nanoseconds: int64(took)}
	if problem != nil {
		last.Error = fmt.Sprintf("worker %s: %v", p.work.name, problem)
		record = nil
	}
	for len(record) > partBytes {
		part := &workerv1.Results{Assignment: number, Part: record[:partBytes]}
		if p.work.send(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Results{Results: part}}) != nil {
			return
		}
		record = record[partBytes:]
	}
	last.Part = record
	_ = p.work.send(&workerv1.WorkRequest{Step: &workerv1.WorkRequest_Results{Results: last}}) // see above
}
