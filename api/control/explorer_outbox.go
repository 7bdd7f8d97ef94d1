package control

import (
	"context"
	"time"

	"github.com/canisterd/canisterd/explore/campaign"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// outbox sends the messages of a stream on one goroutine. Where a client does not read, a message waits there, and not the
// exploration: that can still end, which ends the stream and the wait.
type outbox[M any] struct {
	ctx     context.Context
	waiting chan outgoing[M] // has room for one
}

// outgoing is a message on its way; sent is told what came of it.
type outgoing[M any] struct {
	message *M
	sent    chan<- error // has room for one
}

// newOutbox makes an outbox that lasts until a context ends, or a message cannot be sent: then it ends the context.
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

// send sends a message and waits until it is under way.
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

// offer sends a message unless another one waits.
func (o *outbox[M]) offer(m *M) {
	select {
	case o.waiting <- outgoing[M]{m, make(chan error, 1)}:
	default:
	}
}

// progress tells a client how far an exploration is.
type progress struct {
	out     *outbox[controlv1.ExploreResponse]
	next    time.Time // of a message
	workers func() int
}

func (p *progress) report(r *campaign.Report) {
	if time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(progressInterval)
	p.out.offer(progressed(&controlv1.ExploreProgress{
		Runs: uint64(r.Runs), Messages: uint64(r.Messages), Findings: uint32(len(r.Findings)), Workers: uint32(p.workers()),
		Coverage: shownCoverage(&r.Coverage),
	}))
}

func progressed(m *controlv1.ExploreProgress) *controlv1.ExploreResponse {
	return &controlv1.ExploreResponse{Step: &controlv1.ExploreResponse_Progress{Progress: m}}
}
