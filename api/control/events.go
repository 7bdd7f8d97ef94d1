package control

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/canisterd/canisterd/internal/trace"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// events is the service Events.
type events struct {
	controlv1.UnimplementedEventsServer
	*Server
}

// Reasons of the service Events.
var (
	// eventsForgotten takes the numbers of the requested event and of the oldest one.
	eventsForgotten = reason("EVENTS_FORGOTTEN", codes.OutOfRange,
		"event %d has been discarded; the oldest available event is %d: watch from the beginning, and read faster or with a narrower filter", "wanted", "first")
	// otherGeneration takes what belongs to another one, and what to do.
	otherGeneration = reason("OTHER_INCARNATION", codes.FailedPrecondition,
		"%s is of another generation of the instance, or of another instance: %s")
	// eventNotYet takes the number of the requested event.
	eventNotYet = reason("EVENT_NOT_YET", codes.FailedPrecondition, "event %d does not exist yet: use a token of this instance", "wanted")
)

// tokenPause is how long a watcher receives nothing before it gets a newer token. Ours.
const tokenPause = 10 * time.Second

// eventsInARow is how many events a watcher sends before other goroutines run: some 100 µs. Ours.
const eventsInARow = 64

// Watch streams events.
func (s *events) Watch(in *controlv1.WatchRequest, stream grpc.ServerStreamingServer[controlv1.WatchResponse]) error {
	ctx, cancel := s.until(stream.Context())
	defer cancel()
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return err
	}
	from, err := readFrom(in)
	if err != nil {
		return err
	}
	filter, err := readFilter(in.GetFilter())
	if err != nil {
		return err
	}
	reader, err := i.Driver().Events(ctx, from, filter)
	if err != nil {
		return misplaced(err)
	}
	defer reader.Close()
	sent := reader.Token()
	if err := stream.Send(&controlv1.WatchResponse{ResumeToken: sent.String()}); err != nil {
		return err
	}
	sentInARow := 0
	for {
		e, err := nextOf(ctx, reader)
		silent := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
		switch {
		case silent && reader.Token() == sent:
			continue
		case err != nil && !silent:
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return misplaced(err)
		}
		sent = reader.Token()
		out := &controlv1.WatchResponse{ResumeToken: sent.String()}
		if !silent {
			if out.Event, err = s.shown(ctx, &e); err != nil {
				return err
			}
		}
		if err := stream.Send(out); err != nil {
			return err
		}
		// Busy streams would each run for 10 ms before another goroutine does. A stream that yields after each event sends it
		// by itself.
		if sentInARow++; sentInARow == eventsInARow {
			runtime.Gosched()
			sentInARow = 0
		}
	}
}

// nextOf waits a limited time for an event.
func nextOf(ctx context.Context, reader *driver.Stream) (driver.Recorded, error) {
	e, ok, err := reader.Recorded()
	if ok || err != nil {
		return e, err
	}
	ctx, cancel := context.WithTimeout(ctx, tokenPause)
	defer cancel()
	return reader.Next(ctx)
}

// misplaced returns the refusal for a stream that cannot continue from its place.
func misplaced(err error) error {
	place, ok := errors.AsType[*driver.PlaceError](err)
	switch {
	case !ok:
		return err
	case errors.Is(err, driver.ErrOtherGeneration):
		return otherGeneration.Refuse("the token", "watch without a token, or from the beginning")
	case errors.Is(err, driver.ErrNotYet):
		return eventNotYet.Refuse(place.Wanted)
	}
	return eventsForgotten.Refuse(place.Wanted, place.First)
}

func readFrom(in *controlv1.WatchRequest) (from driver.From, err error) {
	if in.GetResumeToken() == "" {
		return driver.From{Beginning: in.GetFromBeginning()}, nil
	}
	token, err := driver.ParseToken(in.GetResumeToken())
	if err != nil {
		return from, BadField.Refuse("resume_token", cut(in.GetResumeToken()), "expected a token that Watch has given, or empty")
	}
	return driver.From{After: &token}, nil
}

// maxFiltered is the most kinds or canisters that a filter may name. Ours.
const maxFiltered = 1000

func readFilter(in *controlv1.EventFilter) (f driver.Filter, err error) {
	if len(in.GetKinds()) > maxFiltered || len(in.GetCanisterIds()) > maxFiltered {
		return f, BadField.Refuse("filter", max(len(in.GetKinds()), len(in.GetCanisterIds())), "it names at most 1,000 kinds and canisters")
	}
	f.Failures = in.GetOnlyFailures()
	for _, kind := range in.GetKinds() {
		known, ok := eventKindOf(kind)
		if !ok {
			return f, BadField.Refuse("filter.kinds", kind, "expected one of EventKind")
		}
		f.Kinds = append(f.Kinds, known)
	}
	for _, text := range in.GetCanisterIds() {
		id, err := readPrincipal("filter.canister_ids", text)
		if err != nil {
			return f, err
		}
		f.Canisters = append(f.Canisters, *id)
	}
	if len(in.GetRequestId()) > 0 {
		id, err := readRequestID("filter.request_id", in.GetRequestId())
		if err != nil {
			return f, err
		}
		f.Tree = &trace.Root{Request: id}
	}
	return f, nil
}

// eventKinds maps the kinds of events by their names, which are the same on both sides.
var eventKinds = func() map[replica.EventKind]controlv1.EventKind {
	kinds := make(map[replica.EventKind]controlv1.EventKind)
	for kind := range replica.Kinds() {
		name := "EVENT_KIND_" + strings.ToUpper(strings.ReplaceAll(kind.String(), " ", "_"))
		kinds[kind] = controlv1.EventKind(controlv1.EventKind_value[name])
	}
	return kinds
}()

func eventKindOf(shown controlv1.EventKind) (replica.EventKind, bool) {
	for kind, name := range eventKinds {
		if name == shown && shown != 0 {
			return kind, true
		}
	}
	return 0, false
}

// shown converts an event for clients, in one of the server's places. Otherwise fifty streams that replay events at
// once would all be ready to run, and every step of a small request would wait for a turn of each. The error is the
// cause of ctx's end.
func (s *events) shown(ctx context.Context, e *driver.Recorded) (*controlv1.Event, error) {
	select {
	case s.showing <- struct{}{}:
		defer func() { <-s.showing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return shownEvent(e.Sequence, &e.Event), nil
}

// shownEvent converts an event for clients.
func shownEvent(sequence uint64, e *replica.Event) *controlv1.Event {
	shown := &controlv1.Event{
		Kind: eventKinds[e.Kind], Sequence: sequence, Time: stamp(e.Time), Height: e.Height, Source: sources[e.Source], Method: e.Method,
		ContextId: uint64(e.Context), CallId: uint64(e.Call), Reentrant: e.Reentrant, Reject: shownReject(e.Reject), Instructions: e.Instructions,
		DirtyPages: uint64(e.DirtyPages), Number: e.Number, RuleId: e.Rule, HeldId: e.Held, Fault: e.Fault, CleanupRan: e.CleanupRan, NoTransform: e.NoTransform,
		OriginCall: uint64(e.Origin.Call), Bytes: uint64(e.Bytes), Deadline: moment(e.Deadline), HeapBytes: e.Heap, StableBytes: e.Stable,
		BeganHeight: e.Began.Height, BeganTime: moment(e.Began.Time), Logs: uint32(e.Logs),
	}
	if !e.Cycles.IsZero() {
		shown.Cycles = e.Cycles.String()
	}
	if e.Wall != 0 {
		shown.WallTime = durationpb.New(time.Duration(e.Wall))
	}
	if e.Request != (replica.RequestID{}) {
		shown.RequestId = e.Request[:]
	}
	if e.Kind == replica.Logged {
		shown.Log = []byte(e.Text)
	} else {
		shown.Text = strings.ToValidUTF8(e.Text, "\uFFFD")
	}
	placeEvent(shown, e)
	return shown
}

// placeEvent sets where an event happened and who took part in it.
func placeEvent(shown *controlv1.Event, e *replica.Event) {
	for name, value := range e.Fields() {
		text, ok := value.(string)
		if !ok {
			continue
		}
		switch name {
		case "subnet":
			shown.SubnetId = text
		case "canister":
			shown.CanisterId = text
		case "peer":
			shown.Peer = text
		case "task":
			shown.Task = text
		case "entry":
			shown.Entry = text
		case "origin":
			shown.Origin = text
		case "origin_caller":
			shown.OriginCaller = text
		}
	}
	for i := range e.Callers {
		c := &e.Callers[i]
		shown.Backtrace = append(shown.Backtrace, frameOf(&replica.Frame{Canister: c.Canister, Function: c.Method, Module: c.Module, Context: c.Context}))
	}
}
