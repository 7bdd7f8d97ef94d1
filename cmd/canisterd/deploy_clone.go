package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/kept"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/standin"
)

// Clone makes the clone that a canister of the project is, unless the instance has it: from the cache, or else from the
// newest snapshot at the source. A stand-in is made from its file, also if the instance has one with other replies.
func (x *deploying) Clone(ctx context.Context, name string) error {
	id := x.project.Canisters[name].Clone.ID
	found, err := x.inspect(ctx, id)
	if err != nil {
		return err
	}
	r, err := x.project.StandIn(name)
	switch {
	case err != nil:
		return err
	case r != nil:
		x.cloned[name], err = x.standIn(ctx, r, found.GetModuleHash())
	case len(found.GetModuleHash()) == 0:
		x.cloned[name], err = true, x.clone(ctx, name)
	}
	if err != nil {
		return err
	}
	x.ids[name] = id
	return x.record(ctx)
}

// standIn makes a stand-in, and reports whether the instance had no such one.
func (x *deploying) standIn(ctx context.Context, r *standin.Recording, hash []byte) (made bool, err error) {
	module, err := standin.Module(r)
	if err != nil {
		return false, err
	}
	if wanted := sha256.Sum256(module); bytes.Equal(hash, wanted[:]) {
		return false, nil
	}
	one, err := x.cli.newCloning(x.daemon, &cloneFlags{}, x.project.Folder())
	if err != nil {
		return false, err
	}
	return true, one.destination().StandIn(ctx, r, one.sender)
}

func (x *deploying) clone(ctx context.Context, name string) error {
	spec := x.project.Canisters[name]
	f := &cloneFlags{from: spec.Clone.From, cycles: spec.Cycles, dependencies: spec.Clone.Dependencies}
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
	one.others = x.project.Canisters
	if one.choices, err = kept.Choices(spec.Clone.StandIns, spec.Clone.Init); err != nil {
		return err
	}
	members, err := one.cachedOrFetched(ctx, id)
	if err != nil {
		return err
	}
	all, err := one.loadAll(ctx, members)
	if err != nil {
		return err
	}
	one.tellSubstitutions(all)
	return nil
}

// cachedOrFetched returns the newest snapshot in the cache that is from the source, or else the newest at the source; with
// dependencies those of all canisters of the set.
func (x *cloning) cachedOrFetched(ctx context.Context, id principal.Principal) ([]*clone.Member, error) {
	cached, err := x.cached(ctx, id)
	if cached != nil || err != nil {
		return cached, err
	}
	closed, err := x.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer closed()
	members, err := x.gather(ctx, []principal.Principal{id})
	var none *clone.NoSnapshotError
	if errors.As(err, &none) {
		with := "--take"
		if x.flags.dependencies {
			with += " --with-dependencies"
		}
		return nil, fmt.Errorf("canister %s has no snapshot at %s: canisterd clone %s --from %s %s takes one and keeps it for %s", none.Canister, x.flags.from, id, x.flags.from, with, project.File)
	}
	return members, err
}

// cached returns what the cache has of a clone, without the canisters that the instance has; nil: not all of it.
func (x *cloning) cached(ctx context.Context, id principal.Principal) (members []*clone.Member, err error) {
	if !x.flags.dependencies {
		e, err := x.cache.Newest(id, x.flags.from)
		if e == nil || err != nil {
			return nil, err
		}
		return []*clone.Member{{Canister: id, Entry: e}}, nil
	}
	all, err := x.cache.Cached(id, x.flags.from)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		exists := false
		if m.Canister != id {
			if exists, err = x.exists(ctx, m.Canister); err != nil {
				return nil, err
			}
		}
		if !exists {
			members = append(members, m)
		}
	}
	return members, nil
}
