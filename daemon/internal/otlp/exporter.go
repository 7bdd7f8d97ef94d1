package otlp

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
)

// Exporter sends the spans of instances to a collector. Safe for concurrent use.
type Exporter struct {
	options Options
	sender  sender
	queue   chan queued
	ended   chan struct{}
	closing chan struct{} // closed when what is queued is to be sent at once
	close   sync.Once
	cut     context.Context // ends when nothing more is to be sent
	cutOff  context.CancelFunc

	sent, rejected, dropped, missed atomic.Uint64
	failing                         bool // the last batch was not taken; of the goroutine that sends
}

// queued is a complete span with the instance it is of.
type queued struct {
	instance string
	span     *tracepb.Span
}

// Counts are what became of spans.
type Counts struct {
	Sent, Rejected, Dropped uint64 // taken by the collector; refused by it, or it was not reached; without room in the queue
	Missed                  uint64 // events that were forgotten before spans were made of them
	Queued                  int
}

// New makes an exporter, which sends until Close. The endpoint of the options must not be empty.
func New(options Options) (*Exporter, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	s, err := newSender(&options)
	if err != nil {
		return nil, err
	}
	return newExporter(options, s), nil
}

// newExporter makes an exporter that sends through s.
func newExporter(options Options, s sender) *Exporter {
	x := &Exporter{options: options, sender: s, queue: make(chan queued, maxQueue), ended: make(chan struct{}), closing: make(chan struct{})}
	x.cut, x.cutOff = context.WithCancel(context.Background())
	go x.run()
	return x
}

// Counts are the counts so far.
func (x *Exporter) Counts() Counts {
	return Counts{Sent: x.sent.Load(), Rejected: x.rejected.Load(), Dropped: x.dropped.Load(), Missed: x.missed.Load(), Queued: len(x.queue)}
}

// Close sends what is queued, as long as ctx lasts, and ends the exporter. Nothing may be added afterwards.
func (x *Exporter) Close(ctx context.Context) {
	x.close.Do(func() { close(x.closing) })
	select {
	case <-x.ended:
	case <-ctx.Done():
	}
	x.cutOff()
	<-x.ended
}

// add queues a span, or drops it where the queue is full.
func (x *Exporter) add(instance string, span *tracepb.Span) {
	select {
	case x.queue <- queued{instance, span}:
	default:
		x.dropped.Add(1)
	}
}

// run sends batches until the exporter is closed.
func (x *Exporter) run() {
	defer close(x.ended)
	defer x.sender.close()
	for {
		batch, more := x.batch()
		if len(batch) > 0 {
			x.deliver(batch)
		}
		if !more {
			return
		}
	}
}

// batch waits for a span, and then for others; more is false if the exporter was closed and the queue is empty.
func (x *Exporter) batch() (batch []queued, more bool) {
	closing := x.closing
	var full <-chan time.Time
	for len(batch) < maxBatch {
		select {
		case q := <-x.queue:
			if batch = append(batch, q); full == nil {
				timer := time.NewTimer(batchInterval)
				defer timer.Stop()
				full = timer.C
			}
			continue
		default:
		}
		select {
		case q := <-x.queue:
			batch = append(batch, q)
			if full == nil {
				timer := time.NewTimer(batchInterval)
				defer timer.Stop()
				full = timer.C
			}
		case <-full:
			return batch, true
		case <-closing:
			if len(x.queue) == 0 {
				return batch, false
			}
		}
	}
	return batch, true
}

// deliver sends a batch, several times if need be.
func (x *Exporter) deliver(batch []queued) {
	request := x.request(batch)
	pause := firstPause
	for try := 1; ; try++ {
		ctx, cancel := context.WithTimeout(x.cut, x.options.Timeout)
		refused, again, err := x.sender.send(ctx, request)
		cancel()
		if err == nil {
			x.rejected.Add(uint64(max(refused, 0)))
			x.sent.Add(uint64(max(int64(len(batch))-refused, 0)))
			x.failing = false
			return
		}
		if !again || try == maxTries || !x.rest(pause) {
			x.rejected.Add(uint64(len(batch)))
			if !x.failing { // once, until the collector takes spans again
				x.options.Log.Warn("spans are not taken", "endpoint", x.options.Endpoint, "error", err)
			}
			x.failing = true
			return
		}
		pause *= 2
	}
}

// rest waits between two tries; false if there is no time left.
func (x *Exporter) rest(pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.closing:
		return false
	case <-x.cut.Done():
		return false
	}
}

// request is what is sent of a batch: the spans of each instance with its resource.
func (x *Exporter) request(batch []queued) *collectorpb.ExportTraceServiceRequest {
	byInstance := make(map[string][]*tracepb.Span)
	for _, q := range batch {
		byInstance[q.instance] = append(byInstance[q.instance], q.span)
	}
	request := new(collectorpb.ExportTraceServiceRequest)
	for _, instance := range slices.Sorted(maps.Keys(byInstance)) {
		request.ResourceSpans = append(request.ResourceSpans, &tracepb.ResourceSpans{
			Resource: x.resource(instance),
			ScopeSpans: []*tracepb.ScopeSpans{{
				Scope: &commonpb.InstrumentationScope{Name: "canisterd", Version: x.options.Attributes["service.version"]},
				Spans: byInstance[instance],
			}},
		})
	}
	return request
}

// resource is what the spans of an instance belong to.
func (x *Exporter) resource(instance string) *resourcepb.Resource {
	resource := &resourcepb.Resource{Attributes: []*commonpb.KeyValue{text(prefix+"instance", instance)}}
	for _, name := range slices.Sorted(maps.Keys(x.options.Attributes)) {
		resource.Attributes = append(resource.Attributes, text(name, x.options.Attributes[name]))
	}
	return resource
}
