package driver

import (
	"context"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica"
)

// AddDebugInfo keeps debug information for a module as uploaded, before or after it is installed ([canister.Engine.AddDebugInfo]).
func (d *Driver) AddDebugInfo(module []byte, info canister.DebugInfo) error {
	return d.engine.AddDebugInfo(module, info)
}

// WarmModule compiles a module that canisters have, in the form that they need next.
func (d *Driver) WarmModule(ctx context.Context, module []byte) error {
	return d.engine.Warm(canister.CompileFor(ctx, d, nil), module)
}

// prepareModule compiles the module that a message installs before the message enters, so that the owner of the network
// does not have to. Senders are authorized first: a message that would be refused compiles nothing. enters is false if
// the message must not enter, for example because its sender is gone: the owner would compile the module then.
func (d *Driver) prepareModule(ctx context.Context, in *replica.Ingress, clock Clock) (receipt replica.Receipt, enters bool, err error) {
	if err := ctx.Err(); err != nil {
		return replica.Receipt{}, false, err
	}
	verdict := make(chan replica.Result, 1)
	if err := d.askReadOnly(ctx, func(d *Driver) {
		d.moveTo(clock)
		verdict <- d.network.Authorize(in)
	}); err != nil {
		return replica.Receipt{}, false, err
	}
	switch result := <-verdict; {
	case result.Refusal != nil:
		return replica.Receipt{}, false, result.Refusal
	case result.Reject != nil || result.Known != 0:
		return replica.Receipt{Reject: result.Reject, Known: result.Known}, false, nil
	}
	compiling, cancel := context.WithCancel(canister.CompileFor(ctx, d, in.Sender))
	defer cancel()
	defer context.AfterFunc(d.open, cancel)()
	err = replica.Warm(compiling, d.engine, in)
	switch {
	case ctx.Err() != nil:
		return replica.Receipt{}, false, ctx.Err()
	case d.open.Err() != nil:
		return replica.Receipt{}, false, d.stopped()
	case err != nil:
		return replica.Receipt{}, false, refusal.New(refusal.Unavailable, "the module could not be compiled, try again later: %v", err)
	}
	return replica.Receipt{}, true, nil
}
