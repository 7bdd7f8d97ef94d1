package main

import (
	"context"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/internal/project"
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
			if err == nil && namesItself(got.GetCanister(), name) {
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

// namesItself reports whether a canister has a name in its own environment.
func namesItself(found *controlv1.Canister, name string) bool {
	for _, v := range found.GetSettings().GetEnvironment().GetVariables() {
		if v.GetName() == project.IDVariable+name {
			return v.GetValue() == found.GetCanisterId()
		}
	}
	return false
}
