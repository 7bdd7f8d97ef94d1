package pocketic

import (
	"testing"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

func TestEachCanisterOfMainnetHasOneSubnet(t *testing.T) {
	ids := make(map[principal.Principal]bool)
	numbers := []uint64{6, 7, 0x6000ae, 0x6000af, 0x6000b0, 0x1f0817f, 0x1f08180, 0x1f08181}
	for block := range uint64(len(mainnetSubnets) + 1) {
		numbers = append(numbers, block*mainnetBlock, (block+1)*mainnetBlock-1)
	}
	for _, number := range numbers {
		config, ok := mainnetSubnet(principal.Canister(number))
		if want := number == internetIdentity || number >= mainnetBlock && number < 0x2f00000; ok != want {
			t.Errorf("canister %#x: %v", number, ok)
		}
		if !ok || config.Kind != replica.Application {
			continue
		}
		ids[config.ID] = true
		hosts := 0
		for _, r := range config.Ranges {
			if r.Contains(number) {
				hosts++
			}
		}
		if hosts != 1 {
			t.Errorf("the subnet of canister %#x has the ranges %v", number, config.Ranges)
		}
	}
	if want := len(mainnetSubnets) - 6; len(ids) != want {
		t.Errorf("%d application subnets, want %d", len(ids), want)
	}
	if _, ok := mainnetSubnet(principal.Anonymous); ok {
		t.Error("the anonymous user has a subnet")
	}
}
