package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/cmd/canisterd/internal/deployed"
	"github.com/canisterd/canisterd/internal/project"
)

// givenName is a name for a canister that is not created by deploy; "" for none.
type givenName struct {
	name, folder string
	store        *deployed.Store
	network      network
}

// freeName returns a name of the present project that no canister of the network has.
func (c *cli) freeName(ctx context.Context, d *remote.Daemon, name string) (*givenName, error) {
	if name == "" {
		return &givenName{}, nil
	}
	if err := project.CheckName(name); err != nil {
		return nil, err
	}
	g := &givenName{name: name, folder: project.Nearest()}
	var err error
	if g.store, err = deployed.Read(g.folder); err != nil {
		return nil, err
	}
	if g.network, err = c.networkOf(ctx, d); err != nil {
		return nil, err
	}
	ids := g.store.Live(g.network.Network)
	if err := g.store.TakeFolder(g.folder, g.network.Network, ids); err != nil {
		return nil, err
	}
	if ids[name] == "" {
		return g, nil
	}
	if found, err := c.existing(ctx, d, ids[name]); err != nil || found == nil {
		return g, err
	}
	return nil, fmt.Errorf("%s is the name of %s: choose another, or delete that canister first (canisterd canister delete %[1]s --stop)", name, ids[name])
}

// take records that a canister has the name; without one it notes how canisters get theirs.
func (g *givenName) take(ctx context.Context, c *cli, d *remote.Daemon, id string) error {
	if g.name == "" {
		c.note("note: the canister has no name and no code: canisterd canister create NAME names one, and canisterd deploy creates and installs the canisters of a directory")
		return nil
	}
	now, err := c.networkOf(ctx, d)
	if err != nil {
		return err
	}
	ids := g.store.Live(now.Network)
	ids[g.name] = id
	g.store.Put(now.Network, c.instanceName(), ids, now.Height)
	if err := g.store.Write(g.folder); err != nil {
		return fmt.Errorf("canister %s was created, but its name was not recorded in %s: %w", id, filepath.Join(g.folder, deployed.File), err)
	}
	return nil
}
