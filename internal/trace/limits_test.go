package trace_test

import (
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/trace"
	"github.com/canisterd/canisterd/replica"
)

// logging is the diagram of a message that logs lines of 34 characters and a last one. Its sender
// has a long name.
func logging(lines, last int) string {
	a, id := principal.Canister(1), replica.RequestID{1}
	user := replica.Origin{Kind: intercanister.FromIngress, Caller: principal.Anonymous}
	events := []replica.Event{
		{Kind: replica.IngressReceived, Canister: a, Request: id, Method: "m", Origin: user},
		{Kind: replica.MessageExecuted, Canister: a, Request: id, Method: "m", Context: 1, Source: intercanister.SourceIngress, Entry: canister.Update, Origin: user},
	}
	for n := range lines + 1 {
		length := 34
		if n == lines {
			length = last
		}
		events = append(events, replica.Event{Kind: replica.Logged, Canister: a, Request: id, Context: 1, Text: strings.Repeat("x", length)})
	}
	long := map[principal.Principal]string{principal.Anonymous: strings.Repeat("\U000e0001", 240)}
	return trace.Mermaid(trace.Build(trace.Root{Request: id}, events), func(id principal.Principal) string { return long[id] })
}

func TestADiagramHas49000BytesOfActorsAndLines(t *testing.T) {
	const all = len("sequenceDiagram\n") + 49_000
	least := len(logging(0, 1))
	line := len(logging(1, 1)) - least
	lines, last := (all-least)/line, 1+(all-least)%line
	if full := logging(lines, last); len(full) != all || strings.Contains(full, "left out") {
		t.Errorf("a diagram has %d bytes and ends with %q", len(full), full[len(full)-60:])
	}
	if cut := logging(lines, last+1); !strings.HasSuffix(cut, "\n    Note left of p0: 1 more are left out\n") {
		t.Errorf("a diagram for which a byte is missing ends with %q", cut[len(cut)-60:])
	}
	if cut := logging(2_000, 1); len(cut) > 50_000 {
		t.Errorf("a diagram of 2,000 lines has %d bytes, more than Mermaid draws", len(cut))
	}
}

func TestALineOfADiagramHas64Characters(t *testing.T) {
	for length, want := range map[int]string{
		59: "log: " + strings.Repeat("x", 59) + "\n",
		60: "log: " + strings.Repeat("x", 59) + "<br/>x\n",
	} {
		if diagram := logging(0, length); !strings.HasSuffix(diagram, want) {
			t.Errorf("a line of %d characters ends with %q, want %q", length+5, diagram[len(diagram)-80:], want)
		}
	}
}
