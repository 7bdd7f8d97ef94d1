package main

import (
	"context"
	"fmt"
	"time"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// network identifies the network of an instance.
type network struct {
	deployed.Network
	instance string
	created  time.Time
}

// network returns the network that the command is about.
func (c *cli) network(ctx context.Context) (n network, err error) {
	err = c.connected(ctx, func(ctx context.Context, d *remote.Daemon) error {
		n, err = c.networkOf(ctx, d)
		return err
	})
	return n, err
}

func (c *cli) networkOf(ctx context.Context, d *remote.Daemon) (network, error) {
	got, err := d.Instances.GetInstance(ctx, &controlv1.GetInstanceRequest{Instance: c.instance})
	if err != nil {
		return network{}, err
	}
	i := got.GetInstance()
	return network{
		deployed.Network{ID: i.GetNetworkId(), Ancestors: i.GetAncestors(), Height: i.GetHeight()}, i.GetName(), i.GetCreated().AsTime(),
	}, nil
}

// young is the greatest age of a network at which users may still look for canisters of the previous one.
const young = 24 * time.Hour

// youngNetwork explains why a canister may be missing; empty if the network is not new.
func (c *cli) youngNetwork(ctx context.Context) string {
	n, err := c.network(ctx)
	if err != nil || time.Since(n.created) > young {
		return ""
	}
	return "; " + n.since()
}

// since returns the age of a network, for users who look for canisters of an earlier one.
func (n network) since() string {
	if len(n.Ancestors) > 0 {
		return fmt.Sprintf("instance %s was restored or forked meanwhile", n.instance)
	}
	return fmt.Sprintf("instance %s was created %s ago, and canisters of earlier networks are gone", n.instance, ago(time.Since(n.created)))
}

// ago formats a duration in its largest unit.
func ago(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return count(uint64(d/(24*time.Hour)), "day")
	case d >= 2*time.Hour:
		return count(uint64(d/time.Hour), "hour")
	case d >= 2*time.Minute:
		return count(uint64(d/time.Minute), "minute")
	}
	return count(uint64(max(d, 0)/time.Second), "second")
}
