package workqueue

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/explore/workqueue/workerv1"
)

// spareMessages is the room for messages to a worker that are not assignments.
const spareMessages = 4

// member is a worker that is connected. Its goroutine is that of serve.
type member struct {
	hub     *Hub
	slots   int
	out     chan *workerv1.WorkResponse // has room for all assignments of the worker
	partial map[uint64][]byte           // parts of results, by assignment
	bytes   int                         // of partial

	// The mutex of the campaign guards what follows.
	ready bool // it takes assignments
	held  map[uint64]*assignment
}

func newMember(h *Hub, slots int) *member {
	return &member{hub: h, slots: slots, out: make(chan *workerv1.WorkResponse, slots+1+spareMessages), partial: make(map[uint64][]byte)}
}

// serve invites the worker to one campaign after the other.
func (m *member) serve(stream workStream) error {
	ctx, end := context.WithCancelCause(stream.Context())
	defer end(nil)
	received := make(chan *workerv1.WorkRequest)
	go contain.Do(func() { end(m.receive(ctx, stream, received)) }, end)
	go contain.Do(func() { end(m.send(ctx, stream)) }, end)
	check := time.NewTicker(aliveInterval)
	defer check.Stop()
	q, begun, err := m.invited()
	if err != nil {
		return err
	}
	defer func() { q.leave(m, "") }()
	seen := time.Now()
	for {
		select {
		case in := <-received:
			if err := m.take(ctx, q, in); err != nil {
				return err
			}
			seen = time.Now() // also where it waited
		case <-begun:
			if q, begun, err = m.invited(); err != nil {
				return err
			}
		case <-q.ended():
			q.leave(m, "")
			if err := m.tell(&workerv1.WorkResponse{Step: &workerv1.WorkResponse_Over{Over: &workerv1.Over{Campaign: q.id}}}); err != nil {
				return err
			}
			clear(m.partial)
			m.bytes = 0
			if q, begun, err = m.invited(); err != nil {
				return err
			}
		case <-check.C:
			if time.Since(seen) > alivePatience {
				return status.Errorf(codes.DeadlineExceeded, "the worker has said nothing for %s", alivePatience)
			}
		case <-m.hub.closing:
			return status.Error(codes.Unavailable, "the daemon is stopping")
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// invited joins a campaign. Without one it returns a channel that is closed when one begins.
func (m *member) invited() (q *Coordinator, begun <-chan struct{}, err error) {
	if q, begun = m.hub.invite(m); q == nil {
		return nil, begun, nil
	}
	return q, nil, m.tell(&workerv1.WorkResponse{Step: &workerv1.WorkResponse_Invitation{Invitation: &workerv1.Invitation{Campaign: q.id, Digest: q.base.digest}}})
}

// tell sends a message after those before it. A worker that reads has room for it.
func (m *member) tell(out *workerv1.WorkResponse) error {
	select {
	case m.out <- out:
		return nil
	default:
		return status.Error(codes.ResourceExhausted, "the worker does not read what it is told")
	}
}

// receive passes on what the worker says, until the stream ends.
func (m *member) receive(ctx context.Context, stream workStream, to chan<- *workerv1.WorkRequest) error {
	for {
		in, err := stream.Recv()
		if err != nil {
			return err
		}
		select {
		case to <- in:
		case <-ctx.Done():
			return nil
		}
	}
}

// send sends what the worker is told, until the stream ends.
func (m *member) send(ctx context.Context, stream workStream) error {
	for {
		select {
		case out := <-m.out:
			if err := stream.Send(out); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// take handles a message of the worker. An error ends its stream.
func (m *member) take(ctx context.Context, q *Coordinator, in *workerv1.WorkRequest) error {
	switch {
	case q == nil:
		return nil // it is about a campaign that is over
	case in.GetOpened() != nil:
		if in.GetOpened().GetCampaign() != q.id {
			return nil
		}
		if problem := in.GetOpened().GetError(); problem != "" {
			q.leave(m, problem)
			return status.Error(codes.FailedPrecondition, "the worker has left the exploration")
		}
		q.start(m)
	case in.GetResults() != nil:
		return m.results(ctx, q, in.GetResults())
	}
	return nil
}

// results puts the parts of results together, and gives them to the campaign.
func (m *member) results(ctx context.Context, q *Coordinator, in *workerv1.Results) error {
	number := in.GetAssignment()
	if !q.holds(m, number) {
		return nil // it is of a campaign that is over, or of no assignment
	}
	if m.bytes+len(in.GetPart()) > descriptionBytes {
		return status.Errorf(codes.ResourceExhausted, "the results of an assignment have more than %d bytes", descriptionBytes)
	}
	m.partial[number] = append(m.partial[number], in.GetPart()...)
	m.bytes += len(in.GetPart())
	if !in.GetLast() {
		return nil
	}
	record := m.partial[number]
	delete(m.partial, number)
	m.bytes -= len(record)
	q.arrive(ctx, m, &arrival{number: number, record: record, took: time.Duration(max(0, in.GetNanoseconds())), problem: in.GetError()})
	return nil
}
