package daemon

import (
	"context"
	"errors"
	"io"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// Import makes an instance of a file. An error of the file is an *archive.Fault.
func (d *Daemon) Import(ctx context.Context, spec *instance.ImportSpec, file io.Reader) (control.Instance, error) {
	pacing := settled(spec.Pacing)
	if err := pacing.Check(); err != nil {
		return nil, err
	}
	i, err := d.admit(ctx, &spec.Placement, func(string) (*startConfig, error) {
		engine, err := d.engines.in(spec.StateDir)
		if err != nil {
			return nil, err
		}
		network, err := replica.Import(file, replica.Config{Engine: engine.Engine, Keys: &d.keys})
		if err != nil {
			return nil, errors.Join(err, d.engines.leave(engine))
		}
		about := instance.About{Outcalls: d.outcallsOf(spec.Outcalls), Reach: d.reachOf(spec.Reach), Seed: network.Seed(), StateDir: spec.StateDir}
		return &startConfig{about: about, pacing: pacing, engine: engine, start: func(config node.Config) (*node.Node, error) {
			return node.Wake(network, config), nil
		}}, nil
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}
