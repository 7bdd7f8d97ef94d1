package canisterd

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/canisterd/canisterd/instance"
)

// Fork makes a second network that continues from the present of this one, with the same canisters under the same names
// ([Network.Canister], [Canister.In]). The two share memory until one of them writes: the cost of a fork does not
// depend on the size of the canisters. The caller must close it.
func (n *Network) Fork(ctx context.Context) (*Network, error) {
	made, err := start(n.running.cache, n.outcalls, func(r *instance.Registry, name string) (*instance.Instance, error) {
		return r.Fork(ctx, &instance.ForkSpec{Placement: instance.Placement{Name: name}, Source: n.running.Name()})
	})
	if err != nil {
		return nil, fmt.Errorf("forking the network: %w", err)
	}
	fork := newNetwork(made, n.outcalls)
	n.mu.Lock()
	defer n.mu.Unlock()
	maps.Copy(fork.names, n.names)
	for name, c := range n.canisters {
		fork.canisters[name] = c.In(fork)
	}
	return fork, nil
}

// Snapshot is a saved state of a network. It costs memory as the network changes.
type Snapshot struct {
	network *Network
	name    string
}

// Snapshot saves the present state, until the network is closed or the snapshot is deleted.
func (n *Network) Snapshot(ctx context.Context) (*Snapshot, error) {
	n.mu.Lock()
	n.snapshots++
	name := fmt.Sprintf("snapshot-%d", n.snapshots)
	n.mu.Unlock()
	if _, err := n.running.TakeSnapshot(ctx, name, false); err != nil {
		return nil, err
	}
	return &Snapshot{n, name}, nil
}

// errOtherNetwork is for a snapshot of another network.
var errOtherNetwork = errors.New("the snapshot is of another network: fork that network instead")

// Restore goes back to a saved state, with its time, messages and answers. The snapshot stays.
func (n *Network) Restore(ctx context.Context, s *Snapshot) error {
	if s.network != n {
		return errOtherNetwork
	}
	return n.running.Restore(ctx, s.name)
}

// Delete deletes the snapshot.
func (s *Snapshot) Delete() error { return s.network.running.DeleteSnapshot(s.name) }
