package instance

import (
	"cmp"
	"context"
	"slices"

	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// DefaultSubnets returns the default subnets of a network: a root subnet and an application subnet.
func DefaultSubnets() []replica.SubnetConfig {
	return []replica.SubnetConfig{{Kind: replica.NNS}, {Kind: replica.Application}}
}

// Create makes an instance, which is running when Create returns.
func (r *Registry) Create(ctx context.Context, spec *Spec) (*Instance, error) {
	pacing, err := spec.Pacing.decided()
	if err != nil {
		return nil, err
	}
	subnets := r.subnetsOf(spec)
	seed := r.seedOf(spec, len(subnets))
	return r.admit(ctx, &spec.Placement, func(name string) (*startConfig, error) {
		if dir := cmp.Or(spec.Journal, r.keptIn(&spec.Placement, name)); dir != "" {
			kept := *spec
			kept.Name, kept.Journal = name, dir
			return r.resume(&kept, pacing, replica.Config{
				Seed: seed, Start: r.startOf(spec), Subnets: subnets, Version: r.config.Version, Keys: &r.keys,
				SliceInstructions: spec.SliceInstructions, RoundInstructions: spec.RoundInstructions,
			}, false)
		}
		engine, err := r.engines.in(spec.StateDir)
		if err != nil {
			return nil, err
		}
		return &startConfig{
			about: About{Outcalls: r.outcallsOf(spec.Outcalls), Reach: r.reachOf(spec.Reach), Seed: seed, StateDir: spec.StateDir}, pacing: pacing, engine: engine,
			system: spec.SystemCanisters,
			start: func(config driver.Config) (*driver.Driver, error) {
				config.Network = replica.Config{
					Seed: seed, Start: r.startOf(spec), Subnets: subnets, Engine: engine.Engine, Version: r.config.Version, Keys: &r.keys,
					SliceInstructions: spec.SliceInstructions, RoundInstructions: spec.RoundInstructions,
				}
				d, err := driver.Start(config)
				if err != nil {
					return nil, BadTopology.Refuse(err)
				}
				return d, nil
			},
		}, nil
	})
}

// seedOf returns the seed of a new instance: its own if it has one. Once keysTogether others have none, it prepares the keys of the
// next ones as well, as if they had as many subnets.
func (r *Registry) seedOf(spec *Spec, subnets int) [SeedBytes]byte {
	if spec.Seed != nil {
		return *spec.Seed
	}
	seed, number := r.seeds.next()
	if instances := uint64(keysTogether / subnets); instances > 1 && number >= keysTogether && number%instances == 0 {
		seeds := make([][SeedBytes]byte, instances)
		for i := range seeds {
			seeds[i] = r.seeds.at(number + uint64(i))
		}
		r.keys.Prepare(seeds, subnets)
	}
	return seed
}

// subnetsOf returns the subnets of an instance, without rate limits unless it or the registry is configured with them.
func (r *Registry) subnetsOf(spec *Spec) []replica.SubnetConfig {
	subnets := slices.Clone(spec.Subnets)
	if len(subnets) == 0 {
		subnets = DefaultSubnets()
	}
	subnets = systemcanisters.Subnets(subnets, spec.SystemCanisters)
	if !spec.RateLimits && !r.config.RateLimits {
		for i := range subnets {
			subnets[i].NoRateLimits = true
		}
	}
	return subnets
}

// outcallsOf returns the outcall mode of an instance, by default the registry's.
func (r *Registry) outcallsOf(mode *OutcallMode) OutcallMode {
	if mode == nil {
		return r.config.Outcalls
	}
	return *mode
}

// reachOf does the same for what outcalls reach.
func (r *Registry) reachOf(given OutcallReach) OutcallReach {
	if given.IsZero() {
		return r.config.Reach
	}
	return given
}

func (r *Registry) startOf(spec *Spec) uint64 {
	switch {
	case spec.Start > 0:
		return spec.Start
	case spec.Pacing.TimeByWallClock():
		return uint64(r.config.Wall().UnixNano())
	}
	return Genesis
}
