package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/internal/project"
)

// givenName is a name for a canister that is not created by deploy; "" for none.
type givenName struct {
	name, folder string
	store        *store
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
	if g.store, err = readStore(g.folder); err != nil {
		return nil, err
	}
	if g.network, err = c.networkOf(ctx, d); err != nil {
		return nil, err
	}
	ids := g.store.live(g.network)
	if err := g.store.takeFolder(g.folder, g.network, ids); err != nil {
		return nil, err
	}
	if ids[name] == "" {
		return g, nil
	}
	if there, err := c.existing(ctx, d, ids[name]); err != nil || there == nil {
		return g, err
	}
	return nil, fmt.Errorf("%s is the name of %s: take another, or delete that canister first (canisterd canister delete %[1]s --stop)", name, ids[name])
}

// take records that a canister has the name; without one it notes how canisters get theirs.
func (g *givenName) take(ctx context.Context, c *cli, d *remote.Daemon, id string) error {
	if g.name == "" {
		c.note("note: it has neither name nor code: canisterd canister create NAME names it, and canisterd deploy creates and installs the canisters of a folder")
		return nil
	}
	now, err := c.networkOf(ctx, d)
	if err != nil {
		return err
	}
	ids := g.store.live(now)
	ids[g.name] = id
	g.store.put(now, c.instanceName(), ids, now.height)
	if err := g.store.write(g.folder); err != nil {
		return fmt.Errorf("canister %s was created, and its name not recorded in %s: %w", id, filepath.Join(g.folder, namesFile), err)
	}
	return nil
}
