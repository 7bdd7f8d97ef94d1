package instance

import (
	"context"
	"errors"

	"github.com/canisterd/canisterd/replica"
)

// Fork makes an instance that goes on from the present of another, or from one of its
// snapshots.
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
		// The engine outlives the source: the fork has a use of it before it is made.
		engine := r.engines.share(source.engine)
		ahead := source.ahead(spec.Snapshot)
		network, ancestors, err := source.frozen(ctx, spec.Snapshot, replica.ForkConfig{Reseed: spec.Reseed})
		if err != nil {
			return nil, errors.Join(err, r.engines.leave(engine))
		}
		about := About{
			Outcalls: source.about.Outcalls, Reach: source.about.Reach, Seed: source.about.Seed, StateDir: source.about.StateDir, ForkedFrom: source.name,
		}
		if spec.Snapshot != "" {
			about.ForkedFrom += "@" + spec.Snapshot
		}
		f := &startConfig{about: about, pacing: pacing, ahead: ahead, engine: engine, ancestors: ancestors}
		if err := r.keepFrom(r.keptIn(&spec.Placement, name), network, f); err != nil {
			return nil, errors.Join(err, r.engines.leave(engine))
		}
		return f, nil
	})
}
