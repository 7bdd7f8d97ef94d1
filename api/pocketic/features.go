package pocketic

import (
	"maps"
	"slices"

	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
)

// featured parses which system canisters a client wants, and adds the subnets that they need: a root subnet and others
// of their kinds, as in PocketIC.
func (c *instanceConfig) featured(p *plan) error {
	for _, feature := range slices.Sorted(maps.Keys(c.Features)) {
		if c.Features[feature] == nil {
			continue
		}
		names, err := systemcanisters.Parse([]string{feature})
		if err != nil || feature == "all" {
			return unknownFeature(feature)
		}
		p.SystemCanisters = append(p.SystemCanisters, names...)
	}
	for _, name := range p.SystemCanisters {
		spec := &c.Subnets.NNS
		if name.Kind() == replica.II {
			spec = &c.Subnets.II
		}
		if *spec == nil {
			*spec = new(subnetSpec)
		}
	}
	return nil
}

// unknownFeature is for canisters that canisterd does not install.
func unknownFeature(feature string) error {
	where := ""
	if published := systemcanisters.Elsewhere(feature); published != "" {
		where = " (" + published + ")"
	}
	return failed("canisterd has no canisters for the feature %q of icp_features: leave it out, and install them yourself%s; it has registry, icp_token, cycles_minting, cycles_token, and ii if its module is in the folder %s", feature, where, systemcanisters.FolderVariable)
}

// beginning returns the earliest time of an instance, in nanoseconds: later with the cycles minting canister, as in
// PocketIC.
func (p *plan) beginning() uint64 {
	if slices.Contains(p.SystemCanisters, systemcanisters.CyclesMinting) {
		return mintingStart
	}
	return earliestStart
}
