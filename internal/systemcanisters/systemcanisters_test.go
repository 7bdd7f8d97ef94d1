package systemcanisters_test

import (
	"slices"
	"testing"

	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
)

func TestTheWordAllStandsForEverySystemCanister(t *testing.T) {
	names, err := systemcanisters.Parse([]string{"all"})
	if err != nil || !slices.Equal(names, systemcanisters.All()) {
		t.Errorf("all: %v, %v", names, err)
	}
	names, err = systemcanisters.Parse([]string{"cycles_token", "registry"})
	if err != nil || !slices.Equal(names, []systemcanisters.Name{systemcanisters.CyclesToken, systemcanisters.Registry}) {
		t.Errorf("two: %v, %v", names, err)
	}
	const want = `invalid system canister "sns": expected all or one of registry, icp_token, cycles_minting, cycles_token, ii`
	if _, err := systemcanisters.Parse([]string{"sns"}); err == nil || err.Error() != want {
		t.Errorf("another: %v, want %s", err, want)
	}
}

func TestSystemCanistersHaveTheirMainnetIds(t *testing.T) {
	for name, want := range map[systemcanisters.Name]string{
		systemcanisters.Registry: "rwlgt-iiaaa-aaaaa-aaaaa-cai", systemcanisters.ICPToken: "ryjl3-tyaaa-aaaaa-aaaba-cai",
		systemcanisters.CyclesMinting: "rkp4c-7iaaa-aaaaa-aaaca-cai", systemcanisters.CyclesToken: "um5iw-rqaaa-aaaaq-qaaba-cai",
	} {
		if got := name.ID().String(); got != want {
			t.Errorf("%s has the id %s, want %s", name, got, want)
		}
	}
}

func TestSubnetsThatSystemCanistersNeedAreAdded(t *testing.T) {
	for _, c := range []struct {
		given, want []replica.SubnetKind
		names       []systemcanisters.Name
	}{
		{[]replica.SubnetKind{replica.Application}, []replica.SubnetKind{replica.NNS, replica.Application, replica.II}, systemcanisters.All()},
		{[]replica.SubnetKind{replica.NNS, replica.II}, []replica.SubnetKind{replica.NNS, replica.II}, systemcanisters.All()},
		{[]replica.SubnetKind{replica.Application}, []replica.SubnetKind{replica.Application, replica.II}, []systemcanisters.Name{systemcanisters.CyclesToken}},
		{[]replica.SubnetKind{replica.Application}, []replica.SubnetKind{replica.Application}, nil},
	} {
		var given []replica.SubnetConfig
		for _, kind := range c.given {
			given = append(given, replica.SubnetConfig{Kind: kind})
		}
		var got []replica.SubnetKind
		for _, subnet := range systemcanisters.Subnets(given, c.names) {
			got = append(got, subnet.Kind)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v with %v: %v, want %v", c.given, c.names, got, c.want)
		}
	}
}
