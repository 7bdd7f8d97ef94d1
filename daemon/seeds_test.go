package daemon

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/replica"
)

// identity is what tells a network from another: root key, subnet ids and canister ids.
func identity(i control.Instance) []string {
	view := i.Node().View()
	parts := []string{hex.EncodeToString(view.RootKey), view.DefaultCanister().String()}
	for n := range view.Subnets {
		parts = append(parts, view.Subnets[n].ID.String())
	}
	return parts
}

func TestInstancesWithoutASeedDifferInRootKeyAndIdsAndCanBeMadeAgain(t *testing.T) {
	d, other := started(t, Config{}), started(t, Config{})
	second, err := d.Create(t.Context(), &instance.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, i := range []control.Instance{d.first, second, other.first} {
		for _, part := range identity(i) {
			if known[part] {
				t.Errorf("%s has %s of another instance", i.Name(), part)
			}
			known[part] = true
		}
	}
	again := started(t, Config{Seed: d.Seed()})
	seed := second.About().Seed
	secondAgain, err := other.Create(t.Context(), &instance.Spec{Seed: &seed})
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]control.Instance{{d.first, again.first}, {second, secondAgain}} {
		if got, want := strings.Join(identity(pair[1]), " "), strings.Join(identity(pair[0]), " "); got != want {
			t.Errorf("made again with its seed:\n%s\nwant\n%s", got, want)
		}
	}
	if _, err := Start(t.Context(), Config{Listen: "127.0.0.1:0", CacheDir: t.TempDir(), Seed: make([]byte, 33)}); err == nil || !strings.Contains(err.Error(), "the seed has 33 bytes: use at most 32") {
		t.Errorf("a seed that is too long: %v", err)
	}
}

func TestADaemonWithASeedIsTheSameFromStartToStart(t *testing.T) {
	var first []string
	for range 2 {
		d := started(t, Config{Seed: []byte{7}})
		var all []string
		for range 2 {
			made, err := d.Create(t.Context(), &instance.Spec{})
			if err != nil {
				t.Fatal(err)
			}
			all = append(append(all, identity(made)...), identity(d.first)...)
		}
		if first == nil {
			first = all
		} else if strings.Join(all, " ") != strings.Join(first, " ") {
			t.Errorf("the second time:\n%s\nthe first time:\n%s", all, first)
		}
	}
	if seed := started(t, Config{Seed: []byte{7}}).Seed(); !bytes.Equal(seed, append([]byte{7}, make([]byte, 31)...)) {
		t.Errorf("the seed is %x", seed)
	}
}

func TestAnAgentThatDropsThePathOfItsHostIsRefused(t *testing.T) {
	d := started(t, Config{})
	made, err := d.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "lab"}})
	if err != nil {
		t.Fatal(err)
	}
	canister := made.Node().View().DefaultCanister()
	lost, err := client.Dial(t.Context(), d.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer lost.Close()
	_, err = lost.Call(t.Context(), canister, canister, "greet", nil)
	if err == nil || !strings.Contains(err.Error(), "Canister "+canister.String()+" does not belong to any subnet.") {
		t.Errorf("a call to the default instance for a canister of another one: %v", err)
	}
}

func TestRatesAreLimitedOnlyWhereThatIsAskedFor(t *testing.T) {
	d, strict := started(t, Config{}), started(t, Config{RateLimits: true})
	free := []replica.SubnetConfig{{NoRateLimits: true}, {}}
	for _, row := range []struct {
		daemon *Daemon
		spec   instance.Spec
		want   []bool // by subnet: no limits
	}{
		{d, instance.Spec{}, []bool{true, true}},
		{d, instance.Spec{RateLimits: true}, []bool{false, false}},
		{d, instance.Spec{RateLimits: true, Subnets: free}, []bool{true, false}},
		{strict, instance.Spec{}, []bool{false, false}},
		{strict, instance.Spec{Subnets: free}, []bool{true, false}},
	} {
		subnets := row.daemon.subnetsOf(&row.spec)
		for i, want := range row.want {
			if subnets[i].NoRateLimits != want {
				t.Errorf("%+v of a daemon with rate limits %v: subnet %d has none: %v, want %v", row.spec, row.daemon.rateLimits, i, subnets[i].NoRateLimits, want)
			}
		}
	}
	if free[1].NoRateLimits || defaultSubnets[0].NoRateLimits {
		t.Error("the caller's subnets were changed")
	}
}
