package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/replica"
)

// deep are the events of calls within one another, each of the canister before.
func deep(calls int) []replica.Event {
	id := replica.RequestID{1}
	events := []replica.Event{
		{Kind: replica.IngressReceived, Canister: principal.Canister(0), Request: id, Method: "m"},
		{Kind: replica.MessageExecuted, Canister: principal.Canister(0), Request: id, Context: 1, Source: intercanister.SourceIngress, Entry: canister.Update},
	}
	for i := range calls {
		from, to, call := principal.Canister(uint64(i)), principal.Canister(uint64(i+1)), intercanister.CallID(i+1)
		events = append(
			events,
			replica.Event{Kind: replica.CallRegistered, Canister: from, Peer: to, Context: intercanister.ContextID(i + 1), Call: call, Method: "m"},
			replica.Event{
				Kind: replica.MessageExecuted, Canister: to, Peer: from, Context: intercanister.ContextID(i + 2), Call: call,
				Source: intercanister.SourceRequests, Entry: canister.Update, Origin: replica.Origin{Kind: intercanister.FromCanister, Caller: from, Call: call},
			},
		)
	}
	return events
}

func TestADeepTreeIsShownInAsMuchTextAsItHasCalls(t *testing.T) {
	const calls = 8000
	tree := trace.Build(trace.Root{Request: replica.RequestID{1}}, deep(calls))
	text := trace.Text(tree, nil)
	if !strings.Contains(text, "calls that lie too deep: 7_936\n") || strings.Count(text, "call #") != 64 {
		t.Errorf("of %d calls %d are shown", calls, strings.Count(text, "call #"))
	}
	diagram := trace.Mermaid(tree, nil)
	if !strings.HasSuffix(diagram, " more are left out\n") || len(diagram) < 48_500 || len(diagram) > 49_100 {
		t.Errorf("a diagram of %d bytes ends with %q", len(diagram), diagram[len(diagram)-60:])
	}
	for n := range strings.Count(diagram, "participant") {
		if !strings.Contains(diagram, fmt.Sprintf("p%d: ", n)) {
			t.Errorf("p%d is declared and does nothing", n)
		}
	}
	encoded, err := trace.TraceEvents(tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	for form, size := range map[string]int{"text": len(text), "JSON": len(encoded)} {
		if size > calls*1200 {
			t.Errorf("%d calls take %d bytes of %s", calls, size, form)
		}
	}
}

func TestADiagramDeclaresEachActorOnce(t *testing.T) {
	a, b := principal.Canister(1), principal.Canister(2)
	task, user := replica.Origin{Kind: intercanister.FromSystem}, replica.Origin{Kind: intercanister.FromIngress, Caller: principal.Anonymous}
	for first, events := range map[string][]replica.Event{
		"an arrow": {
			{Kind: replica.MessageExecuted, Canister: a, Context: 1, Source: intercanister.SourceTasks, Task: intercanister.Heartbeat, Origin: task},
			{Kind: replica.CallRegistered, Canister: a, Peer: b, Context: 1, Call: 1, Method: "m"},
		},
		"a note": {{Kind: replica.MessageExecuted, Canister: b, Context: 1, Source: intercanister.SourceIngress, Origin: user}},
	} {
		diagram := trace.Mermaid(trace.Build(trace.Root{Context: 1}, events), nil)
		for n := range 2 {
			if got := strings.Count(diagram, fmt.Sprintf(" p%d as ", n)); got != 1 {
				t.Errorf("where p1 comes in %s first p%d is declared %d times:\n%s", first, n, got, diagram)
			}
		}
	}
}
