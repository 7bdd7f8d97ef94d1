package main

import (
	"context"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// adopt gives the canisters of a network from a file the names under which this folder deployed them: those with ids of
// the folder that have the same name in their own environment.
func (c *cli) adopt(ctx context.Context, d *remote.Daemon, made *controlv1.Instance) error {
	s, folder := deployed.Nearest(c.folder)
	adopted := names{}
	for _, stored := range s.Networks {
		for name, known := range stored.Canisters {
			got, err := d.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: made.GetName(), CanisterId: known.ID})
			if err == nil && ownName(got.GetCanister()) == name {
				adopted[name] = known.ID
			}
		}
	}
	if len(adopted) == 0 {
		return nil
	}
	s.Put(deployed.Network{ID: made.GetNetworkId()}, made.GetName(), adopted, made.GetHeight())
	return s.Write(folder)
}
