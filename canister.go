package canisterd

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/introspect"
)

// T is a trillion cycles: 5 * canisterd.T.
const T = 1_000_000_000_000

// Canister is a canister of a network, called by a user: the anonymous one unless [Canister.As] sets another.
type Canister struct {
	network *Network
	id      principal.Principal
	caller  principal.Principal
	// described is the interface of its module, once it was read. It changes with the module.
	described atomic.Pointer[described]
}

// ID returns the id of the canister.
func (c *Canister) ID() principal.Principal { return c.id }

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

// Upgrade installs a module from a file and keeps the state: stable memory, and the main memory if both modules request
// it (enhanced orthogonal management.Persistence). It ignores all options except [Init].
func (c *Canister) Upgrade(ctx context.Context, path string, options ...DeployOption) error {
	return c.installFile(ctx, path, upgrade, options)
}

// Reinstall installs a module from a file and drops the state. It ignores all options except [Init].
func (c *Canister) Reinstall(ctx context.Context, path string, options ...DeployOption) error {
	return c.installFile(ctx, path, reinstall, options)
}

// Start starts a stopped canister.
func (c *Canister) Start(ctx context.Context) error { return c.about(ctx, "start_canister") }

// Stop stops the canister, once its open calls are answered.
func (c *Canister) Stop(ctx context.Context) error { return c.about(ctx, "stop_canister") }

// Delete deletes a stopped canister.
func (c *Canister) Delete(ctx context.Context) error { return c.about(ctx, "delete_canister") }

// about calls, as its controller, a method of the management canister whose only argument is the canister.
func (c *Canister) about(ctx context.Context, method string) error {
	return c.manage(ctx, method, management.Canister{ID: c.id})
}

// report describes the canister.
func (c *Canister) report(ctx context.Context) (introspect.CanisterReport, error) {
	type described struct {
		introspect.CanisterReport
		there bool
	}
	seen, err := look(ctx, c.network, func(n *replica.Network) described {
		r, there := n.Introspect().Report(c.id)
		return described{r, there}
	})
	if err == nil && !seen.there {
		err = fmt.Errorf("the network has no canister %s", c)
	}
	return seen.CanisterReport, err
}

// Cycles returns the balance of the canister. A balance that a uint64 does not hold is an error.
func (c *Canister) Cycles(ctx context.Context) (uint64, error) {
	r, err := c.report(ctx)
	if err == nil && r.Balance.Hi != 0 {
		err = fmt.Errorf("invalid balance of %s: expected at most 18,446,744 T, got %s cycles", c, r.Balance)
	}
	return r.Balance.Lo, err
}

// AddCycles adds newly created cycles to the balance.
func (c *Canister) AddCycles(ctx context.Context, amount uint64) error {
	return c.network.apply(ctx, replica.AddCycles{Canister: c.id, Amount: cycles.Of(amount)})
}

// SetCycles sets the balance.
func (c *Canister) SetCycles(ctx context.Context, amount uint64) error {
	return c.network.apply(ctx, replica.SetCycles{Canister: c.id, Amount: cycles.Of(amount)})
}

// Logs returns the lines that the canister has printed, the oldest first, as far as its log has room for them. A trap
// is also a line.
func (c *Canister) Logs(ctx context.Context) ([]string, error) {
	if _, err := c.report(ctx); err != nil {
		return nil, err
	}
	return look(ctx, c.network, func(n *replica.Network) (lines []string) {
		k := n.Canister(c.id)
		if k == nil {
			return nil
		}
		var records []canister.LogRecord
		for i := range k.Logs.Len() {
			records = append(records, k.Logs.At(i))
		}
		for _, r := range records {
			lines = append(lines, string(r.Content))
		}
		return lines
	})
}
