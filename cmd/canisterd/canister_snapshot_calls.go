package main

import (
	"context"
	"errors"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
)

// snapshotsOf returns a canister whose snapshots the sender manages.
func (c *cli) snapshotsOf(d *remote.Daemon, canister string) (clone.Canister, error) {
	id, err := principal.Parse(canister)
	if err != nil {
		return clone.Canister{}, err
	}
	sender, err := c.sender()
	return clone.Canister{ID: id, Caller: c.caller(d, c.instance, sender)}, err
}

// caller calls methods of the management canister in an instance.
func (c *cli) caller(d *remote.Daemon, instance, sender string) clone.Caller {
	return &managementCaller{networks.Instance{Daemon: d, Name: instance, Sender: sender}, c}
}

// managementCaller adds the call to a reject, as all commands do.
type managementCaller struct {
	instance networks.Instance
	cli      *cli
}

// Call calls a method as the sender.
func (m *managementCaller) Call(ctx context.Context, canister principal.Principal, method string, argument []byte) ([]byte, error) {
	reply, err := m.instance.Call(ctx, canister, method, argument)
	var rejected *networks.Rejected
	if errors.As(err, &rejected) {
		return nil, &clone.AnsweredError{Err: m.cli.rejected(principal.Management.String(), method, rejected.Reject)}
	}
	return reply, err
}
