package replica_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/replicatest"
	"github.com/canisterd/canisterd/replica/replicatest/real"
	"github.com/canisterd/canisterd/test/archivetest"
)

// newPageStore is a store that copies every third memory.
func newPageStore() *archivetest.PageStore { return &archivetest.PageStore{Copy: 3} }

// recovered replaces a network with one from its checkpoint, and closes it. Both have the same hash. In the middle of a
// round, the network stays.
func recovered(t interface{ Fatalf(string, ...any) }, n *replica.Network, config replica.Config, pages *archivetest.PageStore) *replica.Network {
	var file bytes.Buffer
	pages.New = fmt.Sprint("pages", len(pages.Files))
	state, err := n.Checkpoint(&file, pages)
	if errors.Is(err, replica.ErrBusy) {
		return n
	}
	if err != nil {
		t.Fatalf("checkpoint: %v", err)
	}
	content := file.Bytes()
	again, err := replica.Recover(&file, pages, replicatest.WithKeys(config))
	if err != nil {
		t.Fatalf("recover: %v", err)
	}
	for name, of := range map[string]*replica.Network{"the network": n, "the recovered one": again} {
		if hash, comparable, err := of.CheckpointHash(bytes.NewReader(content)); err != nil || !comparable || hash != state {
			t.Fatalf("%s has hash %x, and the checkpoint said %x: %v", name, hash, state, err)
		}
	}
	if one, two := n.RootHash(), again.RootHash(); one != two {
		t.Fatalf("the root hash is %x, and was %x", two, one)
	}
	n.Close()
	return again
}

func TestTheHashOfACheckpointBeforeVersionTenCannotBeCompared(t *testing.T) {
	s := stage(t, 1)
	var file bytes.Buffer
	if _, err := s.Checkpoint(&file, newPageStore()); err != nil {
		t.Fatal(err)
	}
	content := file.Bytes()
	for version, want := range map[byte]bool{9: false, 10: true} {
		content[19] = version
		if _, comparable, err := s.CheckpointHash(bytes.NewReader(content)); err != nil || comparable != want {
			t.Errorf("the hash of a checkpoint of version %d can be compared: %t, want %t: %v", version, comparable, want, err)
		}
	}
}

func TestAScenarioGoesOnInARecoveredNetwork(t *testing.T) {
	few(t)
	th, kept := newHarness(t), 0
	rapid.Check(t, func(rt *rapid.T) {
		d := drawScenario(rt)
		every := rapid.IntRange(1, 5).Draw(rt, "every")
		saw, turn, pages := new(seen), 0, newPageStore()
		recoveredRun := th.runOn(d, nil, saw, func(s *real.Stage) {
			if turn++; turn%every == 0 {
				s.Network = recovered(rt, s.Network, replica.Config{Engine: th.engine, Events: saw}, pages)
			}
			s.Network.Round()
		})
		identical(rt, d, "recovered", th.run(d, nil, round), recoveredRun)
		kept += pages.Kept
	})
	if kept == 0 {
		t.Error("each memory was written at each checkpoint")
	}
}

func TestRealCanistersGiveTheirTracesInRecoveredNetworks(t *testing.T) {
	every := 7
	if testing.Short() {
		every = 97
	}
	real.ScriptsBetween(t, "testdata/real", func(t testing.TB) replicatest.Between {
		occasions, pages := phase(t, every), newPageStore()
		t.Cleanup(func() { // after the network is closed
			if open := pages.Readers(); open > 0 {
				t.Errorf("%d page files are still open", open)
			}
		})
		return func(t testing.TB, n *replica.Network, config replica.Config) *replica.Network {
			if occasions++; occasions%every != 0 {
				return n
			}
			return recovered(t, n, config, pages)
		}
	}, slowScripts...)
}

// Page files are closed with the last network that shares a memory in them, loaded or not.
func TestARecoveredNetworkClosesItsPageFiles(t *testing.T) {
	th := newHarness(t)
	rapid.Check(t, func(rt *rapid.T) {
		pages, saw := newPageStore(), new(seen)
		var forks []*replica.Network
		th.runOn(drawScenario(rt), nil, saw, func(s *real.Stage) {
			s.Network.Round()
			s.Network = recovered(rt, s.Network, replica.Config{Engine: th.engine, Events: saw}, pages)
			if len(forks) < 3 {
				forks = append(forks, s.Network.Fork(replica.ForkConfig{}))
			}
		})
		for _, fork := range forks {
			fork.Round()
			fork.Close()
		}
		if open := pages.Readers(); open > 0 {
			rt.Fatalf("%d page files are open", open)
		}
	})
}
