package deploy

import (
	"cmp"
	"context"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
)

// Clone makes the clone that a canister of the project is, from the snapshot that is kept. Nothing is read from a network:
// each deployment begins with the same state.
func (f *fresh) Clone(ctx context.Context, name string) error {
	spec := f.project.Canisters[name]
	id, err := principal.Parse(spec.Clone.ID)
	if err != nil {
		return fmt.Errorf("clone: id: %w", err)
	}
	kept, err := keptSnapshot(f.project, id, cmp.Or(spec.Clone.From, clone.FromMainnet))
	if err != nil {
		return err
	}
	options := clone.LoadOptions{Controller: principal.Anonymous}
	if options.Cycles, err = quantity.ParseCycles(spec.Cycles); err != nil {
		return err
	}
	if f.Sender != "" {
		if options.Controller, err = principal.Parse(f.Sender); err != nil {
			return err
		}
	}
	to := &clone.Destination{Instance: clone.Instance{Daemon: f.Daemon, Name: f.Instance}}
	if _, err := to.Load(ctx, id, kept, options); err != nil {
		return err
	}
	f.ids[name] = spec.Clone.ID
	return nil
}

// keptSnapshot returns the newest snapshot of a canister in the cache of a project that is from a source.
func keptSnapshot(p *project.Project, id principal.Principal, from string) (*clone.Entry, error) {
	cache := clone.CacheIn(p.Folder())
	for _, source := range []string{from, p.Path(from)} { // a file is known by its path
		if e, err := cache.Newest(id, source); e != nil || err != nil {
			return e, err
		}
	}
	return nil, fmt.Errorf("no snapshot of %s from %s is kept: canisterd deploy reads one, and canisterd clone %[1]s --from %[2]s --take takes one", id, from)
}
