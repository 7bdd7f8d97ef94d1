package canisterd

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/did"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// Call makes an update call and waits for its answer. The arguments are Go values, or one [Text] or [Bytes]; a
// *Canister becomes its id. [Into] receives the results. The error is a *[Reject] if the call was rejected, a
// *[Refusal] if it was not made, [ErrWaiting] if it is not answered before time passes or a message is released, or the
// error of ctx.
func (c *Canister) Call(ctx context.Context, method string, args ...any) error {
	pending, err := c.Submit(ctx, method, args...)
	if err != nil {
		return err
	}
	return pending.Await(ctx)
}

// Call is [Canister.Call] and returns the method's result.
func Call[R any](ctx context.Context, c *Canister, method string, args ...any) (result R, err error) {
	err = c.Call(ctx, method, append(args, Into(&result))...)
	return result, err
}

// Query makes a query call. Arguments and errors are as in [Canister.Call].
func (c *Canister) Query(ctx context.Context, method string, args ...any) error {
	args, targets := split(args)
	described := c.method(ctx, method)
	arg, err := c.argument(method, described, args)
	if err != nil {
		return err
	}
	result, err := c.network.running.Backend().Query(ctx, &replica.Query{
		Sender: c.caller, Receiver: c.id, Effective: c.id, Method: method, Arg: arg,
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s.%s: %w", c, method, err)
	case result.Reject != nil:
		return c.rejected(method, result.Reject, result.Backtrace)
	}
	return c.read(method, described, result.Reply, targets)
}

// Query is [Canister.Query] and returns the method's result.
func Query[R any](ctx context.Context, c *Canister, method string, args ...any) (result R, err error) {
	err = c.Query(ctx, method, append(args, Into(&result))...)
	return result, err
}

// Pending is an update call whose answer can be awaited.
type Pending struct {
	canister  *Canister
	method    string
	id        replica.RequestID
	subnet    principal.Principal
	targets   []any
	described *did.Method
}

// ID returns the id of the request in hex, for the commands of canisterd.
func (p *Pending) ID() string { return hex.EncodeToString(p.id[:]) }

// Submit makes an update call and does not wait. Rounds run when a call is awaited, time is moved, or [Network.Settle]
// is called. Arguments and errors are as in [Canister.Call].
func (c *Canister) Submit(ctx context.Context, method string, args ...any) (*Pending, error) {
	args, targets := split(args)
	effective := c.id
	if c.id == principal.Management {
		effective = c.network.running.Node().View().DefaultCanister()
	}
	pending, err := c.submit(ctx, method, effective, false, args...)
	if err != nil {
		return nil, err
	}
	pending.targets = targets
	return pending, nil
}

// submit makes a call that is routed by a canister id. Modules that it installs have any size.
func (c *Canister) submit(ctx context.Context, method string, effective principal.Principal, anySize bool, args ...any) (*Pending, error) {
	described := c.method(ctx, method)
	arg, err := c.argument(method, described, args)
	if err != nil {
		return nil, err
	}
	if c.id == principal.Management {
		effective = aboutOf(arg, effective)
	}
	r := c.network.running
	now, err := r.Now(ctx)
	if err != nil {
		return nil, err
	}
	in := &replica.Ingress{
		ID: r.Node().FreshID(c.caller, c.id, method), Sender: c.caller, Receiver: c.id, Effective: effective, Method: method, Arg: arg,
		Expiry: now + replica.MaxIngressTTL, Size: replica.EnvelopeBytes + len(method) + len(arg), AnySize: anySize,
	}
	for {
		receipt, err := r.Backend().Submit(ctx, in)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s.%s: %w", c, method, err)
		case receipt.Reject != nil:
			return nil, c.rejected(method, receipt.Reject, nil)
		case receipt.Known == 0:
			return c.pending(ctx, in, described)
		}
		in.ID = r.Node().FreshID(c.caller, c.id, method) // a restored or forked network may know the first
	}
}

// pending submits a call.
func (c *Canister) pending(ctx context.Context, in *replica.Ingress, described *did.Method) (*Pending, error) {
	p := &Pending{canister: c, method: in.Method, id: in.ID, described: described}
	var err error
	p.subnet, err = look(ctx, c.network, func(n *replica.Network) principal.Principal {
		subnet, _ := n.HostOf(in.Effective)
		return subnet
	})
	return p, err
}

// aboutOf returns the canister that a call of the management canister is about and is routed by.
func aboutOf(arg []byte, otherwise principal.Principal) principal.Principal {
	var about struct {
		Canister *principal.Principal `ic:"canister_id"`
		Target   *principal.Principal `ic:"target_canister"`
	}
	if candid.Unmarshal(arg, &about) == nil {
		for _, id := range []*principal.Principal{about.Canister, about.Target} {
			if id != nil {
				return *id
			}
		}
	}
	return otherwise
}

// Await waits for the answer and reads the results into the targets, or without any into those of [Canister.Submit].
// The errors are as in [Canister.Call]; a call may be awaited again.
func (p *Pending) Await(ctx context.Context, targets ...any) error {
	if _, named := split(targets); len(named) > 0 {
		targets = named
	}
	if len(targets) == 0 {
		targets = p.targets
	}
	return p.await(ctx, targets)
}

func (p *Pending) await(ctx context.Context, targets []any) error {
	c := p.canister
	answers := make(chan replica.IngressAnswer, 1)
	answered, err := c.network.running.AwaitHere(ctx, func(n *replica.Network) bool {
		a, _ := n.IngressAnswer(p.subnet, p.id)
		if a.Status != 0 && !a.Status.Terminal() {
			return false
		}
		answers <- a
		return true
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s.%s: %w", c, p.method, err)
	case !answered:
		return c.unanswered(ctx, p)
	}
	a := <-answers
	switch {
	case a.Status == 0 || a.Status == replica.Done:
		return fmt.Errorf("%s.%s: the network does not know the answer: it was restored, or more than five minutes have passed", c, p.method)
	case a.Reject != nil:
		return c.rejected(p.method, a.Reject, a.Backtrace)
	}
	return c.read(p.method, p.described, a.Reply, targets)
}

// unanswered returns the error for a call that waits, with what it waits for.
func (c *Canister) unanswered(ctx context.Context, p *Pending) error {
	why, err := look(ctx, c.network, func(n *replica.Network) string { return n.Introspect().WhyUnanswered(p.id).Text })
	switch {
	case err != nil:
		return fmt.Errorf("%s.%s: %w", c, p.method, err)
	case why == "":
		return fmt.Errorf("%s.%s is not answered: %w", c, p.method, ErrWaiting)
	}
	return fmt.Errorf("%s.%s is not answered (%s): %w", c, p.method, why, ErrWaiting)
}

// argument encodes the arguments of a call.
func (c *Canister) argument(method string, described *did.Method, args []any) ([]byte, error) {
	var types []*candid.Type
	text := encodeUntyped
	if described != nil {
		types, text = did.Types(described.Args), described.EncodeArgs
		if types == nil {
			types = []*candid.Type{}
		}
	}
	arg, err := encode(args, types, text)
	switch {
	case err != nil && described != nil:
		return nil, fmt.Errorf("%s.%s takes %s: %w", c, method, did.FormatTypes(described.Args), err)
	case err != nil:
		return nil, fmt.Errorf("%s.%s: %w", c, method, err)
	}
	return arg, nil
}

// read decodes a reply.
func (c *Canister) read(method string, described *did.Method, reply []byte, targets []any) error {
	err := decode(reply, targets, described)
	switch {
	case err != nil && described != nil:
		return fmt.Errorf("%s.%s replies %s: %w", c, method, did.FormatTypes(described.Results), err)
	case err != nil:
		return fmt.Errorf("reading the reply of %s.%s: %w", c, method, err)
	}
	return nil
}
