package canisterd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
)

// Network is an independent Internet Computer. All methods are safe for concurrent use. Those of a closed network
// return an error.
type Network struct {
	running  *running
	outcalls outcalls

	mu        sync.Mutex           // guards all below
	canisters map[string]*Canister // by name
	names     map[principal.Principal]string
	snapshots int // number of snapshots taken
}

// Open makes a network for a program; a test uses [New]. ctx applies only to the start. The network runs until it is
// closed.
func Open(ctx context.Context, options ...Option) (*Network, error) {
	c := configOf(options)
	made, err := start(c.cache, c.outcalls, func(r *instance.Registry, name string) (*instance.Instance, error) {
		c.Name = name
		return r.Create(ctx, &c.Spec)
	})
	if err != nil {
		return nil, fmt.Errorf("making the network: %w", err)
	}
	return newNetwork(made, c.outcalls), nil
}

func newNetwork(made *running, outcalls outcalls) *Network {
	return &Network{running: made, outcalls: outcalls, canisters: map[string]*Canister{}, names: map[principal.Principal]string{}}
}

// Close ends the network. Its forks continue.
func (n *Network) Close() error { return n.running.close() }

// Canister returns the canister with a name: of the project, or of the file that [Network.Deploy] read.
func (n *Network) Canister(name string) (*Canister, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c := n.canisters[name]; c != nil {
		return c, nil
	}
	if len(n.canisters) == 0 {
		return nil, fmt.Errorf("no canister has the name %q: none was deployed", name)
	}
	return nil, fmt.Errorf("no canister has the name %q: the names are %s", name, strings.Join(slices.Sorted(maps.Keys(n.canisters)), ", "))
}

// CanisterAt returns a canister by its id, such as one that a canister has created. It may not exist.
func (n *Network) CanisterAt(id principal.Principal) *Canister {
	return &Canister{network: n, id: id, caller: principal.Anonymous}
}

// Management returns the management canister (aaaaa-aa).
func (n *Network) Management() *Canister { return n.CanisterAt(principal.Management) }

// add gives a canister a name, with a number appended if another canister has the name.
func (n *Network) add(c *Canister, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	free := name
	for i := 2; n.canisters[free] != nil; i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	n.canisters[free], n.names[c.id] = c, free
}

// nameOf returns the name of a canister, "" if it has none.
func (n *Network) nameOf(id principal.Principal) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.names[id]
}

// called returns the name of a canister for texts, or else its id.
func (n *Network) called(id principal.Principal) string {
	if name := n.nameOf(id); name != "" {
		return name
	}
	return id.String()
}

// stamp returns a time of the network.
func stamp(ns uint64) time.Time { return time.Unix(0, int64(ns)).UTC() }

// User returns the principal of a user with a name, the same in every network. Calls can be made as any principal,
// without a key ([Canister.As]).
func User(name string) principal.Principal {
	return principal.SelfAuthenticating([]byte("canisterd user " + name))
}
