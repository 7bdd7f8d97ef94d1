package project

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/candid/reference"
)

// Network is what the project says only for one network.
type Network struct {
	Canisters map[string]*Canister `yaml:"canisters" doc:"Canisters of the project, with the keys that differ in this network."`
}

// ReadFor is [Read] for a network that the project has a section for; "" is none.
func ReadFor(folder string, reach Reach, network string) (*Project, error) {
	p, err := parse(folder, reach)
	if err != nil {
		return nil, err
	}
	if err := p.checkNetworks(); err != nil {
		return nil, fmt.Errorf("%s: networks: %w", p.Path(File), err)
	}
	if network != "" {
		if err := p.selectNetwork(network); err != nil {
			return nil, err
		}
	}
	return p, p.completeAll()
}

// checkNetworks refuses canisters that only a network has.
func (p *Project) checkNetworks() error {
	for _, network := range slices.Sorted(maps.Keys(p.Networks)) {
		for _, name := range slices.Sorted(maps.Keys(p.Networks[network].Canisters)) {
			if p.Canisters[name] == nil {
				return fmt.Errorf("%s: %q is not a canister of the project%s", network, name, reference.Meant(name, slices.Sorted(maps.Keys(p.Canisters))))
			}
		}
	}
	return nil
}

// selectNetwork gives the canisters what the project says for a network. A key of an option or a list replaces what the
// canister has; settings and variables that the network does not have stay.
func (p *Project) selectNetwork(name string) error {
	network, found := p.Networks[name]
	if !found {
		names := slices.Sorted(maps.Keys(p.Networks))
		if len(names) == 0 {
			return fmt.Errorf("--network %s: %s has no networks: add them under networks:", name, p.Path(File))
		}
		return fmt.Errorf("--network %s: %s has no such network%s (it has %s)", name, p.Path(File), reference.Meant(name, names), strings.Join(names, ", "))
	}
	for canister, by := range network.Canisters {
		if by == nil {
			continue
		}
		spec := p.Canisters[canister]
		if by.Init+string(by.InitJSON)+by.InitHex+by.InitFile != "" { // one way to give arguments replaces each other one
			spec.Init, spec.InitJSON, spec.InitHex, spec.InitFile = "", "", "", ""
		}
		overlay(reflect.ValueOf(spec).Elem(), reflect.ValueOf(by).Elem())
	}
	return nil
}

// overlay sets the fields of a structure that another one has.
func overlay(on, by reflect.Value) {
	for i := range by.NumField() {
		from, to := by.Field(i), on.Field(i)
		switch {
		case !to.CanSet() || from.IsZero():
		case from.Kind() == reflect.Struct:
			overlay(to, from)
		case from.Kind() == reflect.Map && !to.IsNil():
			for _, key := range from.MapKeys() {
				to.SetMapIndex(key, from.MapIndex(key))
			}
		default:
			to.Set(from)
		}
	}
}
