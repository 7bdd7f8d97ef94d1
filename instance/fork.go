package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/canisterd/canisterd/replica"
)

// Fork makes an instance that continues from the present of another, from one of its snapshots, or from a past state in
// its journal.
func (r *Registry) Fork(ctx context.Context, spec *ForkSpec) (*Instance, error) {
	source, err := r.Instance(spec.Source)
	if err != nil {
		return nil, err
	}
	if err := checkName("name", spec.Name); err != nil {
		return nil, err
	}
	pacing := source.Pacing()
	if spec.Pacing != nil {
		if pacing, err = spec.Pacing.decided(); err != nil {
			return nil, err
		}
	}
	return r.admit(ctx, &spec.Placement, func(name string) (*startConfig, error) {
		// The engine outlives the source: the fork becomes a user before it is made.
		engine := r.engines.share(source.engine)
		ahead := time.Duration(0)
		if spec.At == nil {
			ahead = source.ahead(spec.Snapshot)
		}
		network, ancestors, err := source.stateOf(ctx, spec)
		if err != nil {
			return nil, errors.Join(err, r.engines.leave(engine))
		}
		about := About{
			Outcalls: source.about.Outcalls, Reach: source.about.Reach, Seed: source.about.Seed, StateDir: source.about.StateDir, ForkedFrom: source.name,
		}
		switch {
		case spec.Snapshot != "":
			about.ForkedFrom += "@" + spec.Snapshot
		case spec.At != nil:
			about.ForkedFrom += fmt.Sprintf("@%d", network.Activity().Height)
		}
		f := &startConfig{about: about, pacing: pacing, ahead: ahead, engine: engine, ancestors: ancestors, budgets: source.driver.Budgets()}
		if err := r.keepFrom(r.keptIn(&spec.Placement, name), network, source.persister, f); err != nil {
			return nil, errors.Join(err, r.engines.leave(engine))
		}
		return f, nil
	})
}

// stateOf returns the network that a fork continues, with its lineage.
func (i *Instance) stateOf(ctx context.Context, spec *ForkSpec) (*replica.Network, []Ancestor, error) {
	config := replica.ForkConfig{Reseed: spec.Reseed}
	if spec.At == nil {
		return i.frozen(ctx, spec.Snapshot, config)
	}
	if spec.Snapshot != "" {
		return nil, nil, BadField.Refuse("at", fmt.Sprintf("%q", spec.At.String()), "a fork goes on from a snapshot or from a past round, not from both")
	}
	return i.forkPast(ctx, spec.At, config)
}
