package deploy

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Clone makes the clone that a canister of the project is, from the snapshot that is kept, or its stand-in. Nothing is read
// from a network: each deployment begins with the same state.
func (f *fresh) Clone(ctx context.Context, name string) error {
	spec := f.project.Canisters[name]
	id, err := principal.Parse(spec.Clone.ID)
	if err != nil {
		return fmt.Errorf("clone: id: %w", err)
	}
	members := []*clone.Member{{Canister: id}}
	if members[0].Recording, err = f.project.StandIn(name); members[0].Recording == nil && err == nil {
		members, err = keptMembers(f.project, id, spec.Clone)
	}
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
	for _, m := range slices.Backward(members) { // a canister after those that it calls
		if err := f.load(ctx, m, id, options); err != nil {
			return err
		}
	}
	f.ids[name] = spec.Clone.ID
	return nil
}

// load makes a member of the set of a canister: a clone, or a stand-in. Other clones of the project, and canisters that the
// instance has by then, are left alone.
func (f *fresh) load(ctx context.Context, m *clone.Member, of principal.Principal, options clone.LoadOptions) error {
	to := &clone.Destination{Instance: clone.Instance{Daemon: f.Daemon, Name: f.Instance}}
	if m.Canister != of {
		for _, other := range f.project.Canisters {
			if other.Clone != nil && other.Clone.ID == m.Canister.String() {
				return nil
			}
		}
		found, err := f.Daemon.Canisters.GetCanister(ctx, &controlv1.GetCanisterRequest{Instance: f.Instance, CanisterId: m.Canister.String()})
		switch {
		case err != nil && !remote.IsNotFound(err):
			return err
		case len(found.GetCanister().GetModuleHash()) > 0:
			return nil
		}
		options.Cycles = ""
	}
	if m.Recording != nil {
		return to.StandIn(ctx, m.Recording, options.Controller)
	}
	_, err := to.Load(ctx, m.Canister, m.Entry, options)
	return err
}

// keptMembers returns the newest snapshot of a canister in the cache of a project that is from its source, with those of the
// canisters that it calls if the project asks for them.
func keptMembers(p *project.Project, id principal.Principal, spec *project.Clone) ([]*clone.Member, error) {
	cache, from, with := clone.CacheIn(p.Folder()), cmp.Or(spec.From, clone.FromMainnet), "--take"
	if spec.Dependencies {
		with += " --with-dependencies"
	}
	for _, source := range []string{from, p.Path(from)} { // a file is known by its path
		if spec.Dependencies {
			if all, err := cache.Cached(id, source); all != nil || err != nil {
				return all, err
			}
			continue
		}
		if e, err := cache.Newest(id, source); e != nil || err != nil {
			return []*clone.Member{{Canister: id, Entry: e}}, err
		}
	}
	return nil, fmt.Errorf("no snapshot of %s from %s is kept: canisterd deploy reads one, and canisterd clone %[1]s --from %[2]s %s takes one", id, from, with)
}
