package control

import (
	"context"
	"time"

	"github.com/canisterd/canisterd/internal/explore/campaign"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// outbox sends the messages of a stream on its own goroutine. If the client does not read, that goroutine blocks, but the
// exploration can still end, which ends the stream and unblocks the goroutine.
type outbox[M any] struct {
	ctx     context.Context
	waiting chan outgoing[M] // has room for one
}

// outgoing is a message to send; sent receives the result.
type outgoing[M any] struct {
	message *M
	sent    chan<- error // has room for one
}

// newOutbox makes an outbox that lasts until the context ends. If a message cannot be sent, it ends the context.
func newOutbox[M any](ctx context.Context, end context.CancelCauseFunc, send func(*M) error) *outbox[M] {
	o := &outbox[M]{ctx, make(chan outgoing[M], 1)}
	go func() {
		for {
			select {
			case next := <-o.waiting:
				err := send(next.message)
				next.sent <- err
				if err != nil {
					end(err)
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return o
}

// send sends a message, and waits until gRPC has taken it.
func (o *outbox[M]) send(m *M) error {
	sent := make(chan error, 1)
	select {
	case o.waiting <- outgoing[M]{m, sent}:
	case <-o.ctx.Done():
		return context.Cause(o.ctx)
	}
	select {
	case err := <-sent:
		return err
	case <-o.ctx.Done():
		return context.Cause(o.ctx)
	}
}

// offer sends a message, or drops it if another one waits.
func (o *outbox[M]) offer(m *M) {
	select {
	case o.waiting <- outgoing[M]{m, make(chan error, 1)}:
	default:
	}
}

// progress sends the progress of an exploration to its client.
type progress struct {
	out      *outbox[controlv1.ExploreResponse]
	next     time.Time // of the next message
	workers  func() int
	recorded uint64 // runs for the corpus of later explorations
}

// report sends the progress, at most once in progressInterval.
func (p *progress) report(r *campaign.Report) {
	if time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(progressInterval)
	p.out.offer(progressStep(&controlv1.ExploreProgress{
		Runs: uint64(r.Runs), Messages: uint64(r.Messages), Findings: uint32(len(r.Findings)), Workers: uint32(p.workers()),
		Coverage: shownCoverage(&r.Coverage), Recorded: p.recorded,
	}))
}

func progressStep(m *controlv1.ExploreProgress) *controlv1.ExploreResponse {
	return &controlv1.ExploreResponse{Step: &controlv1.ExploreResponse_Progress{Progress: m}}
}
