package instance

import (
	"context"
	"errors"
	"io"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica"
)

// Import makes an instance from a file. An error in the file is an *archive.Fault.
func (r *Registry) Import(ctx context.Context, spec *ImportSpec, file io.Reader) (*Instance, error) {
	pacing, err := spec.Pacing.decided()
	if err != nil {
		return nil, err
	}
	return r.admit(ctx, &spec.Placement, func(name string) (*startConfig, error) {
		engine, err := r.engines.in(spec.StateDir)
		if err != nil {
			return nil, err
		}
		network, err := importNetwork(file, replica.Config{Engine: engine.Engine, Keys: &r.keys})
		if err != nil {
			return nil, errors.Join(err, r.engines.leave(engine))
		}
		about := About{Outcalls: r.outcallsOf(spec.Outcalls), Reach: r.reachOf(spec.Reach), Seed: network.Seed(), StateDir: spec.StateDir}
		f := &startConfig{about: about, pacing: pacing, engine: engine}
		if err := r.keepFrom(r.keptIn(&spec.Placement, name), network, nil, f); err != nil {
			return nil, errors.Join(err, r.engines.leave(engine))
		}
		return f, nil
	})
}

// importNetwork reads a network from a file. A panic in it becomes an error.
func importNetwork(file io.Reader, config replica.Config) (network *replica.Network, err error) {
	defer contain.Into(&err)
	return replica.Import(file, config)
}
