package control

import (
	"context"

	"github.com/canisterd/canisterd/intercanister"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// listed is a page of a list and the place of the next one.
type listed[T any] struct {
	entries []T
	next    *introspect.Cursor
}

// listPage returns a page of a list of an instance, as messages.
func listPage[T, M any](ctx context.Context, s *Server, name string, page *controlv1.Page, canister string,
	list func(*introspect.Network, introspect.Page) ([]T, *introspect.Cursor), show func(*T) M,
) (shown []M, token string, err error) {
	i, err := s.instance(name)
	if err != nil {
		return nil, "", err
	}
	p, err := readPage(page, canister)
	if err != nil {
		return nil, "", err
	}
	got, err := driver.ReadValue(ctx, i.Driver(), func(n *replica.Network) listed[T] {
		entries, next := list(n.Introspect(), p)
		return listed[T]{entries, next}
	})
	if err != nil {
		return nil, "", err
	}
	for at := range got.entries {
		shown = append(shown, show(&got.entries[at]))
	}
	return shown, pageToken(got.next), nil
}

// ListContexts lists the open call contexts.
func (s *messages) ListContexts(ctx context.Context, in *controlv1.ListContextsRequest) (*controlv1.ListContextsResponse, error) {
	all, token, err := listPage(ctx, s.Server, in.GetInstance(), in.GetPage(), in.GetCanisterId(), (*introspect.Network).Contexts, shownContext)
	if err != nil {
		return nil, err
	}
	return &controlv1.ListContextsResponse{Contexts: all, NextPageToken: token}, nil
}

func shownContext(c *introspect.OpenContext) *controlv1.CallContext {
	return &controlv1.CallContext{
		SubnetId: c.Subnet.String(), ContextId: uint64(c.ID), CanisterId: c.Canister.String(), Method: c.Method, Origin: shownOrigin(c),
		Opened: stamp(c.Opened), Deadline: moment(c.Deadline), CyclesAvailable: c.Available.String(), Responded: c.Responded,
		Outstanding: uint32(len(c.Awaits)), Deadlocked: c.Deadlocked, Instructions: c.Instructions, Deleted: c.Deleted, Awaits: shownCalls(c.Awaits),
	}
}

func shownOrigin(c *introspect.OpenContext) *controlv1.Origin {
	switch c.Origin {
	case intercanister.FromIngress:
		o := &controlv1.Origin{Sender: c.Sender.String()}
		if c.Request != (replica.RequestID{}) {
			o.From = &controlv1.Origin_RequestId{RequestId: c.Request[:]}
		}
		return o
	case intercanister.FromCanister:
		return &controlv1.Origin{Sender: c.Sender.String(), From: &controlv1.Origin_Call{Call: shownCall(c.Call)}}
	}
	return &controlv1.Origin{From: &controlv1.Origin_Task{Task: c.Task.String()}}
}

func shownCall(c introspect.CallRef) *controlv1.CallRef {
	return &controlv1.CallRef{SubnetId: c.Subnet.String(), CallId: uint64(c.Call)}
}

func shownCalls(all []introspect.CallRef) (shown []*controlv1.CallRef) {
	for _, c := range all {
		shown = append(shown, shownCall(c))
	}
	return shown
}

// ListFutures lists the registered futures.
func (s *messages) ListFutures(ctx context.Context, in *controlv1.ListFuturesRequest) (*controlv1.ListFuturesResponse, error) {
	all, token, err := listPage(ctx, s.Server, in.GetInstance(), in.GetPage(), in.GetCanisterId(), (*introspect.Network).Futures, shownFuture)
	if err != nil {
		return nil, err
	}
	return &controlv1.ListFuturesResponse{Futures: all, NextPageToken: token}, nil
}

func shownFuture(f *introspect.OpenFuture) *controlv1.Future {
	return &controlv1.Future{
		Call: shownCall(f.CallRef), ContextId: uint64(f.Context), Caller: f.Caller.String(), Callee: f.Callee.String(), Method: f.Method,
		Deadline: moment(f.Deadline), CyclesPrepaid: f.Prepaid.String(), CyclesAttached: f.Attached.String(), Waiting: shownWaiting(&f.Waits),
		Deadlocked: f.Deadlocked, Circular: f.Circular,
	}
}

var waitReasons = map[introspect.WaitReason]controlv1.WaitReason{
	introspect.WaitQueued:         controlv1.WaitReason_WAIT_REASON_QUEUED,
	introspect.WaitHeld:           controlv1.WaitReason_WAIT_REASON_HELD,
	introspect.WaitExecuting:      controlv1.WaitReason_WAIT_REASON_EXECUTING,
	introspect.WaitAwaiting:       controlv1.WaitReason_WAIT_REASON_AWAITING,
	introspect.WaitResponseQueued: controlv1.WaitReason_WAIT_REASON_RESPONSE_QUEUED,
	introspect.WaitStream:         controlv1.WaitReason_WAIT_REASON_STREAM,
	introspect.WaitManagement:     controlv1.WaitReason_WAIT_REASON_MANAGEMENT,
	introspect.WaitOutcall:        controlv1.WaitReason_WAIT_REASON_OUTCALL,
	introspect.WaitNextRound:      controlv1.WaitReason_WAIT_REASON_NEXT_ROUND,
	introspect.WaitStopped:        controlv1.WaitReason_WAIT_REASON_STOPPED,
	introspect.WaitCompiling:      controlv1.WaitReason_WAIT_REASON_COMPILING,
	introspect.WaitNever:          controlv1.WaitReason_WAIT_REASON_NEVER,
}

func shownWaiting(w *introspect.Waiting) *controlv1.Waiting {
	return &controlv1.Waiting{
		Reason: waitReasons[w.Reason], Text: w.Text, RuleId: w.Rule, HeldId: w.Held, ContextId: uint64(w.Context), Calls: shownCalls(w.Awaits),
		Position: uint32(w.Position), SubnetId: w.Subnet.String(), Outcall: w.Outcall,
	}
}

// ListMessages lists the messages in queues.
func (s *messages) ListMessages(ctx context.Context, in *controlv1.ListMessagesRequest) (*controlv1.ListMessagesResponse, error) {
	all, token, err := listPage(ctx, s.Server, in.GetInstance(), in.GetPage(), in.GetCanisterId(), (*introspect.Network).Messages, shownMessage)
	if err != nil {
		return nil, err
	}
	return &controlv1.ListMessagesResponse{Messages: all, NextPageToken: token}, nil
}

func shownMessage(q *introspect.QueuedMessage) *controlv1.QueuedMessage {
	m := &controlv1.QueuedMessage{
		SubnetId: q.Subnet.String(), CanisterId: q.Canister.String(), Position: uint32(q.Position), Kind: sources[q.Source], Method: q.Method,
		CallId: uint64(q.Call.Call), PayloadBytes: uint64(q.Payload), Waiting: shownWaiting(&q.Waits),
	}
	if q.Source != intercanister.SourceTasks {
		m.Sender = q.Sender.String()
	}
	if q.Request != (replica.RequestID{}) {
		m.RequestId = q.Request[:]
	}
	return m
}

// sources maps the sources of messages to words.
var sources = map[intercanister.Source]string{
	intercanister.SourceTasks: "task", intercanister.SourceResponses: "response", intercanister.SourceIngress: "ingress", intercanister.SourceRequests: "request",
}

// ListTimers lists the events that happen without clients, ordered by time.
func (s *messages) ListTimers(ctx context.Context, in *controlv1.ListTimersRequest) (*controlv1.ListTimersResponse, error) {
	all, token, err := listPage(ctx, s.Server, in.GetInstance(), in.GetPage(), in.GetCanisterId(), (*introspect.Network).Timers, shownTimer)
	if err != nil {
		return nil, err
	}
	out := &controlv1.ListTimersResponse{Timers: all, NextPageToken: token}
	if in.GetPage().GetToken() == "" {
		out.Heartbeats, err = s.heartbeats(ctx, in)
	}
	return out, err
}

func (s *messages) heartbeats(ctx context.Context, in *controlv1.ListTimersRequest) (all []string, err error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	of, err := readAny("canister_id", in.GetCanisterId())
	if err != nil {
		return nil, err
	}
	return driver.ReadValue(ctx, i.Driver(), func(n *replica.Network) (all []string) {
		for _, id := range n.Introspect().Heartbeats() {
			if (of == nil || *of == id) && len(all) < introspect.MaxListed {
				all = append(all, id.String())
			}
		}
		return all
	})
}

func shownTimer(t *introspect.PendingTimer) *controlv1.Timer {
	shown := &controlv1.Timer{Due: stamp(t.Due), Kind: t.Kind.String(), CanisterId: t.Canister.String(), SubnetId: t.Subnet.String(), Number: t.Number}
	if t.Request != (replica.RequestID{}) {
		shown.RequestId = t.Request[:]
	}
	return shown
}
