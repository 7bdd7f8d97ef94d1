package daemon

import (
	"context"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/api/control"
	"github.com/canisterd/canisterd/daemon/instance"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/node"
)

// instancePath begins the paths of instances: /instances/NAME/api/v2/status.
const instancePath = "/instances/"

// defaultSubnets are those of a network nobody says anything about.
var defaultSubnets = []replica.SubnetConfig{{Kind: replica.NNS}, {Kind: replica.Application}}

// Create makes an instance, which runs when it returns.
func (d *Daemon) Create(ctx context.Context, spec *instance.Spec) (control.Instance, error) {
	pacing := settled(spec.Pacing)
	if err := pacing.Check(); err != nil {
		return nil, err
	}
	seed := d.seeds.next(spec.Seed)
	subnets := d.subnetsOf(spec)
	i, err := d.admit(ctx, &spec.Placement, func(string) (*startConfig, error) {
		engine, err := d.engines.in(spec.StateDir)
		if err != nil {
			return nil, err
		}
		return &startConfig{
			about: instance.About{Outcalls: d.outcallsOf(spec.Outcalls), Reach: d.reachOf(spec.Reach), Seed: seed, StateDir: spec.StateDir}, pacing: pacing, engine: engine,
			start: func(config node.Config) (*node.Node, error) {
				config.Network = replica.Config{
					Seed: seed, Start: d.startOf(spec), Subnets: subnets, Engine: engine.Engine, Version: Version(), Keys: &d.keys,
					SliceInstructions: spec.SliceInstructions, RoundInstructions: spec.RoundInstructions,
				}
				n, err := node.Start(config)
				if err != nil {
					return nil, instance.BadTopology.Refuse(err)
				}
				return n, nil
			},
		}, nil
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// subnetsOf are the subnets of an instance, without rate limits unless it or the daemon was
// told to have them.
func (d *Daemon) subnetsOf(spec *instance.Spec) []replica.SubnetConfig {
	subnets := slices.Clone(spec.Subnets)
	if len(subnets) == 0 {
		subnets = slices.Clone(defaultSubnets)
	}
	if !spec.RateLimits && !d.rateLimits {
		for i := range subnets {
			subnets[i].NoRateLimits = true
		}
	}
	return subnets
}

// outcallsOf is the mode of an instance: the daemon's where the instance says nothing.
func (d *Daemon) outcallsOf(mode *instance.OutcallMode) instance.OutcallMode {
	if mode == nil {
		return d.outcalls
	}
	return *mode
}

// reachOf is what the outcalls of an instance reach: as outcallsOf.
func (d *Daemon) reachOf(given instance.OutcallReach) instance.OutcallReach {
	if given.IsZero() {
		return d.reach
	}
	return given
}

func (d *Daemon) startOf(spec *instance.Spec) uint64 {
	switch {
	case spec.Start > 0:
		return spec.Start
	case spec.Pacing.Mode == Manual:
		return instance.Genesis
	}
	return uint64(d.wall().UnixNano())
}

// urlsOf is where the daemon serves the HTTP interface of an instance.
func (d *Daemon) urlsOf(name string) []string {
	under := d.URL() + instancePath + name
	if name == instance.Default {
		return []string{d.URL(), under}
	}
	return []string{under}
}

// instanceOf is the name in a path of the HTTP interface, and the path within the
// instance; "" is the default one.
func instanceOf(path string) (name, inside string) {
	rest, named := strings.CutPrefix(path, instancePath)
	if !named {
		return "", path
	}
	name, inside, _ = strings.Cut(rest, "/")
	return name, "/" + inside
}
