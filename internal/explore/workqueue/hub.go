package workqueue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/canisterd/canisterd/internal/explore/workqueue/workerv1"
)

// Hub is where workers join campaigns: the gRPC service of a daemon. It is safe for concurrent use.
type Hub struct {
	workerv1.UnimplementedWorkersServer
	version string        // of canisterd, which workers must have
	closing chan struct{} // closed when workers have to leave
	close   sync.Once

	mu        sync.Mutex     // guards what follows
	campaigns []*Coordinator // that go on, the oldest first
	begun     chan struct{}  // closed and replaced when a campaign begins
	workers   int            // that are connected
	campaign  uint64         // number of the newest
	number    uint64         // of the newest assignment
}

// NewHub returns a hub of a version of canisterd.
func NewHub(version string) *Hub {
	return &Hub{version: version, closing: make(chan struct{}), begun: make(chan struct{})}
}

// Close makes all workers leave, and those that come later.
func (h *Hub) Close() { h.close.Do(func() { close(h.closing) }) }

// Campaign is what workers need to know.
type Campaign struct {
	Description []byte                // for Host.Open
	Base        func(io.Writer) error // writes the base
}

// Begin begins a campaign. It goes on until Close, and fails when the context ends.
func (h *Hub) Begin(ctx context.Context, c *Campaign) (*Coordinator, error) {
	if len(c.Description) > descriptionBytes {
		return nil, fmt.Errorf("the description of the exploration has %d bytes: at most %d are sent to workers", len(c.Description), descriptionBytes)
	}
	base, err := spool(c.Base)
	if err != nil {
		return nil, fmt.Errorf("storing the base of the exploration: %w", err)
	}
	q := &Coordinator{
		ctx: ctx, hub: h, description: c.Description, base: base, over: make(chan struct{}), changed: make(chan struct{}, 1),
		members: make(map[*member]struct{}), since: time.Now(),
	}
	q.taken.L = &q.mu
	h.mu.Lock()
	defer h.mu.Unlock()
	h.campaign++
	q.id = strconv.FormatUint(h.campaign, 10)
	h.campaigns = append(h.campaigns, q)
	close(h.begun)
	h.begun = make(chan struct{})
	return q, nil
}

// forget removes a campaign that is over.
func (h *Hub) forget(q *Coordinator) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.campaigns = slices.DeleteFunc(h.campaigns, func(other *Coordinator) bool { return other == q })
}

// nextNumber returns the number of a new assignment.
func (h *Hub) nextNumber() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.number++
	return h.number
}

// enter counts a worker. It is false where there are too many.
func (h *Hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.workers >= maxWorkers {
		return false
	}
	h.workers++
	return true
}

func (h *Hub) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.workers--
}

// invite adds a worker to the campaign with the fewest workers, the oldest of several. Without a campaign it returns nil,
// and a channel that is closed when one begins.
func (h *Hub) invite(m *member) (*Coordinator, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var best *Coordinator
	least := 0
	for _, q := range h.campaigns {
		if count, _ := q.Workers(); best == nil || count < least {
			best, least = q, count
		}
	}
	if best != nil {
		best.join(m)
	}
	return best, h.begun
}

// find returns the campaign of an id that goes on; nil for none.
func (h *Hub) find(id string) *Coordinator {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range h.campaigns {
		if q.id == id {
			return q
		}
	}
	return nil
}

// Read sends what a worker needs to begin with a campaign.
func (h *Hub) Read(in *workerv1.ReadRequest, stream grpc.ServerStreamingServer[workerv1.ReadResponse]) error {
	q := h.find(in.GetCampaign())
	if q == nil {
		return status.Errorf(codes.NotFound, "exploration %q is over", in.GetCampaign())
	}
	switch in.GetContent() {
	case workerv1.Content_CONTENT_DESCRIPTION:
		for part := range slices.Chunk(q.description, partBytes) {
			if err := stream.Send(&workerv1.ReadResponse{Part: part}); err != nil {
				return err
			}
		}
		return nil
	case workerv1.Content_CONTENT_BASE:
		return q.base.send(stream.Send)
	}
	return status.Errorf(codes.InvalidArgument, "invalid content %d: expected 1 for the description, or 2 for the base", in.GetContent())
}

// workStream is the stream of a worker at the hub.
type workStream = grpc.BidiStreamingServer[workerv1.WorkRequest, workerv1.WorkResponse]

// Work serves a worker until it leaves or the hub is closed.
func (h *Hub) Work(stream workStream) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	joining := first.GetJoining()
	refuse := func(text string) error {
		return stream.Send(&workerv1.WorkResponse{Step: &workerv1.WorkResponse_Refusal{Refusal: text}})
	}
	switch {
	case joining == nil:
		return status.Error(codes.InvalidArgument, "the first message of a worker is joining")
	case joining.GetVersion() != h.version:
		return refuse(fmt.Sprintf("the daemon is canisterd %s, and the worker is canisterd %s: %s", h.version, joining.GetVersion(), sameVersion))
	case !h.enter():
		return refuse(fmt.Sprintf("the daemon has %d workers already, which is the limit", maxWorkers))
	}
	defer h.leave()
	err = newMember(h, int(min(max(1, joining.GetSlots()), maxSlots))).serve(stream)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// sameVersion is what to do where programs do not work together.
const sameVersion = "use the same version on all computers"
