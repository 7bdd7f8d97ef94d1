package replica_test

import (
	"bytes"
	"testing"

	"github.com/canisterd/canisterd/replica"
)

func TestKeptKeysAreThoseThatAreDerived(t *testing.T) {
	kept := new(replica.Keys)
	// More seeds than are kept, so that some are forgotten on the way.
	for round := range 2 {
		for i := range replica.MaxKeptKeys {
			if round == 1 && i%16 != 0 {
				continue
			}
			config := replica.Config{Seed: [32]byte{byte(i), byte(i >> 8)}, Start: 1, Subnets: []replica.SubnetConfig{{Kind: replica.NNS, Nodes: 1}, {Nodes: 1 + i%2}}}
			own, err := replica.New(config)
			if err != nil {
				t.Fatal(err)
			}
			config.Keys = kept
			shared, err := replica.New(config)
			if err != nil {
				t.Fatal(err)
			}
			own.Round()
			shared.Round()
			if own.RootHash() != shared.RootHash() || !bytes.Equal(own.RootKey(), shared.RootKey()) {
				t.Fatalf("a network with kept keys differs from one with its own, seed %d, time %d", i, round+1)
			}
			own.Close()
			shared.Close()
		}
	}
}
