package workqueue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/canisterd/canisterd/internal/explore/campaign"
)

// Host is the process of a worker.
type Host struct {
	Version string // of canisterd
	Slots   int    // jobs that run beside each other
	// Open makes a worker of what the coordinator has offered; base reads the base, whose digest is the same for equal
	// bases. It is called for one campaign after the other; the caller closes the worker before the next call.
	Open func(description []byte, digest string, base func() (io.ReadCloser, error)) (*campaign.Worker, error)
	// Say tells people what happens; nil: nothing.
	Say func(format string, args ...any)

	request time.Duration // the longest request without a deadline of its own; 0: requestPatience
}

// Work runs jobs of campaigns at a server until the context ends. It ends before with a server that ends with its
// campaign, and with an error where the worker cannot take part.
func Work(ctx context.Context, server string, h *Host) error {
	full := *h
	if full.Slots = min(max(1, h.Slots), maxSlots); full.Say == nil {
		full.Say = func(string, ...any) {}
	}
	l, err := connect(server, "canisterd explore worker", cmp.Or(h.request, requestPatience))
	if err != nil {
		return err
	}
	defer l.leave()
	computer, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("the name of this computer: %w", err)
	}
	name := fmt.Sprintf("%s/%d/%s", computer, os.Getpid(), nats.NewInbox())
	w := &work{link: l, host: &full, self: joining{Protocol: protocol, Version: h.Version, Worker: name, Slots: full.Slots}}
	full.Say("waiting for a campaign at %s", l.server)
	for {
		offered, err := w.join(ctx)
		if err != nil {
			return err
		}
		full.Say("working for campaign %s", offered.Campaign)
		if err := w.serve(ctx, subjects(offered.Campaign)); err != nil {
			return err
		}
		full.Say("campaign %s is over", offered.Campaign)
		if offered.Last {
			return nil
		}
	}
}

// work is one call of Work.
type work struct {
	link *link
	host *Host
	self joining
}

// join waits for a campaign.
func (w *work) join(ctx context.Context) (*invitation, error) {
	request, err := json.Marshal(w.self)
	if err != nil {
		return nil, fmt.Errorf("writing a request: %w", err)
	}
	for {
		m, err := w.link.conn.Request(joinSubject, request, joinPatience)
		var offered invitation
		if err == nil && json.Unmarshal(m.Data, &offered) == nil {
			if offered.Refusal == "" {
				offered.Refusal = refusal(w.self.Protocol, w.self.Version, offered.Version)
			}
			if offered.Refusal != "" {
				return nil, errors.New(offered.Refusal)
			}
			return &offered, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-w.link.closed:
			return nil, w.link.gone()
		case <-time.After(joinInterval):
		}
	}
}

// errOver ends the work for a campaign.
var errOver = errors.New("the campaign is over")

// over reports whether an error says that the campaign is over: what it had on the server is removed.
func over(err error) bool {
	return slices.ContainsFunc([]error{
		errOver, jetstream.ErrBucketNotFound, jetstream.ErrObjectNotFound, jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDeleted,
	}, func(known error) bool { return errors.Is(err, known) })
}

// serve works for a campaign until it is over.
func (w *work) serve(ctx context.Context, id subjects) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	ending, err := w.link.conn.Subscribe(id.end(), func(*nats.Msg) { end(errOver) })
	if err != nil {
		return w.link.failed("joining a campaign", err)
	}
	defer func() { _ = ending.Unsubscribe() }() // of a connection that is gone
	var group sync.WaitGroup
	defer group.Wait()
	defer end(nil)
	group.Go(func() { w.stayAlive(ctx, end, id) })
	err = w.run(ctx, id)
	if over(err) || over(context.Cause(ctx)) {
		return nil
	}
	if err != nil && ctx.Err() == nil {
		w.complain(id, err)
	}
	return err
}

// stayAlive tells the coordinator that this worker is there. Without an answer, the campaign is over.
func (w *work) stayAlive(ctx context.Context, end context.CancelCauseFunc, id subjects) {
	request, err := json.Marshal(w.self)
	if err != nil {
		end(err)
		return
	}
	unanswered := 0
	for {
		_, err := w.link.conn.RequestWithContext(ctx, id.alive(), request)
		if unanswered++; !errors.Is(err, nats.ErrNoResponders) {
			unanswered = 0
		}
		if unanswered == 3 {
			end(errOver)
		}
		select {
		case <-ctx.Done():
			return
		case <-w.link.closed:
			end(w.link.gone())
			return
		case <-time.After(aliveInterval):
		}
	}
}

// complain tells the coordinator why this worker leaves.
func (w *work) complain(id subjects, why error) {
	self := w.self
	self.Error = why.Error()
	if request, err := json.Marshal(self); err == nil {
		_ = w.link.conn.Publish(id.alive(), request) // it is missed soon
	}
}

// run makes workers and gives them assignments.
func (w *work) run(ctx context.Context, id subjects) error {
	objects, err := w.link.js.ObjectStore(ctx, id.bucket())
	if err != nil {
		return w.link.failed("reading the campaign", err)
	}
	first, err := w.open(ctx, objects)
	if err != nil {
		return err
	}
	defer first.Close()
	jobs, err := w.link.js.Consumer(ctx, id.jobStream(), consumer)
	if err != nil {
		return w.link.failed("reading jobs", err)
	}
	p := &puller{
		work: w, id: id, objects: objects, jobs: jobs, baseline: first.Baseline(), ready: make(chan jetstream.Msg), held: make(map[jetstream.Msg]struct{}),
	}
	return p.pull(ctx, first)
}

// open reads the description and the base of a campaign.
func (w *work) open(ctx context.Context, objects jetstream.ObjectStore) (*campaign.Worker, error) {
	ctx, cancel := transferring(ctx)
	defer cancel()
	described, err := objects.GetInfo(ctx, description)
	if err != nil {
		return nil, w.link.failed("reading the campaign", err)
	}
	if described.Size > descriptionBytes {
		return nil, fmt.Errorf("the description of the campaign has %d bytes: at most %d are read", described.Size, descriptionBytes)
	}
	text, err := objects.GetBytes(ctx, description)
	if err != nil {
		return nil, w.link.failed("reading the campaign", err)
	}
	info, err := objects.GetInfo(ctx, base)
	if err != nil {
		return nil, w.link.failed("reading the base of the campaign", err)
	}
	made, err := w.host.Open(text, info.Digest, func() (io.ReadCloser, error) { return objects.Get(ctx, base) })
	if err != nil {
		return nil, fmt.Errorf("worker %s cannot work for the campaign: %w", w.self.Worker, err)
	}
	return made, nil
}
