package replica_test

import (
	"fmt"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
)

// twoSubnets is an NNS and an application subnet, each with a canister: far and
// near.
func twoSubnets(t *testing.T) (s *replicatest.Stage, near, far int) {
	t.Helper()
	s = replicatest.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Kind: replica.Application}, {Kind: replica.NNS}}})
	near, far = s.OnSubnet(1, 0), s.OnSubnet(0, 0)
	for _, n := range []int{near, far} {
		expect(t, "create", s.Call(n, "create", fmt.Sprint(plenty)), "replied: "+string(s.ID(n).Bytes()))
		expect(t, "install", s.Call(n, "install", fmt.Sprintf("%d ", n)), "replied: installed")
	}
	return s, near, far
}

func TestTheNNSIsTheRootWhereverItIsConfigured(t *testing.T) {
	s, _, _ := twoSubnets(t)
	if s.View().Root().Kind != replica.NNS || s.View().Root().ID != principal.SelfAuthenticating(s.View().RootKey) {
		t.Errorf("the root is %s", s.View().Root().ID)
	}
	if s.View().SubnetOf(principal.Canister(3)).Kind != replica.NNS {
		t.Error("canister 3 is not on the NNS")
	}
	if s.View().SubnetOf(principal.Canister(7)) != nil {
		t.Error("canister 7 has a subnet")
	}
}

func TestCallsBetweenSubnetsTakeARoundEachWay(t *testing.T) {
	s, near, far := twoSubnets(t)
	before := s.View().Height
	expect(t, "a call", s.Run(near, fmt.Sprintf("call %d cycles 5 (accept 2 reply there) then (echo)", far)), "replied: there")
	if rounds := s.View().Height - before; rounds != 3 {
		t.Errorf("there and back took %d rounds", rounds)
	}
	expect(t, "a call and back", s.Run(far, fmt.Sprintf("call %d (call %d (reply home) then (echo)) then (echo)", near, far)), "replied: home")
	expect(t, "nobody there", s.Run(near, fmt.Sprintf("call %d (reply x) else (reply nobody)", far+9)), "replied: nobody")
	expect(t, "no subnet", s.Run(near, fmt.Sprintf("call %d (reply x) else (reply nowhere)", far+9<<20)), "replied: nowhere")
	expect(t, "stop", s.Call(far, "stop", fmt.Sprint(far)), "replied: DIDL")
	expect(t, "stopped", s.Run(near, fmt.Sprintf("call %d (reply x) else (reply stopped)", far)), "replied: stopped")
	if c := s.Census(); c.Futures != 0 || c.Contexts != 0 {
		t.Errorf("left: %+v", c)
	}
}

func TestCertificatesVerifyOnEverySubnet(t *testing.T) {
	s, near, far := twoSubnets(t)
	root, err := certify.ParseSubnetPublicKey(s.RootKey())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{near, far} {
		for _, layout := range []certify.RangesLayout{certify.FlatRanges, certify.ShardedRanges} {
			id := s.ID(n)
			view := s.View()
			certificate, err := certify.DecodeCertificate(view.Certificate(view.SubnetOf(id), layout, certify.CanisterPath(id, "controllers")))
			if err != nil {
				t.Fatal(err)
			}
			if err := certificate.VerifyForCanister(root, id); err != nil {
				t.Errorf("canister %s: %v", id, err)
			}
			if _, status := certificate.Tree.Lookup(certify.CanisterPath(id, "controllers")...); status != certify.Found {
				t.Errorf("controllers of %s: %s", id, status)
			}
			if time, err := certificate.Time(); err != nil || time != view.Time {
				t.Errorf("time %d, %v", time, err)
			}
		}
	}
}
