package control

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/budget"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// callStream is a stream of calls. The reader of the stream submits the calls that have arrived in batches and sends
// immediate answers; another goroutine waits for the rest.
type callStream struct {
	*calls
	stream   grpc.BidiStreamingServer[controlv1.StreamRequest, controlv1.StreamResponse]
	name     string // of the instance
	instance *instance.Instance
	end      context.CancelCauseFunc // with the error
	forgets  bool                    // the network forgets answered calls
	room     chan struct{}           // a place for each call in progress
	left     chan struct{}           // has a value when calls are still waiting
	memory   *budget.Budget          // of unanswered calls; nil: without a limit
	freed    chan struct{}           // has a value when some of memory was released

	mu      sync.Mutex // guards waiting
	waiting map[replica.RequestID]*inflightCall

	sending sync.Mutex // guards over; held during a send on stream
	over    bool       // nothing more may be sent
}

// inflightCall is a call of a stream in progress.
type inflightCall struct {
	*preparedCall
	tag     uint64
	bytes   int64 // of the stream's memory
	id      replica.RequestID
	entered bool                // the network has or had it
	subnet  principal.Principal // of the message, if entered
}

// callRequest is a call of a stream as received.
type callRequest struct {
	*controlv1.StreamRequest
	bytes int64 // of the stream's memory
}

// settledCall is a call of a stream with its answer.
type settledCall struct {
	*inflightCall
	answer replica.IngressAnswer
}

// Stream makes calls as they arrive, and sends each answer when it is known.
func (s *calls) Stream(stream grpc.BidiStreamingServer[controlv1.StreamRequest, controlv1.StreamResponse]) error {
	first, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	instance, err := s.instance(first.GetInstance())
	if err != nil {
		return err
	}
	open, cancel := s.until(stream.Context())
	defer cancel()
	ctx, end := context.WithCancelCause(open)
	defer end(nil)
	l := &callStream{
		calls: s, stream: stream, name: first.GetInstance(), instance: instance, end: end, forgets: first.GetForget(),
		room: make(chan struct{}, MaxUnderWay), left: make(chan struct{}, 1), waiting: make(map[replica.RequestID]*inflightCall),
		memory: s.open.memory.Child("calls of a stream that are not answered", maxUnanswered), freed: make(chan struct{}, 1),
	}
	defer l.stopSending()
	come := make(chan callRequest, MaxStreamBatch)
	bytes, err := l.takeMemory(ctx, first)
	if err != nil {
		return err
	}
	come <- callRequest{first, bytes}
	read := guarded(func() error { return l.read(ctx, come) })
	collected := guarded(func() error { return l.collect(ctx) })
	if err := l.submitAll(ctx, come); err != nil {
		return err
	}
	if err := <-read; err != nil {
		return err
	}
	return l.drain(ctx, collected)
}

// read reads the stream to its end.
func (l *callStream) read(ctx context.Context, come chan<- callRequest) error {
	defer close(come)
	for {
		in, err := l.stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		bytes, err := l.takeMemory(ctx, in)
		if err != nil {
			return err
		}
		select {
		case come <- callRequest{in, bytes}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// takeMemory takes memory for a call until it is answered. It waits for other calls of the stream to be answered, and
// refuses the call if other streams and messages have the memory.
func (l *callStream) takeMemory(ctx context.Context, in *controlv1.StreamRequest) (bytes int64, err error) {
	if l.memory == nil {
		return 0, nil
	}
	for bytes = min(int64(proto.Size(in)), l.memory.Limit()); ; {
		err := l.memory.Reserve(bytes)
		if err == nil || l.memory.Used()+bytes <= l.memory.Limit() {
			return bytes, err
		}
		select {
		case <-l.freed:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// submitAll submits calls, each time all that have arrived.
func (l *callStream) submitAll(ctx context.Context, come <-chan callRequest) error {
	var batch []*inflightCall
	for {
		var in callRequest
		select {
		case in = <-come:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if in.StreamRequest == nil {
			return nil
		}
		batch = batch[:0]
		for more := true; more; {
			var err error
			if batch, err = l.take(ctx, in, batch); err != nil {
				return err
			}
			if more = len(batch) < MaxStreamBatch; more {
				select {
				case in, more = <-come:
				default:
					more = false
				}
			}
		}
		if err := l.submit(ctx, batch); err != nil {
			return err
		}
	}
}

// take takes a place for a call and parses it. It starts calls that have their own goroutine.
func (l *callStream) take(ctx context.Context, in callRequest, batch []*inflightCall) ([]*inflightCall, error) {
	select {
	case l.room <- struct{}{}:
	default:
		// The calls in the batch must not wait for places that only they can free.
		if err := l.submit(ctx, batch); err != nil {
			return nil, err
		}
		batch = batch[:0]
		select {
		case l.room <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if name := in.GetInstance(); name != "" && name != l.name {
		refused := BadField.Refuse("instance", strconv.Quote(name), "a stream is to the instance of its first message")
		return batch, l.answer(in.bytes, &controlv1.StreamResponse{Tag: in.GetTag(), Failure: failureOf(refused)})
	}
	o, err := l.prepareCall(ctx, l.instance, in.GetCall())
	if err != nil {
		return batch, l.answer(in.bytes, &controlv1.StreamResponse{Tag: in.GetTag(), Failure: failureOf(err)})
	}
	f := &inflightCall{preparedCall: o, tag: in.GetTag(), bytes: in.bytes}
	if in.GetQuery() {
		l.alone(f, func() (*controlv1.Outcome, error) { return o.query(ctx) })
		return batch, nil
	}
	if o.slow() {
		l.alone(f, func() (*controlv1.Outcome, error) { return l.updated(ctx, o) })
		return batch, nil
	}
	return append(batch, f), nil
}

// slow reports whether the owner of the network should not submit a call: the canister inspects it, or a module is
// compiled.
func (o *preparedCall) slow() bool {
	if o.receiver == principal.Management {
		return true
	}
	module := o.instance.Driver().Module(o.receiver)
	return module != nil && module.Has(canister.InspectMessage)
}

// alone makes a call on its own goroutine.
func (l *callStream) alone(f *inflightCall, do func() (*controlv1.Outcome, error)) {
	done := guarded(func() error {
		outcome, err := do()
		out := &controlv1.StreamResponse{Tag: f.tag, Outcome: outcome}
		if err != nil {
			out.Failure = failureOf(err)
		}
		return l.answer(f.bytes, out)
	})
	go func() {
		if err := <-done; err != nil {
			l.end(err)
		}
	}()
}

// submit submits a batch, and sends the answers that are known.
func (l *callStream) submit(ctx context.Context, batch []*inflightCall) error {
	if len(batch) == 0 {
		return nil
	}
	in := make([]*replica.Ingress, 0, len(batch))
	for _, f := range batch {
		message, err := f.ingress(ctx)
		if err != nil {
			return err
		}
		f.id = message.ID
		in = append(in, message)
	}
	l.expect(batch)
	results, err := l.apply(ctx, batch, in)
	if err != nil {
		return err
	}
	for i, f := range batch {
		if err := l.followed(ctx, f, &results[i]); err != nil {
			return err
		}
	}
	return l.sweep(ctx)
}

// apply gives a batch to the network.
func (l *callStream) apply(ctx context.Context, batch []*inflightCall, in []*replica.Ingress) ([]replica.Result, error) {
	return driver.Ask(ctx, l.instance.Driver(), func(n *replica.Network) []replica.Result {
		l.instance.CatchUp(n)
		results := make([]replica.Result, len(in))
		for i := range in {
			results[i] = n.Apply(in[i])
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		for i := range results {
			f := batch[i]
			f.entered = results[i].Refusal == nil && results[i].Reject == nil
			f.subnet, _ = n.HostOf(f.effective)
		}
		return results
	})
}

// followed handles the result of submitting a message of a batch.
func (l *callStream) followed(ctx context.Context, f *inflightCall, r *replica.Result) error {
	if r.Accepted() {
		return nil
	}
	l.forget(f.id)
	switch {
	case r.Known != 0: // by a forked or restored network: submit it again with another id
		l.alone(f, func() (*controlv1.Outcome, error) { return l.updated(ctx, f.preparedCall) })
		return nil
	case r.Refusal != nil:
		return l.answer(f.bytes, &controlv1.StreamResponse{Tag: f.tag, Failure: failureOf(r.Refusal)})
	}
	return l.answer(f.bytes, &controlv1.StreamResponse{Tag: f.tag, Outcome: rejectedAtIngress(f.preparedCall, r.Reject)})
}
