package otlp

import (
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// assembled are the spans of some events, a nanosecond after each other.
func assembled(events ...replica.Event) (spans []*tracepb.Span) {
	a := newAssembler("test", func(span *tracepb.Span) { spans = append(spans, span) })
	for i, e := range events {
		a.take(&driver.Recorded{Sequence: uint64(i + 1), At: int64(i + 1), Event: e})
	}
	return spans
}

var (
	subnet = principal.Canister(100)
	one    = principal.Canister(1)
	two    = principal.Canister(2)
)

// runs is a task of the first canister in a context.
func runs(task intercanister.Task, context intercanister.ContextID) replica.Event {
	return replica.Event{
		Kind: replica.MessageExecuted, Subnet: subnet, Canister: one, Context: context, Source: intercanister.SourceTasks, Task: task,
		Origin: replica.Origin{Kind: intercanister.FromSystem}, Instructions: 5,
	}
}

// calls are a call of the second canister by a context, and its settlement.
func calls(context intercanister.ContextID, call intercanister.CallID) (made, settled replica.Event) {
	made = replica.Event{Kind: replica.CallRegistered, Subnet: subnet, Canister: one, Peer: two, Context: context, Call: call, Method: "m"}
	settled = made
	settled.Kind = replica.CallSettled
	return made, settled
}

// names are the names of spans.
func names(spans []*tracepb.Span) string {
	all := make([]string, len(spans))
	for i, span := range spans {
		all[i] = span.GetName()
	}
	return strings.Join(all, ", ")
}

func TestATaskIsTheRootOfATraceUnlessItIsAnIdleHeartbeat(t *testing.T) {
	round := replica.Event{Kind: replica.RoundEnded}
	if got := names(assembled(runs(intercanister.GlobalTimer, 1), round)); got != intercanister.GlobalTimer.String() {
		t.Errorf("a timer has the spans %s", got)
	}
	if got := assembled(runs(intercanister.Heartbeat, 1), round); len(got) != 0 {
		t.Errorf("a heartbeat has the spans %s", names(got))
	}
	trapped := runs(intercanister.Heartbeat, 1)
	trapped.Reject = &intercanister.Reject{Text: "boom"}
	if got := assembled(trapped, round); len(got) != 1 || got[0].GetStatus().GetMessage() != "boom" {
		t.Errorf("a heartbeat that trapped has the spans %v", got)
	}
	made, settled := calls(1, 7)
	callback := runs(0, 1)
	callback.Source, callback.Call = intercanister.SourceResponses, 7
	got := assembled(runs(intercanister.Heartbeat, 1), made, round, settled, callback, round)
	if names(got) != "m, "+intercanister.Heartbeat.String() {
		t.Fatalf("a heartbeat that calls has the spans %s", names(got))
	}
	if call, task := got[0], got[1]; string(call.GetParentSpanId()) != string(task.GetSpanId()) || task.GetEndTimeUnixNano() != 5 {
		t.Errorf("the call is %v, the task %v", call, task)
	}
}

func TestACallWhoseBeginningIsNotRecordedIsARoot(t *testing.T) {
	made, settled := calls(3, 9)
	got := assembled(made, settled, settled)
	if len(got) != 1 || len(got[0].GetParentSpanId()) != 0 || len(got[0].GetTraceId()) != 16 || string(got[0].GetTraceId()) == string(make([]byte, 16)) {
		t.Errorf("it has the spans %v", got)
	}
}

func TestSpansAreBounded(t *testing.T) {
	request := replica.RequestID{1}
	events := []replica.Event{{Kind: replica.IngressReceived, Subnet: subnet, Canister: one, Request: request, Method: strings.Repeat("é", 4096)}}
	for range 128 + 3 {
		events = append(events, replica.Event{Kind: replica.Logged, Subnet: subnet, Canister: one, Request: request, Origin: replica.Origin{Kind: intercanister.FromIngress}, Text: "line\xff"})
	}
	got := assembled(append(events, replica.Event{Kind: replica.IngressAnswered, Request: request})...)
	if len(got) != 1 || len(got[0].GetEvents()) != 128 || got[0].GetDroppedEventsCount() != 3 || len(got[0].GetName()) > 4096+8 || len(got[0].GetName()) < 4096 {
		t.Fatalf("it has the spans %s with %d events", names(got), len(got[0].GetEvents()))
	}
	a := newAssembler("test", func(*tracepb.Span) {})
	for i := range 16_384 + 10 {
		made, _ := calls(1, intercanister.CallID(i+1))
		a.take(&driver.Recorded{Event: made})
	}
	if len(a.known) != 16_384 || len(a.order) != 16_384 {
		t.Errorf("%d calls are remembered, in an order of %d", len(a.known), len(a.order))
	}
}

func TestSpansWithoutRoomAreDroppedAndCounted(t *testing.T) {
	x := &Exporter{queue: make(chan queued, 2)} // which nothing empties
	for range 5 {
		x.add("lab", new(tracepb.Span))
	}
	if got := x.Counts(); got.Dropped != 3 || got.Queued != 2 {
		t.Errorf("the counts are %+v", got)
	}
}

func TestATrapHasTheSourceLinesOfItsFunctions(t *testing.T) {
	e := runs(intercanister.Heartbeat, 1)
	e.Kind, e.Text = replica.Trapped, "bank::pay\ncanister_heartbeat"
	e.Lines = []canister.SourceLine{{File: "src/pay.rs", Number: 12}, {}}
	for _, a := range attributes(&e) {
		if a.GetKey() == "exception.stacktrace" {
			if got := a.GetValue().GetStringValue(); got != "bank::pay (src/pay.rs:12)\ncanister_heartbeat" {
				t.Errorf("the functions of the trap are %q", got)
			}
			return
		}
	}
	t.Error("the event of a trap has no exception.stacktrace")
}
