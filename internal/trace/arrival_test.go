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

const (
	second      = 1_000_000_000
	millisecond = 1_000_000
)

// arrived are the events of a message that arrives when the last round was 7 seconds ago, and those between its arrival
// and its execution.
func arrived(between ...replica.Event) []replica.Event {
	a, id := principal.Canister(1), replica.RequestID{1}
	user := replica.Origin{Kind: intercanister.FromIngress, Caller: principal.Anonymous}
	all := []replica.Event{{Kind: replica.IngressReceived, Canister: a, Request: id, Method: "m", Origin: user, Height: 1, Time: second}}
	all = append(all, between...)
	ran := replica.Event{
		Kind: replica.MessageExecuted, Canister: a, Request: id, Method: "m", Context: 1, Source: intercanister.SourceIngress,
		Entry: canister.Update, Origin: user, Height: 3, Time: 8*second + 21*millisecond, Wall: 412_000,
	}
	answered := replica.Event{Kind: replica.IngressAnswered, Canister: a, Request: id, Method: "m", Context: 1, Origin: user, Height: 3, Time: ran.Time, Bytes: 1}
	return append(all, ran, answered)
}

func TestTheTimeOfACallCountsFromItsArrivalAndNotFromTheRoundBefore(t *testing.T) {
	held := replica.Event{Kind: replica.MessageHeld, Canister: principal.Canister(1), Request: replica.RequestID{1}, Held: 1, Height: 1, Time: second}
	other := replica.Event{Kind: replica.RoundEnded, Height: 2, Time: 8 * second}
	for _, c := range []struct {
		want    string
		between []replica.Event
	}{
		{"replied 1 byte  ", nil},
		{"replied 1 byte (0.021 s of network time)  ", []replica.Event{other}},
		{"replied 1 byte (0.021 s of network time)  ", []replica.Event{held, other}},
	} {
		text := trace.Text(trace.Build(trace.Root{Request: replica.RequestID{1}}, arrived(c.between...)), nil)
		if !strings.Contains(text, c.want) || !strings.Contains(text, "  412 µs of wall time\n") {
			t.Errorf("%q and 412 µs of wall time are missing in\n%s", c.want, text)
		}
	}
}
