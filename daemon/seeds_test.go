package daemon

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/instance"
)

// identity is what tells a network from another: root key, subnet ids and canister ids.
func identity(i *instance.Instance) []string {
	view := i.Driver().View()
	parts := []string{hex.EncodeToString(view.RootKey), view.DefaultCanister().String()}
	for n := range view.Subnets {
		parts = append(parts, view.Subnets[n].ID.String())
	}
	return parts
}

func TestInstancesWithoutASeedDifferInRootKeyAndIdsAndCanBeMadeAgain(t *testing.T) {
	d, other := started(t, Config{}), started(t, Config{})
	second, err := d.instances.Create(t.Context(), &instance.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, i := range []*instance.Instance{d.first, second, other.first} {
		for _, part := range identity(i) {
			if known[part] {
				t.Errorf("%s has %s of another instance", i.Name(), part)
			}
			known[part] = true
		}
	}
	again := started(t, Config{Seed: d.Seed()})
	seed := second.About().Seed
	secondAgain, err := other.instances.Create(t.Context(), &instance.Spec{Seed: &seed})
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]*instance.Instance{{d.first, again.first}, {second, secondAgain}} {
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
			made, err := d.instances.Create(t.Context(), &instance.Spec{})
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
	made, err := d.instances.Create(t.Context(), &instance.Spec{Placement: instance.Placement{Name: "lab"}})
	if err != nil {
		t.Fatal(err)
	}
	canister := made.Driver().View().DefaultCanister()
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
