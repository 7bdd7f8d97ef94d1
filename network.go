package canisterd

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/callbudget"
	"github.com/canisterd/canisterd/internal/inprocess"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
	"github.com/canisterd/canisterd/timers"
)

// Network is an independent Internet Computer. All methods are safe for concurrent use. Those of a closed network
// return an error.
type Network struct {
	running  *inprocess.Instance
	outcalls outcalls
	budgets  *callbudget.Budgets // forks have the same

	mu        sync.Mutex           // guards all below
	canisters map[string]*Canister // by name
	names     map[principal.Principal]string
	snapshots int // number of snapshots taken
}

// Open makes a network for a program; a test uses [New]. ctx applies only to the start. The network runs until it is
// closed.
func Open(ctx context.Context, options ...Option) (*Network, error) {
	c := configOf(options)
	cache, err := c.cacheFolder()
	if err != nil {
		return nil, err
	}
	made, err := inprocess.Start(cache, front{c.outcalls}, func(r *instance.Registry, name string) (*instance.Instance, error) {
		c.Name = name
		return r.Create(ctx, &c.Spec)
	})
	if err != nil {
		return nil, fmt.Errorf("making the network: %w", err)
	}
	return newNetwork(made, c.outcalls, callbudget.New()), nil
}

func newNetwork(made *inprocess.Instance, outcalls outcalls, budgets *callbudget.Budgets) *Network {
	return &Network{running: made, outcalls: outcalls, budgets: budgets, canisters: map[string]*Canister{}, names: map[principal.Principal]string{}}
}

// Close ends the network. Its forks continue.
func (n *Network) Close() error { return n.running.Close() }

// Name returns the name of the network, by which no other network of this process is called.
func (n *Network) Name() string { return n.running.Name() }

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

// Canister is a canister of a network, called by a user: the anonymous one unless [Canister.As] sets another.
type Canister struct {
	network *Network
	id      principal.Principal
	caller  principal.Principal
	// described is the interface of its module, once it was read. It changes with the module.
	described atomic.Pointer[described]
}

// described is the interface of a module.
type described struct {
	module [sha256.Size]byte // its hash
	file   *did.File         // nil if the module has no readable one
}

// ID returns the id of the canister.
func (c *Canister) ID() principal.Principal { return c.id }

// Caller returns the principal that calls the canister.
func (c *Canister) Caller() principal.Principal { return c.caller }

// String returns the name of the canister, or its id if it has none.
func (c *Canister) String() string { return c.network.called(c.id) }

// As returns the same canister, called by a principal: a [User], or the id of another canister.
func (c *Canister) As(caller principal.Principal) *Canister {
	return &Canister{network: c.network, id: c.id, caller: caller}
}

// In returns the same canister in another network, such as a fork.
func (c *Canister) In(n *Network) *Canister {
	return &Canister{network: n, id: c.id, caller: c.caller}
}

// Name returns the network's name of a canister, "" if it has none.
func (c *Canister) Name() string { return c.network.nameOf(c.id) }

// readNetwork returns what a function reads in the network between two rounds.
func readNetwork[R any](ctx context.Context, n *Network, see func(*replica.Network) R) (R, error) {
	return driver.Ask(ctx, n.running.Instance.Driver(), see)
}

// apply gives the network an input. The error is a *Refusal if it was not accepted.
func (n *Network) apply(ctx context.Context, in replica.Input) error {
	_, err := n.applied(ctx, in)
	return err
}

func (n *Network) applied(ctx context.Context, in replica.Input) (replica.Result, error) {
	result, err := n.running.Driver().Apply(ctx, in)
	if err == nil && result.Refusal != nil {
		err = result.Refusal
	}
	return result, err
}

// Now returns the time of the network.
func (n *Network) Now(ctx context.Context) (time.Time, error) {
	at, err := n.running.Now(ctx)
	return stamp(at), err
}

// Advance lets time pass naturally: each timer on the way fires when it is due, and its consequences run at their own
// time.
func (n *Network) Advance(ctx context.Context, by time.Duration) error {
	if by <= 0 {
		return fmt.Errorf("invalid duration %s: expected a positive one, because time never goes back", by)
	}
	_, err := n.running.Advance(ctx, instance.Advance{By: by})
	return err
}

// AdvanceTo is [Network.Advance] up to a time, which must not have passed.
func (n *Network) AdvanceTo(ctx context.Context, at time.Time) error {
	now, err := n.Now(ctx)
	if err != nil {
		return err
	}
	if !at.After(now) {
		return fmt.Errorf("invalid time %s: expected one after %s, because time never goes back", at.UTC().Format(time.RFC3339Nano), now.Format(time.RFC3339Nano))
	}
	return n.Advance(ctx, at.Sub(now))
}

// AdvanceToTimer is [Network.Advance] up to the next timer of a canister. The error is a *[Refusal] if no timer is set.
func (n *Network) AdvanceToTimer(ctx context.Context) error {
	at, err := n.running.Time(ctx)
	switch {
	case err != nil:
		return err
	case at.NextTimer == 0:
		return refusal.New(refusal.Conflict, "no canister has a timer set: time passes with Advance")
	}
	_, err = n.running.Advance(ctx, instance.Advance{})
	return err
}

// Settle runs rounds until no work is left at the present time.
func (n *Network) Settle(ctx context.Context) error {
	_, err := n.running.RunUntil(ctx, instance.Idle(), 0)
	return err
}

// Timer is a global timer that a canister has set.
type Timer struct {
	Canister principal.Principal
	Due      time.Time
}

// Timers returns the timers that canisters have set, the next one first.
func (n *Network) Timers(ctx context.Context) ([]Timer, error) {
	return readNetwork(ctx, n, func(net *replica.Network) (all []Timer) {
		page := introspect.Page{}
		for {
			some, next := net.Introspect().Timers(page)
			for _, t := range some {
				if t.Kind == timers.GlobalTimer {
					all = append(all, Timer{t.Canister, stamp(t.Due)})
				}
			}
			if next == nil {
				return all
			}
			page.After = *next
		}
	})
}

// Fork makes a second network that continues from the present of this one, with the same canisters under the same names
// ([Network.Canister], [Canister.In]). The two share memory until one of them writes: the cost of a fork does not
// depend on the size of the canisters. The caller must close it.
func (n *Network) Fork(ctx context.Context) (*Network, error) {
	made, err := inprocess.Start(n.running.Cache(), front{n.outcalls}, func(r *instance.Registry, name string) (*instance.Instance, error) {
		return r.Fork(ctx, &instance.ForkSpec{Placement: instance.Placement{Name: name}, Source: n.running.Name()})
	})
	if err != nil {
		return nil, fmt.Errorf("forking the network: %w", err)
	}
	fork := newNetwork(made, n.outcalls, n.budgets)
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

// stamp returns a time of the network.
func stamp(ns uint64) time.Time { return time.Unix(0, int64(ns)).UTC() }

// User returns the principal of a user with a name, the same in every network. Calls can be made as any principal,
// without a key ([Canister.As]).
func User(name string) principal.Principal {
	return principal.SelfAuthenticating([]byte("canisterd user " + name))
}
