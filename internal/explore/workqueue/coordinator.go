package workqueue

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/explore/campaign"
)

// Campaign is what workers need to know.
type Campaign struct {
	Version     string                // of canisterd, which workers must have
	Description []byte                // for Host.Open
	Base        func(io.Writer) error // writes the base
}

// Coordinator is a pool whose workers are other processes. It belongs to one goroutine.
type Coordinator struct {
	ctx     context.Context
	version string
	id      subjects
	link    *link
	server  *embedded // nil: one that was there
	url     string    // for workers
	objects jetstream.ObjectStore
	answers chan jetstream.Msg
	invites *nats.Subscription // of workers that want to join; nil: none is invited yet
	next    uint64             // number of the next assignment
	end     sync.Once

	mu      sync.Mutex // guards what follows
	workers map[string]present
	since   time.Time // since when there are no workers; zero: there are some
	problem string    // of the worker that has left last
}

// present is a worker that is there.
type present struct {
	slots int
	seen  time.Time
}

var _ campaign.Pool = (*Coordinator)(nil)

// Begin begins a campaign on the server of a URL: nats://… or tls://… for one that runs, embedded://… for one of this
// process. It goes on until Close, and fails when the context ends.
func Begin(ctx context.Context, server string, c *Campaign) (*Coordinator, error) {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	q := &Coordinator{
		ctx: ctx, version: c.Version, id: subjects(hex.EncodeToString(id[:])), url: server, answers: make(chan jetstream.Msg, maxWorkers),
		workers: make(map[string]present), since: time.Now(),
	}
	if err := q.connect(server); err != nil {
		return nil, err
	}
	if err := q.offer(c); err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// connect reaches the server, which it starts where none is given.
func (q *Coordinator) connect(server string) (err error) {
	at, err := url.Parse(server)
	if err != nil || at.Host == "" && at.Scheme != Embedded {
		return fmt.Errorf("invalid URL of a NATS server: expected nats://HOST:PORT, tls://HOST:PORT, or %s:// for a server of canisterd", Embedded)
	}
	var options []nats.Option
	if at.Scheme == Embedded {
		if q.server, err = listen(q.ctx, at); err != nil {
			return err
		}
		q.url, options = q.server.url, append(options, q.server.inside())
	}
	if q.link, err = connect(q.url, "canisterd explore", requestPatience, options...); err != nil && q.server != nil {
		q.server.close()
	}
	return err
}

// offer makes all that workers need, and then invites them.
func (q *Coordinator) offer(c *Campaign) error {
	if _, err := q.link.conn.Subscribe(q.id.alive(), q.alive); err != nil {
		return q.link.failed("subscribing to workers", err)
	}
	q.sweep()
	if err := q.createStreams(); err != nil {
		return q.link.failed("making the queues of the campaign", err)
	}
	if err := q.store(c); err != nil {
		return q.link.failed("storing the base of the campaign", q.explained(err))
	}
	var err error
	if q.invites, err = q.link.conn.Subscribe(joinSubject, q.join); err != nil {
		return q.link.failed("subscribing to workers", err)
	}
	ctx, cancel := within(q.ctx)
	defer cancel()
	// Without the flush, a worker that asks at once gets no answer: the server may not have read the subscription yet.
	if err := q.link.conn.FlushWithContext(ctx); err != nil {
		return q.link.failed("inviting workers", err)
	}
	return nil
}

func (q *Coordinator) createStreams() error {
	ctx, cancel := within(q.ctx)
	defer cancel()
	config := jetstream.StreamConfig{
		Name: q.id.jobStream(), Subjects: []string{q.id.jobs()}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
		MaxBytes: queueBytes, Discard: jetstream.DiscardNew,
	}
	jobs, err := q.link.js.CreateStream(ctx, config)
	if err != nil {
		return err
	}
	config.Name, config.Subjects = q.id.resultStream(), []string{q.id.results()}
	results, err := q.link.js.CreateStream(ctx, config)
	if err != nil {
		return err
	}
	_, err = jobs.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: assignmentWait, MaxDeliver: -1, MaxAckPending: -1,
	})
	if err != nil {
		return err
	}
	own, err := results.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "coordinator", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: -1})
	if err != nil {
		return err
	}
	_, err = own.Consume(func(m jetstream.Msg) {
		select {
		case q.answers <- m:
		case <-q.ctx.Done():
		case <-q.link.closed:
		}
	})
	return err
}

// store puts the description and the base into the object store.
func (q *Coordinator) store(c *Campaign) (err error) {
	if len(c.Description) > descriptionBytes {
		return fmt.Errorf("the description of the campaign has %d bytes: at most %d are sent to workers", len(c.Description), descriptionBytes)
	}
	err = reserve(q.ctx, func(size int64) (err error) {
		q.objects, err = q.link.js.CreateObjectStore(q.ctx, jetstream.ObjectStoreConfig{Bucket: q.id.bucket(), Storage: jetstream.FileStorage, MaxBytes: size})
		return err
	})
	if err != nil {
		return err
	}
	ctx, cancel := transferring(q.ctx)
	defer cancel()
	if _, err := q.objects.PutBytes(ctx, description, c.Description); err != nil {
		return err
	}
	from, to := io.Pipe()
	go func() { to.CloseWithError(contain.Run(func() error { return c.Base(to) })) }()
	_, err = q.objects.Put(ctx, jetstream.ObjectMeta{Name: base}, from)
	return errors.Join(err, from.Close())
}

// explained adds to a refusal of JetStream what the server of this process has logged.
func (q *Coordinator) explained(err error) error {
	if _, refused := errors.AsType[*jetstream.APIError](err); !refused || q.server == nil || q.server.log.String() == "" {
		return err
	}
	return fmt.Errorf("%w; the server says: %s", err, &q.server.log)
}

// reserve makes the object store: of objectBytes, or of what the server has. A server reserves what a store may take.
// If the server could not create the store's folder, it is asked again. After the last stream of an account is removed,
// by the sweep or by the campaign before, NATS removes the account's folders in a goroutine of its own. A stream that is
// created at that moment fails.
func reserve(ctx context.Context, create func(size int64) error) error {
	const (
		exceeded jetstream.ErrorCode = 10047 // insufficient storage resources available
		failed   jetstream.ErrorCode = 10049 // error creating store for stream
	)
	for size, attempts := int64(objectBytes), 1; ; {
		err := create(size)
		refused, is := errors.AsType[*jetstream.APIError](err)
		switch {
		case is && refused.ErrorCode == exceeded && size > leastObjectBytes:
			size /= 2
		case is && refused.ErrorCode == failed && attempts < storeAttempts:
			attempts++
			select {
			case <-time.After(storeWait):
			case <-ctx.Done():
				return err
			}
		default:
			return err
		}
	}
}

// join answers a worker that wants to take part.
func (q *Coordinator) join(m *nats.Msg) {
	in, out := joining{}, invitation{Protocol: protocol, Version: q.version, Campaign: string(q.id), Last: q.server != nil}
	if json.Unmarshal(m.Data, &in) != nil {
		return // it is not of a worker
	}
	if out.Refusal = refusal(in.Protocol, in.Version, q.version); out.Refusal == "" && !q.see(&in) {
		out.Refusal = fmt.Sprintf("the campaign has %d workers already, which is the limit", maxWorkers)
	}
	if answer, err := json.Marshal(out); err == nil {
		_ = m.Respond(answer) // a worker without an answer asks again
	}
}

// alive hears of a worker that is there, and of one that leaves.
func (q *Coordinator) alive(m *nats.Msg) {
	_ = m.Respond(nil) // a worker that hears nothing takes the campaign for over
	var in joining
	if json.Unmarshal(m.Data, &in) == nil && refusal(in.Protocol, in.Version, q.version) == "" {
		q.see(&in)
	}
}

// see remembers a worker. It is false where there are too many.
func (q *Coordinator) see(in *joining) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if in.Error != "" {
		delete(q.workers, in.Worker)
		q.problem = in.Error
		return true
	}
	if _, known := q.workers[in.Worker]; !known && len(q.workers) >= maxWorkers {
		return false
	}
	q.workers[in.Worker] = present{min(max(1, in.Slots), maxSlots), time.Now()}
	return true
}

// Workers is how many workers are there, and how many jobs they run beside each other.
func (q *Coordinator) Workers() (count, slots int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for name, w := range q.workers {
		if time.Since(w.seen) > alivePatience {
			delete(q.workers, name)
			continue
		}
		count, slots = count+1, slots+w.slots
	}
	switch {
	case count > 0:
		q.since = time.Time{}
	case q.since.IsZero():
		q.since = time.Now()
	}
	return count, slots
}

// abandoned is an error where no worker has been there for long.
func (q *Coordinator) abandoned() error {
	q.Workers()
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

// URL is where workers find the campaign. It has the token of a server that was started.
func (q *Coordinator) URL() string { return q.url }

// Close ends the campaign and removes what it has made.
func (q *Coordinator) Close() { q.end.Do(q.close) }

func (q *Coordinator) close() {
	if q.invites != nil {
		_ = q.invites.Unsubscribe() // of a server that is gone
	}
	_ = q.link.conn.Publish(q.id.end(), nil) // workers that do not hear it find that they get no answer
	q.remove(q.id)
	q.link.leave()
	if q.server != nil {
		q.server.close()
	}
}

// remove removes what a campaign has on the server. What is not there, or cannot be removed, is left to the next sweep.
func (q *Coordinator) remove(id subjects) {
	ctx, cancel := within(context.WithoutCancel(q.ctx))
	defer cancel()
	_ = q.link.js.DeleteStream(ctx, id.resultStream())
	_ = q.link.js.DeleteObjectStore(ctx, id.bucket())
	_ = q.link.js.DeleteStream(ctx, id.jobStream())
}

// sweep removes campaigns whose coordinators are gone.
func (q *Coordinator) sweep() {
	ctx, cancel := within(q.ctx)
	defer cancel()
	for name := range q.link.js.StreamNames(ctx).Name() {
		id, found := strings.CutPrefix(name, streams)
		id, jobs := strings.CutSuffix(id, "-jobs")
		if !found || !jobs {
			continue
		}
		if _, err := q.link.conn.RequestWithContext(ctx, subjects(id).alive(), nil); errors.Is(err, nats.ErrNoResponders) {
			q.remove(subjects(id))
		}
	}
}
