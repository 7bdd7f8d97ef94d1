package kept

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/quantity"
)

// Load makes the clone that a canister of a project is, from the snapshot that is kept, or its stand-in. Nothing is read from
// a network, and nothing is written to the folder: each deployment begins with the same state. controller is added to the
// controllers of the source.
func Load(ctx context.Context, to *clone.Destination, p *project.Project, name string, controller principal.Principal) error {
	spec := p.Canisters[name]
	id, err := principal.Parse(spec.Clone.ID)
	if err != nil {
		return fmt.Errorf("clone: id: %w", err)
	}
	members := []*clone.Member{{Canister: id}}
	if members[0].Recording, err = p.StandIn(name); members[0].Recording == nil && err == nil {
		members, err = membersOf(p, id, spec.Clone)
	}
	if err != nil {
		return err
	}
	options := clone.LoadOptions{Controller: controller, Unrecorded: true}
	if options.Cycles, err = quantity.ParseCycles(spec.Cycles); err != nil {
		return err
	}
	choices, err := Choices(spec.Clone.StandIns, spec.Clone.Init)
	if err != nil {
		return err
	}
	for _, m := range slices.Backward(members) { // a canister after those that it calls
		with := options
		if m.Canister != id {
			left, err := leftAlone(ctx, to, p, m.Canister)
			if err != nil {
				return err
			}
			if left {
				continue
			}
			with.Cycles = ""
		}
		if err := load(ctx, to, m, choices, with); err != nil {
			return err
		}
	}
	return nil
}

// leftAlone reports whether a canister that another one calls is a clone of the project itself, or has code by then.
func leftAlone(ctx context.Context, to *clone.Destination, p *project.Project, id principal.Principal) (bool, error) {
	for _, other := range p.Canisters {
		if other.Clone != nil && other.Clone.ID == id.String() {
			return true, nil
		}
	}
	found, err := to.Existing(ctx, id)
	return found != nil && found.HasCode, err
}

func load(ctx context.Context, to *clone.Destination, m *clone.Member, choices *clone.Choices, options clone.LoadOptions) (err error) {
	if m.Entry == nil {
		_, err = to.Substitute(ctx, m, choices, options.Controller)
	} else {
		_, err = to.Load(ctx, m.Canister, m.Entry, options)
	}
	return err
}

// membersOf returns the newest snapshot of a canister in the cache of a project that is from its source, with those of the
// canisters that it calls if the project asks for them.
func membersOf(p *project.Project, id principal.Principal, spec *project.Clone) ([]*clone.Member, error) {
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
