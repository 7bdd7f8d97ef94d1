package canisterd

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// Freeze returns the present of the network as a network without a goroutine, for package explore, which runs forks of
// it. The caller closes it.
func (n *Network) Freeze(ctx context.Context) (*replica.Network, error) {
	return n.running.Node().Snapshot(ctx, replica.ForkConfig{})
}

// Name returns the network's name of a canister, "" if it has none.
func (c *Canister) Name() string { return c.network.nameOf(c.id) }

// Message returns the message of an update call without making it, for package explore. The id and the expiry are not
// set. Arguments are as in [Canister.Call].
func (c *Canister) Message(ctx context.Context, method string, args ...any) (*replica.Ingress, error) {
	args, _ = split(args)
	arg, err := c.argument(method, c.method(ctx, method), args)
	if err != nil {
		return nil, err
	}
	effective := c.id
	if c.id == principal.Management {
		effective = aboutOf(arg, c.network.running.Node().View().DefaultCanister())
	}
	return &replica.Ingress{
		Sender: c.caller, Receiver: c.id, Effective: effective, Method: method, Arg: arg, Size: replica.EnvelopeBytes + len(method) + len(arg),
	}, nil
}

// QueryBy is [Canister.Query] in a state that ask holds, for package explore.
func (c *Canister) QueryBy(ctx context.Context, ask func(*replica.Query) ([]byte, error), method string, args ...any) error {
	args, targets := split(args)
	described := c.method(ctx, method)
	arg, err := c.argument(method, described, args)
	if err != nil {
		return err
	}
	reply, err := ask(&replica.Query{Sender: c.caller, Receiver: c.id, Effective: c.id, Method: method, Arg: arg})
	if err != nil {
		return fmt.Errorf("%s.%s: %w", c, method, err)
	}
	return c.read(method, described, reply, targets)
}

// Argument encodes an argument of a method as Candid bytes, for package explore. Arguments are as in [Canister.Call].
func (c *Canister) Argument(ctx context.Context, method string, args ...any) ([]byte, error) {
	return c.argument(method, c.method(ctx, method), args)
}
