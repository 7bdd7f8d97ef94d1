package replica_test

import (
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// moved is a network of three subnets whose canister 0 of the root subnet was
// stopped and moved to the second.
func moved(t *testing.T) (s *replicatest.Stage, id principal.Principal) {
	t.Helper()
	s = replicatest.NewStage(t, replica.Config{Subnets: make([]replica.SubnetConfig, 3)})
	n := s.OnSubnet(0, 0)
	for _, step := range []struct{ method, arg string }{{"create", "1000000000000"}, {"install", fmt.Sprintf("%d ", n)}, {"stop", fmt.Sprint(n)}} {
		s.Call(n, step.method, step.arg)
	}
	if r := s.Apply(replica.MigrateCanister{Canister: s.ID(n), Subnet: s.View().Subnets[1].ID}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	return s, s.ID(n)
}

func TestTheRoutingTableFollowsACanister(t *testing.T) {
	s, id := moved(t)
	before := s.View()
	if got := before.SubnetOf(id).ID; got != before.Subnets[0].ID {
		t.Errorf("a view from before shows it on %s", got)
	}
	s.Round()
	view := s.View()
	root, err := certify.ParseSubnetPublicKey(s.RootKey())
	if err != nil {
		t.Fatal(err)
	}
	number, _ := id.CanisterNumber()
	for i, ids := range [][]principal.Principal{{principal.Canister(number + 1)}, {id}, {principal.Canister(replicatest.First(2))}} {
		subnet := &view.Subnets[i]
		for _, layout := range []certify.RangesLayout{certify.FlatRanges, certify.ShardedRanges} {
			certificate, err := certify.DecodeCertificate(view.Certificate(subnet, layout, certify.Path{"time"}))
			if err != nil {
				t.Fatal(err)
			}
			for _, hosted := range ids {
				if got := view.SubnetOf(hosted).ID; got != subnet.ID {
					t.Errorf("canister %s is on %s, not on %s", hosted, got, subnet.ID)
				}
				if err := certificate.VerifyForCanister(root, hosted); err != nil {
					t.Errorf("subnet %d, canister %s: %v", i, hosted, err)
				}
			}
			if err := certificate.VerifyForCanister(root, id); i == 2 && err == nil {
				t.Errorf("subnet %d certifies for canister %s", i, id)
			}
		}
		for j, hosts := range []bool{false, true, false} {
			value, _ := subnet.Certified().Tree().Get(certify.SubnetPath(view.Subnets[j].ID, "canister_ranges")...)
			if ranges, err := certify.DecodeRanges(value.Value()); err != nil || ranges.Contains(id) != hosts {
				t.Errorf("the tree of subnet %d shows for subnet %d %v, %v", i, j, ranges, err)
			}
		}
	}
}

func TestACanisterTakesItsMemoryAlong(t *testing.T) {
	s := real.NewStage(t, replica.Config{Subnets: make([]replica.SubnetConfig, 2)})
	s.Create("A", 0, real.Plenty)
	s.Install("A", real.Install, canistertest.Scriptable(), nil)
	s.Manage("A", "stop_canister", s.About("A", ""))
	before := s.Memory(0)
	if r := s.Apply(replica.MigrateCanister{Canister: s.ID("A"), Subnet: s.View().Subnets[1].ID}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	if from, to := s.Memory(0), s.Memory(1); before == 0 || from != 0 || to != before {
		t.Errorf("of %d bytes the subnet that it left counts %d, the one to which it came %d", before, from, to)
	}
}

func TestACanisterMayComeBackAtOnceAndItsRangeIsWholeAgain(t *testing.T) {
	s, id := moved(t)
	if r := s.Apply(replica.MigrateCanister{Canister: id, Subnet: s.View().Subnets[0].ID}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	hash := s.RootHash()
	s.Round()
	view := s.View()
	if got := view.Subnets[0].Ranges; len(got) != 1 || !got.Contains(id) || len(view.Subnets[1].Ranges) != 1 {
		t.Errorf("ranges %v and %v", got, view.Subnets[1].Ranges)
	}
	if _, found := view.Subnets[0].Certified().Tree().Get(certify.CanisterPath(id, "controllers")...); !found {
		t.Error("the tree does not show it")
	}
	if hash == s.RootHash() {
		t.Error("a round did not change the hash")
	}
	n := s.OnSubnet(0, 0)
	expect(t, "start", s.Call(n, "start", fmt.Sprint(n)), "replied")
	expect(t, "a call", s.Run(n, "reply back"), "replied: back")
}

// The subnet that it left comes after the other one when views learn what has changed.
func TestACanisterThatMovedToAnEarlierSubnetHasItsModuleInViews(t *testing.T) {
	s := real.NewStage(t, replica.Config{Subnets: make([]replica.SubnetConfig, 2)})
	id := s.Create("A", 1, real.Plenty)
	s.Install("A", real.Install, canistertest.Scriptable(), nil)
	s.Manage("A", "stop_canister", s.About("A", ""))
	if r := s.Apply(replica.MigrateCanister{Canister: id, Subnet: s.View().Subnets[0].ID}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	s.Round()
	if view := s.View(); view.SubnetOf(id) != &view.Subnets[0] || view.Module(id) == nil {
		t.Errorf("the canister is on %s, and its module is %v", view.SubnetOf(id).ID, view.Module(id))
	}
}
