package replica_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/canistertest"
)

// mainnetBlock is a subnet with a block of canister ids of mainnet.
func mainnetBlock() *replica.AddSubnet {
	return &replica.AddSubnet{Config: replica.SubnetConfig{Ranges: []replica.Range{{First: 0x1c00000, Last: 0x1cfffff}}, Benchmarking: true}}
}

// grown is a network with canister A on its subnet, and B on one that was added.
func grown(t *testing.T, p *tape) (*real.Stage, replica.Config) {
	config := replica.Config{Engine: canistertest.NewEngine(t), Start: replicatest.Start, Subnets: []replica.SubnetConfig{{Kind: replica.NNS, Nodes: 13}}}
	if p != nil {
		config.Journal = p
	}
	s := real.NewStage(t, config)
	config.Journal = nil
	s.Create("A", 0, real.Plenty)
	s.Install("A", real.Install, canistertest.Scriptable(), nil)
	s.Call("A", "run", compiled(t, s, `set 1; certify "one"; reply get`))
	if r := s.Apply(mainnetBlock()); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	if p != nil {
		p.mark(t, s.Network)
		p.keep(t, s.Network)
	}
	s.Round()
	s.CreateAt("B", principal.Canister(0x1c00005), real.Plenty)
	s.Install("B", real.Install, canistertest.Scriptable(), nil)
	return s, config
}

func TestASubnetThatWasAddedHostsCanistersThatOthersCall(t *testing.T) {
	s, _ := grown(t, nil)
	view := s.View()
	b := s.ID("B")
	if len(view.Subnets) != 2 || view.SubnetOf(b) != &view.Subnets[1] || !view.Subnets[1].Benchmarking {
		t.Fatalf("%d subnets, and B is on %+v", len(view.Subnets), view.SubnetOf(b))
	}
	if got := view.DefaultCanister(); view.SubnetOf(got) != &view.Subnets[0] {
		t.Errorf("the canister that stands for the network is %s", got)
	}
	got := s.Call("A", "run", compiled(t, s, `call B.run(set 4; reply get) on-reply(reply arg)`))
	if got.Status != "replied" {
		t.Errorf("a call from subnet to subnet: %+v", got)
	}
	root, err := certify.ParseSubnetPublicKey(s.RootKey())
	if err != nil {
		t.Fatal(err)
	}
	view = s.View()
	for _, layout := range []certify.RangesLayout{certify.FlatRanges, certify.ShardedRanges} {
		certificate, err := certify.DecodeCertificate(view.Certificate(&view.Subnets[1], layout, certify.Path{"time"}))
		if err != nil {
			t.Fatal(err)
		}
		if err := certificate.VerifyForCanister(root, b); err != nil {
			t.Error(err)
		}
	}
	for i := range view.Subnets {
		for _, leaf := range []certify.Label{"public_key", "type", "canister_ranges"} {
			if _, found := view.Subnets[i].Certified().Tree().Get(certify.SubnetPath(view.Subnets[1].ID, leaf)...); !found {
				t.Errorf("the tree of subnet %d does not show %s of the subnet that was added", i, leaf)
			}
		}
	}
}

func TestANetworkToWhichASubnetWasAddedIsTheSameFromItsJournalItsFileAndItsFork(t *testing.T) {
	p := new(tape)
	s, config := grown(t, p)
	fork := s.Network.Fork(replica.ForkConfig{})
	defer fork.Close()
	s.Call("A", "run", compiled(t, s, `call B.run(set 4; reply get) on-reply(reply arg)`))
	p.mark(t, s.Network)
	n, err := replica.New(config)
	if err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, 0)
	if n, err = replica.Import(bytes.NewReader(p.checkpoint.Bytes()), config); err != nil {
		t.Fatal(err)
	}
	p.replay(t, n, p.from)
	n = exchanged(t, s.Network.Fork(replica.ForkConfig{}), config)
	defer n.Close()
	for _, other := range []*replica.Network{n, s.Network} {
		other.Round()
	}
	if n.RootHash() != s.RootHash() || !n.View().Subnets[1].Benchmarking {
		t.Error("a network from a file does something else")
	}
	if other := fork.View().Subnets; len(other) != 2 || other[1].ID != s.View().Subnets[1].ID {
		t.Errorf("the fork has subnets %v", other)
	}
}

func TestThresholdKeysStayWhereTheyAreWhenASubnetIsAdded(t *testing.T) {
	s := real.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Nodes: 13}}})
	s.Create("A", 0, real.Plenty)
	if r := s.Apply(&replica.AddSubnet{Config: replica.SubnetConfig{Kind: replica.Fiduciary}}); r.Refusal != nil {
		t.Fatal(r.Refusal)
	}
	s.Round()
	n := exchanged(t, s.Network.Fork(replica.ForkConfig{}), replica.Config{Engine: s.Engine()})
	defer n.Close()
	var before, after bytes.Buffer
	if err := s.Export(&before); err != nil {
		t.Fatal(err)
	}
	if err := n.Export(&after); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before.Bytes(), after.Bytes()) {
		t.Error("the file of a network from a file is another")
	}
}

func TestSubnetsThatCannotBeAddedAreRefusedWithAReason(t *testing.T) {
	s := real.NewStage(t, replica.Config{Subnets: []replica.SubnetConfig{{Kind: replica.II}}})
	for want, config := range map[string]replica.SubnetConfig{
		"root subnet":      {Kind: replica.NNS},
		"two subnets have": {Kind: replica.II},
		"belongs to two":   {Ranges: []replica.Range{{First: 7, Last: 9}}},
		"ends before it":   {Ranges: []replica.Range{{First: 9, Last: 8}}},
		"can have admins":  {Admins: []principal.Principal{principal.Anonymous}},
	} {
		before := s.RootHash()
		r := s.Apply(&replica.AddSubnet{Config: config})
		if r.Refusal == nil || !strings.Contains(r.Refusal.Text, want) {
			t.Errorf("%+v: %v, want %q", config, r.Refusal, want)
		}
		if s.RootHash() != before {
			t.Errorf("%+v: the network changed", config)
		}
	}
	s.NextDeliveries()
	if r := s.Apply(mainnetBlock()); r.Refusal == nil || !strings.Contains(r.Refusal.Text, "single steps") {
		t.Errorf("in the middle of a round: %v", r.Refusal)
	}
	s.Round()
	for added := 1; ; added++ {
		r := s.Apply(&replica.AddSubnet{Config: replica.SubnetConfig{Nodes: 1}})
		if r.Refusal == nil {
			continue
		}
		if added != replica.MaxSubnets || !strings.Contains(r.Refusal.Text, "at most 64") {
			t.Errorf("after %d subnets: %v", added, r.Refusal)
		}
		break
	}
	s.Round()
	if ids := s.View().Subnets; !slices.IsSortedFunc(ids[1:], func(a, b replica.SubnetView) int { return b.Ranges[0].Start.Compare(a.Ranges[0].Start) }) {
		t.Error("their canister ids are not in the order of their blocks")
	}
}
