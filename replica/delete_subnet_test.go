package replica_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// three is a network with canisters A, B and C, each on a subnet of its own.
func three(t *testing.T, journal replica.Journal) *real.Stage {
	s := real.NewStage(t, replica.Config{Subnets: make([]replica.SubnetConfig, 3), Journal: journal})
	s.Create("first", 0, real.Plenty) // has the id that stands for the network
	for i, name := range []string{"A", "B", "C"} {
		s.Create(name, i, real.Plenty)
		s.Install(name, real.Install, canistertest.Scriptable(), nil)
	}
	return s
}

// deleteSubnet deletes the subnet at a position, and ends a round.
func deleteSubnet(t *testing.T, s *real.Stage, position int) {
	t.Helper()
	if r := s.Apply(replica.DeleteSubnet{Subnet: s.View().Subnets[position].ID}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	s.Round()
}

func TestANetworkWithoutADeletedSubnetIsTheSameFromItsJournalItsFileAndItsFork(t *testing.T) {
	p := new(tape)
	s := three(t, p)
	config := replica.Config{Engine: s.Engine(), Start: replicatest.Start, Subnets: make([]replica.SubnetConfig, 3)}
	before := s.Fork(replica.ForkConfig{})
	s.Submit("A", "run", compiled(t, s, `call B.run(spin 50_000_000; reply "never") on-reject(reply reject-code)`))
	s.Submit("B", "run", compiled(t, s, `call C.run(spin 50_000_000; reply "late") on-reply(reply "never")`))
	for range 3 {
		s.Round()
	}
	p.mark(t, s.Network)
	deleteSubnet(t, s, 1)
	p.mark(t, s.Network)
	p.keep(t, s.Network)
	fork := s.Fork(replica.ForkConfig{})
	for _, stage := range []*real.Stage{s, fork} {
		if got := stage.Call("A", "run", compiled(t, stage, `call C.run(reply "here") on-reply(reply arg)`)); string(got.Reply) != "here" {
			t.Errorf("a call between the subnets that are left: %s", got)
		}
	}
	p.mark(t, s.Network)
	if s.RootHash() != fork.RootHash() {
		t.Error("the fork does something else")
	}
	n, err := replica.Import(bytes.NewReader(p.checkpoint.Bytes()), config)
	if err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, p.from)
	if n, err = replica.New(config); err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, 0)
	if got := before.Call("A", "run", compiled(t, before, `call B.run(reply "there") on-reply(reply arg)`)); string(got.Reply) != "there" {
		t.Errorf("an earlier fork has lost the subnet: %s", got)
	}
}

func TestADeletedSubnetIsInNoViewAndItsCanisterIdsAreNeverGivenAgain(t *testing.T) {
	s := three(t, nil)
	b, kept, gone := s.ID("B"), s.View().Subnets[2], s.View().Subnets[1]
	id, _ := s.Submit("B", "run", compiled(t, s, `reply "x"`))
	s.Round()
	deleteSubnet(t, s, 1)
	view := s.View()
	if len(view.Subnets) != 2 || view.Subnet(gone.ID) != nil || view.SubnetOf(b) != nil || view.SubnetOf(s.ID("C")) != &view.Subnets[1] {
		t.Fatalf("%d subnets, and B is on %+v", len(view.Subnets), view.SubnetOf(b))
	}
	if got := view.Subnets[1]; got.ID != kept.ID || !bytes.Equal(got.PublicKey, kept.PublicKey) || got.Nodes[0].Principal() != kept.Nodes[0].Principal() {
		t.Error("another subnet has changed its keys")
	}
	if _, _, _, known := view.Request(gone.ID, id); known || view.Module(b) != nil || s.IngressStatus(gone.ID, id) != 0 {
		t.Error("a message of the deleted subnet, or its canister, is still known")
	}
	for i := range view.Subnets {
		tree := view.Subnets[i].Certified().Tree()
		if _, found := tree.Get(certify.SubnetPath(gone.ID, "public_key")...); found {
			t.Errorf("the tree of subnet %d shows the deleted one", i)
		}
		if _, found := tree.Get("canister_ranges", certify.LabelOf(gone.ID)); found {
			t.Errorf("the tree of subnet %d shows the canister ranges of the deleted one", i)
		}
	}
	if r := s.Apply(&replica.AddSubnet{}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	s.Round()
	if added := s.View().Subnets[2]; added.ID == gone.ID || added.Ranges[0].Start.Compare(kept.Ranges[0].Start) == 0 || s.View().SubnetOf(b) != nil {
		t.Errorf("a subnet that was added has what was deleted: %+v", added.Ranges)
	}
	number, _ := b.CanisterNumber()
	r := s.Apply(&replica.AddSubnet{Config: replica.SubnetConfig{Ranges: []replica.Range{{First: number, Last: number}}}})
	if r.Refusal == nil || !strings.Contains(r.Refusal.Text, "belonged to a subnet that was deleted") {
		t.Errorf("canister ids of a deleted subnet are given again: %v", r.Refusal)
	}
	n := exchanged(t, s.Network.Fork(replica.ForkConfig{}), replica.Config{Engine: s.Engine()})
	defer n.Close()
	if r := n.Apply(&replica.AddSubnet{Config: replica.SubnetConfig{Ranges: []replica.Range{{First: number, Last: number}}}}); r.Refusal == nil {
		t.Error("a network from a file gives canister ids of a deleted subnet again")
	}
}

func TestASubnetToWhichACanisterHasMovedTakesItAlong(t *testing.T) {
	s := three(t, nil)
	for _, move := range []struct {
		name string
		to   int
	}{{"A", 1}, {"B", 2}} {
		s.Manage(move.name, "stop_canister", s.About(move.name, ""))
		if r := s.Apply(replica.MigrateCanister{Canister: s.ID(move.name), Subnet: s.View().Subnets[move.to].ID}); r.Refusal != nil {
			t.Fatal(r.Refusal)
		}
		s.Round()
	}
	deleteSubnet(t, s, 1)
	if s.View().SubnetOf(s.ID("A")) != nil || s.View().SubnetOf(s.ID("B")) != &s.View().Subnets[1] {
		t.Error("a canister is not where it had moved to")
	}
	n := exchanged(t, s.Network.Fork(replica.ForkConfig{}), replica.Config{Engine: s.Engine()})
	defer n.Close()
	if n.Canister(s.ID("A")) != nil || n.Canister(s.ID("B")) == nil {
		t.Error("a network from a file has other canisters")
	}
}

func TestHeldMessagesOfADeletedSubnetAreGoneAndRequestsToItAreRejectedWhenReleased(t *testing.T) {
	s := three(t, nil)
	for _, callee := range []principal.Principal{s.ID("B"), s.ID("C")} {
		if r := s.Apply(&replica.AddRule{Rule: replica.Rule{Match: replica.Match{Callee: &callee}, Action: replica.Action{Kind: replica.ActHold}}}); r.Refusal != nil {
			t.Fatal(r.Refusal)
		}
	}
	asked, _ := s.Submit("A", "run", compiled(t, s, `call B.run(reply "never") cycles 5 on-reject(reply reject-code + refunded)`))
	s.Submit("B", "run", compiled(t, s, `call C.run(reply "never") on-reject(reply reject-code)`))
	s.Round()
	if held := s.Census().Held; held != 2 {
		t.Fatalf("%d messages are held", held)
	}
	deleteSubnet(t, s, 1)
	if held := s.Census().Held; held != 1 {
		t.Errorf("%d messages are held, want that of A alone", held)
	}
	n := exchanged(t, s.Network.Fork(replica.ForkConfig{}), replica.Config{Engine: s.Engine()}) // which counts held messages
	n.Close()
	if r := s.Apply(replica.RemoveRule{ID: 1, Release: true}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	if got := s.Await(asked); !strings.HasPrefix(string(got.Reply), "\x03\x00\x00\x00\x00\x00\x00\x00\x05") {
		t.Errorf("a held request to a deleted subnet: %s", got)
	}
	if count := s.Introspect().AuditCycles(); !balanced(&count) {
		t.Errorf("cycles are not accounted for: %+v", count)
	}
}

func TestSubnetsThatCannotBeDeletedAreRefusedWithAReason(t *testing.T) {
	s := real.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Kind: replica.NNS}, {Kind: replica.System}, {}, {Kind: replica.Fiduciary}, {Kind: replica.System}, {}}})
	view := s.View()
	for at, want := range []struct {
		kind refusal.Kind
		text string
	}{{refusal.Conflict, "root subnet"}, {refusal.Conflict, "threshold keys"}, {refusal.Conflict, "default effective canister id"}, {refusal.Conflict, "threshold keys"}, {}, {}} {
		fork := s.Fork(replica.ForkConfig{})
		before := fork.RootHash()
		r := fork.Apply(replica.DeleteSubnet{Subnet: view.Subnets[at].ID})
		switch {
		case want.text == "" && r.Refusal != nil:
			t.Errorf("subnet %d is not deleted: %v", at, r.Refusal)
		case want.text != "" && (r.Refusal == nil || r.Refusal.Kind != want.kind || !strings.Contains(r.Refusal.Text, want.text)):
			t.Errorf("subnet %d: %v, want %q", at, r.Refusal, want.text)
		case want.text != "" && fork.RootHash() != before:
			t.Errorf("subnet %d: the network changed", at)
		}
	}
	if r := s.Apply(replica.DeleteSubnet{Subnet: principal.Anonymous}); r.Refusal == nil || r.Refusal.Kind != refusal.NotFound {
		t.Errorf("an unknown subnet: %v", r.Refusal)
	}
	s.NextDeliveries()
	if r := s.Apply(replica.DeleteSubnet{Subnet: view.Subnets[4].ID}); r.Refusal == nil || !strings.Contains(r.Refusal.Text, "single steps") {
		t.Errorf("in the middle of a round: %v", r.Refusal)
	}
}
