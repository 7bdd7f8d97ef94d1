package replica

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// unlimited is a network of subnets whose configuration names no limit.
func unlimited(t *testing.T, subnets ...SubnetConfig) *Network {
	t.Helper()
	n, err := New(Config{Start: 1, Subnets: subnets})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

func TestARoundHasNoMoreBatchesWhenItsWorkIsDone(t *testing.T) {
	m := unlimited(t, SubnetConfig{Nodes: 1}).subnets[0]
	for _, c := range []struct {
		instructions    uint64
		messages, pages int
		more            bool
	}{{49_999_999, 1_999, 4_095, true}, {50_000_000, 0, 0, false}, {0, 2_000, 0, false}, {0, 0, 4_096, false}} {
		m.RoundInstructions, m.executed, m.dirtied = c.instructions, c.messages, c.pages
		if m.within() != c.more {
			t.Errorf("after %d instructions and %d messages that changed %d pages there is room for another batch: %t", c.instructions, c.messages, c.pages, !c.more)
		}
	}
}

func TestTheCallbacksOfASubnetAreSharedAndEachCanisterHas50(t *testing.T) {
	m := unlimited(t, SubnetConfig{Nodes: 1}).subnets[0]
	for _, c := range []struct{ all, own, left int }{{0, 0, 1_000_000}, {999_999, 50, 1}, {1_000_000, 50, 0}, {1_000_000, 49, 1}} {
		r := new(state.Entry)
		m.Shared.Futures, r.Mailbox.Calls = c.all, uint32(c.own)
		if left := m.callbacks(r); left != c.left {
			t.Errorf("of %d calls %d are the canister's: it may make %d more, want %d", c.all, c.own, left, c.left)
		}
	}
}

func TestAStreamTakesSoManyMessagesAndBytes(t *testing.T) {
	n := unlimited(t, SubnetConfig{Kind: NNS, Nodes: 1}, SubnetConfig{Nodes: 1})
	system, m := n.subnets[0], n.subnets[1]
	refund := state.StreamMessage{Owner: principal.Canister(1)}
	response := state.StreamMessage{Owner: principal.Canister(1), Call: 1}
	request := func(bytes int) state.StreamMessage {
		return state.StreamMessage{Request: &intercanister.Request{Payload: make([]byte, bytes-intercanister.RequestOverhead)}}
	}
	small := request(1000)
	for name, c := range map[string]struct {
		to    *subnet
		queue []state.StreamMessage
		room  int
	}{
		"10,000 messages":                   {m, slices.Repeat([]state.StreamMessage{response}, 10_001), 10_000},
		"messages after 10 MiB less one":    {m, append([]state.StreamMessage{request(10<<20 - 1)}, small, small), 2},
		"messages after 10 MiB":             {m, append([]state.StreamMessage{request(10 << 20)}, small, small), 1},
		"200 messages to a system subnet":   {system, slices.Repeat([]state.StreamMessage{response}, 201), 200},
		"10,000 refunds to a system subnet": {system, slices.Repeat([]state.StreamMessage{refund}, 10_001), 10_000},
	} {
		if room := system.room(c.to, c.queue); room != c.room {
			t.Errorf("%s: %d of %d messages have room, want %d", name, room, len(c.queue), c.room)
		}
	}
}

func TestARequestWaitsFiveMinutesForRoomInAStream(t *testing.T) {
	n := unlimited(t, SubnetConfig{Kind: NNS, Nodes: 1}, SubnetConfig{Nodes: 1})
	m := n.subnets[0]
	m.Time = 7_900_000_000
	m.Enqueue(1, state.StreamMessage{Request: &intercanister.Request{Sender: principal.Canister(1)}})
	for _, c := range []struct {
		time  uint64
		waits int
	}{{307_999_999_999, 1}, {308_000_000_000, 0}} {
		m.Time = c.time
		if m.expireOutput(); len(m.Output[1]) != c.waits || m.Unsent != c.waits {
			t.Errorf("at %d ns %d requests wait that came at 7,900,000,000 ns, want %d", c.time, len(m.Output[1]), c.waits)
		}
	}
}
