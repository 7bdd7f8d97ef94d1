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

// parked is the tree of a message that was parked at 5 ms until a time in nanoseconds; 0 is its turn.
func parked(until uint64) *trace.Tree {
	a, id := principal.Canister(1), replica.RequestID{1}
	user := replica.Origin{Kind: intercanister.FromIngress, Caller: principal.Anonymous}
	return trace.Build(trace.Root{Request: id}, []replica.Event{
		{Kind: replica.IngressReceived, Canister: a, Request: id, Method: "m", Origin: user},
		{Kind: replica.MessageParked, Canister: a, Request: id, Method: "m", Context: 1, Source: intercanister.SourceIngress, Entry: canister.Update, Origin: user, Time: 5_000_000, Deadline: until},
	})
}

func TestATraceTellsForHowLongAMessageWaits(t *testing.T) {
	for until, want := range map[uint64][2]string{
		0:          {"a message is paused in the middle of its code", "update, paused\n"},
		12_000_000: {"a message waits for 7 ms", "update, waits for 7 ms\n"},
	} {
		tree := parked(until)
		for i, form := range []string{trace.Text(tree, nil), trace.Mermaid(tree, nil)} {
			if !strings.Contains(form, want[i]) {
				t.Errorf("%q is missing in\n%s", want[i], form)
			}
		}
	}
}
