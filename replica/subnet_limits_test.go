package replica

import (
	"io"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/faults"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// inhabited is a subnet with a canister that has code.
func inhabited(t *testing.T) (*subnet, *state.Entry) {
	t.Helper()
	m := unlimited(t, SubnetConfig{Nodes: 1}).subnets[0]
	r, reject := m.Create(nil, canister.DefaultSettings(), cycles.Of(1_000_000_000_000))
	if reject != nil {
		t.Fatal(reject)
	}
	return m, r
}

func TestMessagesWithGuaranteedResponseTake15GiB(t *testing.T) {
	m, r := inhabited(t)
	q := intercanister.Request{Sender: r.ID(), Receiver: r.ID(), Call: 1, Payload: make([]byte, 3<<20)}
	m.Shared.Guaranteed = 15<<30 - q.Memory() + 1
	if m.induct(r, &q); r.Mailbox.Len() != 0 {
		t.Error("a request was taken for which a byte is missing")
	}
	m.Shared.Guaranteed--
	if m.induct(r, &q); r.Mailbox.Len() != 1 {
		t.Error("a request was not taken for which there is room")
	}
}

func TestBestEffortMessagesTake5GiBAtTheEndOfARound(t *testing.T) {
	m, r := inhabited(t)
	q := intercanister.Request{Sender: r.ID(), Receiver: r.ID(), Call: 1, Deadline: 100, Payload: make([]byte, 3<<20)}
	m.induct(r, &q)
	m.Messages.BestEffort = 5 << 30
	if m.shed(); r.Mailbox.Len() != 1 {
		t.Error("a request was dropped for which there is room")
	}
	m.Messages.BestEffort++
	if m.shed(); r.Mailbox.Len() != 0 {
		t.Error("a request was not dropped for which a byte is missing")
	}
}

func TestHeldMessagesCarryOneGiB(t *testing.T) {
	m, _ := inhabited(t)
	rules := &m.net.rules
	rules.List = []RuleState{{ID: 1, Rule: Rule{Match: Match{Kind: KindIngress}, Action: Action{Kind: ActHold}}}}
	rules.Bytes = 1<<30 - 10
	if d := m.faults.Receive(&state.Ingress{Arg: make([]byte, 11)}, false); d.Kind != faults.Pass || rules.Held != 0 {
		t.Error("a message is held for which a byte is missing")
	}
	if d := m.faults.Receive(&state.Ingress{Arg: make([]byte, 10)}, false); d.Kind != faults.Hold || rules.Held != 1 || rules.Bytes != 1<<30 {
		t.Error("a message is not held for which there is room")
	}
}

func TestASubnetWithoutRulesAsksForNoDecision(t *testing.T) {
	m, _ := inhabited(t)
	if !m.faults.Idle() {
		t.Error("there is nothing to decide")
	}
	added := m.net.Apply(&AddRule{Rule: Rule{Match: Match{Kind: KindIngress}, Action: Action{Kind: ActHold}}})
	if m.faults.Idle() {
		t.Error("there is a rule")
	}
	m.faults.Receive(new(state.Ingress), false)
	m.net.Apply(RemoveRule{ID: added.Rule})
	if m.faults.Idle() {
		t.Error("a message is held")
	}
}

func TestASubnetHosts250000Canisters(t *testing.T) {
	m, r := inhabited(t)
	for n := range uint64(249_998) {
		m.Add(canister.New(principal.Canister(n), 0, *r.Canister.Settings))
	}
	create := func() *intercanister.Reject {
		_, reject := m.Create(nil, *r.Canister.Settings, cycles.Amount{})
		return reject
	}
	if reject := create(); reject != nil {
		t.Errorf("the last canister: %s", reject)
	}
	if reject := create(); reject == nil || reject.Error != intercanister.MaxNumberOfCanistersReached || !strings.Contains(reject.Text, "limit of 250000 canisters") {
		t.Errorf("one canister more: %v", reject)
	}
}

func TestOfPreparedModulesASubnetRemembers4096(t *testing.T) {
	m, _ := inhabited(t)
	for n, want := range map[int]int{4_096: 4_096, 4_097: 1} {
		clear(m.Prepared)
		for i := range n {
			m.net.Apply(&ModulePrepared{Subnet: m.ID, Hash: requestOf(uint64(i))})
		}
		if len(m.Prepared) != want {
			t.Errorf("of %d modules %d are remembered, want %d", n, len(m.Prepared), want)
		}
	}
}

func TestTheKeysOf256SubnetsAreKept(t *testing.T) {
	var k Keys
	for i := range 257 {
		if k.nodesOf(nodeSource{number: i}); len(k.nodes) != i+1 && i < 256 || i == 256 && len(k.nodes) != 1 {
			t.Fatalf("of %d subnets the keys of %d are kept", i+1, len(k.nodes))
		}
	}
}

func TestASubnetOf1000NodesIsExported(t *testing.T) {
	for nodes, failed := range map[int]bool{1_000: false, 1_001: true} {
		c := archive.NewWriter(io.Discard)
		config := SubnetConfig{Nodes: nodes}
		if config.archive(c); c.Failed() != failed {
			t.Errorf("a subnet of %d nodes: %v", nodes, c.Err())
		}
	}
}

// lentRecords is a journal that notes the last record, whose bytes are the network's.
type lentRecords []byte

func (r *lentRecords) Record(record []byte, _ bool) { *r = record }

func TestRoomOf64KiBIsKeptForTheNextRecord(t *testing.T) {
	for size, kept := range map[int]bool{65_536: true, 65_537: false} {
		var last lentRecords
		j := newJournalling(&last, 0)
		room := make([]byte, size)
		j.buf = room
		j.put(record{kind: userMarked, name: "a"})
		j.put(record{kind: userMarked, name: "a"})
		if got := &last[0] == &room[0]; got != kept {
			t.Errorf("the second record is in a room of %d bytes: %t, want %t", size, got, kept)
		}
	}
}
