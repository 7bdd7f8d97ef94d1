package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/canisterd/canisterd/api/client"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/clone"
	"github.com/canisterd/canisterd/internal/clone/networks"
	"github.com/canisterd/canisterd/internal/project"
	"github.com/canisterd/canisterd/internal/standin"
)

// gather reads the snapshots of canisters, with --with-dependencies also of those that they call, and the files of
// stand-ins.
func (x *cloning) gather(ctx context.Context, ids []principal.Principal) ([]*clone.Member, error) {
	s := &clone.Set{Source: x.source, Cache: x.cache, Fetch: x.confirmAndFetch, Exists: x.exists, Follow: x.flags.dependencies, Recorded: x.recorded, Known: x.knownModule}
	for _, path := range x.flags.standIns {
		if _, err := principal.Parse(path); err == nil {
			continue // it is one of recorded
		}
		r, err := clone.ReadRecording(path)
		if err != nil {
			return nil, err
		}
		s.StandIns = append(s.StandIns, r)
	}
	if at, is := x.instanceSource(); is {
		s.Calls = at.Calls
	}
	var err error
	if s.Named, err = x.namedDependencies(); err != nil {
		return nil, err
	}
	members, err := s.Gather(ctx, ids)
	return members, x.explainReading(err)
}

// explainReading says what to do about a canister that the sender may not read at the source.
func (x *cloning) explainReading(err error) error {
	reject, is := errors.AsType[*client.Reject](err)
	if !is || !slices.Contains(notAllowed, reject.ErrorCode) {
		return err
	}
	return fmt.Errorf("%w (read as %s: pass the --identity of a controller, or record a stand-in with canisterd clone record)", err, x.sender)
}

// notAllowed are the error codes of rejects of those who are not controllers: to snapshots, and to the status.
var notAllowed = []string{"IC0512", "IC0542"}

// instanceSource returns the source if it is an instance of the daemon.
func (x *cloning) instanceSource() (at networks.Instance, is bool) {
	if x.source == nil {
		return at, false
	}
	caller, is := x.source.Caller.(*asController)
	if is {
		at = caller.of()
	}
	return at, is
}

// confirmAndFetch returns the snapshot of a canister, after the user has agreed that it replaces the one of the instance.
func (x *cloning) confirmAndFetch(ctx context.Context, id principal.Principal) (*clone.Entry, error) {
	replace, err := x.confirmReplaced(ctx, id)
	if err != nil {
		return nil, err
	}
	x.replaced[id] = replace
	return x.fetch(ctx, id)
}

// exists reports whether the instance has a canister with code, or will have it as a clone of the project.
func (x *cloning) exists(ctx context.Context, id principal.Principal) (bool, error) {
	for _, spec := range x.others {
		if spec.Clone != nil && spec.Clone.ID == id.String() {
			return true, nil
		}
	}
	found, err := x.existing(ctx, x.daemon, id.String())
	return len(found.GetModuleHash()) > 0, err
}

// namedDependencies returns the clones after which a clone is deployed, by the ids of both: after: of canisterd.yaml.
func (x *cloning) namedDependencies() (func(principal.Principal) []principal.Principal, error) {
	ids := map[principal.Principal][]principal.Principal{}
	named := func(id principal.Principal) []principal.Principal { return ids[id] }
	if !x.flags.dependencies || !project.Has(x.folder) {
		return named, nil
	}
	p, err := x.readProject(x.folder)
	if err != nil {
		return nil, err
	}
	for _, spec := range p.Canisters {
		if spec.Clone == nil {
			continue
		}
		from, err := principal.Parse(spec.Clone.ID)
		if err != nil {
			return nil, err
		}
		for _, name := range spec.After {
			if needed := p.Canisters[name]; needed != nil && needed.Clone != nil {
				to, err := principal.Parse(needed.Clone.ID)
				if err != nil {
					return nil, err
				}
				ids[from] = append(ids[from], to)
			}
		}
	}
	return named, nil
}

// loadAll loads the members of a set, canisters before those that call them, and describes all.
func (x *cloning) loadAll(ctx context.Context, members []*clone.Member) ([]*cloned, error) {
	all := make([]*cloned, len(members))
	for i := len(members) - 1; i >= 0; i-- {
		one, err := x.loadMember(ctx, members[i])
		if err != nil {
			return nil, err
		}
		all[i] = one
	}
	for i, m := range members {
		if m.Entry == nil {
			continue
		}
		if err := x.describeVariables(ctx, m.Entry, all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// loadMember loads a canister, or makes what takes its place.
func (x *cloning) loadMember(ctx context.Context, m *clone.Member) (*cloned, error) {
	if m.Entry != nil {
		one, err := x.loaded(ctx, m)
		if err == nil && m.Known != "" {
			one.Caller = m.Caller.String()
		}
		return one, err
	}
	return x.substituted(ctx, m)
}

// makeStandIn makes the stand-in of a recording in the instance, and describes it.
func (x *cloning) makeStandIn(ctx context.Context, r *standin.Recording, one *cloned) error {
	n := len(r.Replies)
	one.From, one.Replies = r.From, &n
	if err := x.destination().StandIn(ctx, r, x.sender); err != nil {
		return fmt.Errorf("making the stand-in for %s: %w", r.Canister, err)
	}
	found, err := x.existing(ctx, x.daemon, one.Canister)
	one.Subnet = found.GetSubnetId()
	return err
}
