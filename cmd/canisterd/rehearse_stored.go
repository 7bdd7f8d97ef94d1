package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// stored makes a temporary instance of the state that --snapshot names by its path: the file of an instance, or a directory
// with a snapshot of the canister. Commands are about that instance then. Otherwise it does nothing.
func (f *rehearseFlags) stored(ctx context.Context, c *cli, d *remote.Daemon, canister string) (end func() error, err error) {
	directory := isSnapshotDirectory(f.snapshot)
	switch file, err := os.Stat(f.snapshot); {
	case err != nil && strings.ContainsAny(f.snapshot, `/\`):
		return nil, fmt.Errorf("--snapshot: %w", err)
	case f.snapshot == "", !directory && (file == nil || !file.Mode().IsRegular()):
		return nil, nil //nolint:nilnil // nothing was made
	}
	lease, err := d.HoldLease(ctx)
	if err != nil {
		return nil, err
	}
	name := ""
	end = func() error {
		defer lease.Release()
		if name == "" {
			return nil
		}
		_, err := d.Instances.DeleteInstance(context.WithoutCancel(ctx), &controlv1.DeleteInstanceRequest{Instance: name})
		return err
	}
	load := f.imported
	if directory {
		load = f.clonedFrom
	}
	made, err := load(ctx, c, d, canister, lease.ID())
	if name = made; err != nil {
		return end, err
	}
	c.instance, f.snapshot = name, ""
	return end, c.adoptNames(ctx, d)
}

// imported makes an instance of a file, which canisterd instance export wrote.
func (f *rehearseFlags) imported(ctx context.Context, c *cli, d *remote.Daemon, _, lease string) (name string, err error) {
	from, total, err := source(f.snapshot)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }() // only for reading
	tell, done := c.progress("importing", total)
	defer done()
	made, err := d.Import(ctx, &controlv1.ImportOptions{Lease: lease, Pacing: manualPacing()}, from, tell)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.snapshot, err)
	}
	return made.GetName(), nil
}

// clonedFrom makes an instance with the canister of a directory with a snapshot.
func (f *rehearseFlags) clonedFrom(ctx context.Context, c *cli, d *remote.Daemon, canister, lease string) (name string, err error) {
	e, err := clone.Open(f.snapshot)
	if err != nil {
		return "", err
	}
	id, err := c.idOfSnapshot(canister, e)
	if err != nil {
		return "", err
	}
	if canister != id.String() {
		c.known().ids[canister] = id.String()
	}
	made, err := d.Instances.CreateInstance(ctx, &controlv1.CreateInstanceRequest{Lease: lease, Pacing: manualPacing()})
	if err != nil {
		return "", err
	}
	name = made.GetInstance().GetName()
	to := networks.To(networks.Instance{Daemon: d, Name: name}, nil)
	tell, told := c.transfer("loading " + id.String())
	defer told()
	_, err = to.Load(ctx, id, e, clone.LoadOptions{Controller: principal.Anonymous, Tell: tell})
	return name, err
}

func manualPacing() *controlv1.Pacing {
	return &controlv1.Pacing{Mode: controlv1.PacingMode_PACING_MODE_MANUAL}
}

// idOfSnapshot returns the id of a canister whose snapshot is in a directory: the given one, that of a clone in the project,
// that of the record of the clone, or that of a canister that was deployed.
func (c *cli) idOfSnapshot(canister string, e *clone.Entry) (principal.Principal, error) {
	if id, err := principal.Parse(canister); err == nil {
		return id, nil
	}
	if p, err := project.Read(project.Nearest(), c.reach()); err == nil {
		if cloned, found := p.Canisters[canister]; found && cloned.Clone != nil {
			return principal.Parse(cloned.Clone.ID)
		}
	}
	if e.Record.Canister != (principal.Principal{}) {
		return e.Record.Canister, nil
	}
	id, err := c.canisterOf(canister)
	if err != nil {
		return principal.Principal{}, fmt.Errorf("%s does not say which canister it is of: give the canister by its id (%w)", e.Folder, err)
	}
	return principal.Parse(id)
}

// adoptNames replaces the known names of canisters by those that canisters of the instance have for themselves in their
// environment. A name that is known and that no canister has stays.
func (c *cli) adoptNames(ctx context.Context, d *remote.Daemon) error {
	known := c.known()
	known.err = nil
	all, err := allCanisters(ctx, d, c.instance)
	if err != nil {
		return err
	}
	for _, s := range all {
		found, err := c.existing(ctx, d, s.GetCanisterId())
		if err != nil {
			return err
		}
		if name := ownName(found); name != "" {
			known.ids[name] = found.GetCanisterId()
			delete(known.stale, name)
		}
	}
	known.invert(known.ids)
	return nil
}

// ownName returns the name that a canister has for itself in its environment, "" for none.
func ownName(found *controlv1.Canister) string {
	for _, v := range found.GetSettings().GetEnvironment().GetVariables() {
		name, is := strings.CutPrefix(v.GetName(), project.IDVariable)
		if is && v.GetValue() == found.GetCanisterId() {
			return name
		}
	}
	return ""
}
