package replica_test

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// apart has two subnets: a call between them takes several rounds.
var apart = []replica.SubnetConfig{{Nodes: 13}, {Nodes: 13}}

// tills makes a network with a till and its bank, which are components, on two subnets.
func tills(t *testing.T, config replica.Config) *real.Stage {
	t.Helper()
	module, err := os.ReadFile("../canister/internal/components/testdata/till.wasm")
	if err != nil {
		t.Fatal(err)
	}
	s := real.NewStage(t, config)
	for subnet, name := range []string{"till", "bank"} {
		s.Create(name, subnet, real.Plenty)
		if refused := s.Apply(replica.SetFeatures{Canister: s.ID(name), Features: canister.FeatureComponents}).Refusal; refused != nil {
			t.Fatal(refused)
		}
		if a := s.Install(name, real.Install, module, nil); a.Status != "replied" {
			t.Fatal(a)
		}
	}
	arg, err := candid.Marshal(s.ID("bank"), true)
	if err != nil {
		t.Fatal(err)
	}
	if a := s.Call("till", "open", arg); a.Status != "replied" {
		t.Fatal(a)
	}
	return s
}

// amount is an argument of take, and balance reads a reply of balance.
func amount(n uint64) []byte {
	return binary.LittleEndian.AppendUint64([]byte("DIDL\x00\x01\x78"), n)
}

func balance(t testing.TB, s *real.Stage) uint64 {
	t.Helper()
	r := s.Query("bank", "balance", []byte("DIDL\x00\x00"))
	if r.Reject != nil || len(r.Reply) != 15 {
		t.Fatalf("the bank replies %x, %v", r.Reply, r.Reject)
	}
	return binary.LittleEndian.Uint64(r.Reply[7:])
}

// TestTasksOfComponentsGoOnInForksAndImportsWhileTheyWait copies the network after every round of two calls that wait.
func TestTasksOfComponentsGoOnInForksAndImportsWhileTheyWait(t *testing.T) {
	s := tills(t, replica.Config{Subnets: apart})
	for n := range uint64(2) {
		if _, refused := s.Submit("till", "take", amount(n+3)); refused != "" {
			t.Fatal(refused)
		}
	}
	rounds := 0
	for ; balance(t, s) < 7; rounds++ {
		for i, x := range []*real.Stage{s.Fork(replica.ForkConfig{}), imported(t, s)} {
			settle(t, x)
			if got := balance(t, x); got != 7 {
				t.Errorf("after %d rounds, the bank in copy %d has %d, want 7", rounds, i, got)
			}
		}
		s.Round()
	}
	if rounds < 3 {
		t.Errorf("it took %d rounds: the calls did not wait", rounds)
	}
}

func TestAJournalWithComponentsReplaysToTheSameState(t *testing.T) {
	p := new(tape)
	config := replica.Config{Engine: canistertest.NewEngine(t), Journal: p, Start: replicatest.Start, Subnets: apart}
	s := tills(t, config)
	p.mark(t, s.Network)
	for n := range uint64(5) {
		if _, refused := s.Submit("till", "take", amount(n)); refused != "" {
			t.Fatal(refused)
		}
		s.Round()
		p.mark(t, s.Network)
		if n == 2 {
			p.keep(t, s.Network)
		}
	}
	settle(t, s)
	p.mark(t, s.Network)
	if got := balance(t, s); got != 10 {
		t.Errorf("the bank has %d, want 10", got)
	}
	config.Journal = nil
	n, err := replica.New(config)
	if err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, 0)
	if n, err = replica.Import(&p.checkpoint, config); err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, p.from)
}
