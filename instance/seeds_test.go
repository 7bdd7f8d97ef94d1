package instance

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/canisterd/canisterd/replica"
)

func TestInstancesWhoseKeysWerePreparedHaveTheKeysOfTheirSeeds(t *testing.T) {
	r := NewRegistry(Config{Wall: time.Now, Seed: []byte("a daemon")})
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	for n := range 2 * keysTogether {
		subnets := DefaultSubnets()
		if n%3 == 0 { // not as many as were prepared
			subnets = append(subnets, replica.SubnetConfig{Kind: replica.II})
		}
		i, err := r.Create(t.Context(), &Spec{Placement: Placement{Name: fmt.Sprintf("i%d", n)}, Subnets: subnets, Pacing: Pacing{Mode: Manual}})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := replica.New(replica.Config{Seed: i.About().Seed, Start: Genesis, Subnets: subnets})
		if err != nil {
			t.Fatal(err)
		}
		view, want := i.Driver().View(), alone.View()
		for s := range view.Subnets {
			if !bytes.Equal(view.Subnets[s].PublicKey, want.Subnets[s].PublicKey) {
				t.Errorf("subnet %d of instance %d has the key %x, want %x", s, n, view.Subnets[s].PublicKey, want.Subnets[s].PublicKey)
			}
		}
		alone.Close()
		if err := r.Delete(i.Name()); err != nil {
			t.Fatal(err)
		}
	}
}
