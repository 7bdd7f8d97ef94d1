package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/project"
)

// Clone makes the clone that a canister of the project is, unless the instance has it: from the cache, or else from the
// newest snapshot at the source.
func (x *deploying) Clone(ctx context.Context, name string) error {
	id := x.project.Canisters[name].Clone.ID
	found, err := x.inspect(ctx, id)
	if err != nil {
		return err
	}
	if len(found.GetModuleHash()) == 0 {
		if err := x.clone(ctx, name); err != nil {
			return err
		}
		x.cloned[name] = true
	}
	x.ids[name] = id
	return x.record(ctx)
}

func (x *deploying) clone(ctx context.Context, name string) error {
	spec := x.project.Canisters[name]
	f := &cloneFlags{from: spec.Clone.From, cycles: spec.Cycles}
	if f.from == "" {
		f.from = clone.FromMainnet
	}
	if at := x.project.Path(f.from); isSnapshotDirectory(at) || isExportedFile(at) {
		if !filepath.IsLocal(filepath.FromSlash(f.from)) && !x.cli.anywhere {
			return fmt.Errorf("clone: from: %s is outside the directory of the project: pass --allow-outside, or move it there", f.from)
		}
		f.from = at
	}
	one, err := x.cli.newCloning(x.daemon, f, x.project.Folder())
	if err != nil {
		return err
	}
	id, err := principal.Parse(spec.Clone.ID)
	if err != nil {
		return fmt.Errorf("clone: id: %w", err)
	}
	e, err := one.cachedOrFetched(ctx, id)
	if err != nil {
		return err
	}
	_, err = one.loaded(ctx, id, e, false)
	return err
}

// cachedOrFetched returns the newest snapshot in the cache that is from the source, or else the newest at the source.
func (x *cloning) cachedOrFetched(ctx context.Context, id principal.Principal) (*clone.Entry, error) {
	cached, err := x.cache.Newest(id, x.flags.from)
	if cached != nil || err != nil {
		return cached, err
	}
	closed, err := x.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer closed()
	e, err := x.fetch(ctx, id)
	var none *clone.NoSnapshotError
	if errors.As(err, &none) {
		return nil, fmt.Errorf("canister %s has no snapshot at %s: canisterd clone %[1]s --from %[2]s --take takes one and keeps it for %[3]s", id, x.flags.from, project.File)
	}
	return e, err
}
