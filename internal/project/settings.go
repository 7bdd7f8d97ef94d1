package project

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/internal/quantity"
)

// IDVariable begins the name of the environment variable that tells a canister the id of another of its project.
const IDVariable = "PUBLIC_CANISTER_ID:"

// Given are the settings of a canister with ids in the places of names. What is nil was not given.
type Given struct {
	Controllers         []string // principals; none: not given
	ComputeAllocation   *uint64
	MemoryAllocation    *uint64 // bytes
	FreezingThreshold   *uint64 // seconds
	ReservedCyclesLimit *string // decimal digits
	WasmMemoryLimit     *uint64 // bytes
	WasmMemoryThreshold *uint64 // bytes
	LogMemoryLimit      *uint64 // bytes
	LogVisibility       *Visibility
	Environment         []Variable // by name
}

// Variable is an environment variable.
type Variable struct{ Name, Value string }

// Visibility says who reads something: controllers, everybody, or controllers and viewers.
type Visibility struct {
	Public  bool
	Viewers []string // principals
}

// ReadVisibility reads public, controllers, or principals with commas between them, which it does not check.
func ReadVisibility(text string) Visibility {
	switch text {
	case "public":
		return Visibility{Public: true}
	case "controllers", "":
		return Visibility{}
	}
	return Visibility{Viewers: strings.Split(text, ",")}
}

// Given are the settings of a canister, with the ids of all canisters in its environment. The principals are those of
// canisters and identities by name.
func (p *Project) Given(name string, principals map[string]string) (*Given, error) {
	spec := p.Canisters[name]
	given := &Given{
		ComputeAllocation: spec.Settings.ComputeAllocation, MemoryAllocation: (*uint64)(spec.Settings.MemoryAllocation),
		FreezingThreshold: (*uint64)(spec.Settings.FreezingThreshold), WasmMemoryLimit: (*uint64)(spec.Settings.WasmMemoryLimit),
		WasmMemoryThreshold: (*uint64)(spec.Settings.WasmMemoryThreshold), LogMemoryLimit: (*uint64)(spec.Settings.LogMemoryLimit),
	}
	if spec.Settings.ReservedCyclesLimit != "" {
		limit, err := quantity.ParseCycles(spec.Settings.ReservedCyclesLimit)
		if err != nil {
			return nil, err
		}
		given.ReservedCyclesLimit = &limit
	}
	var err error
	if spec.Settings.LogVisibility != "" {
		visibility := ReadVisibility(spec.Settings.LogVisibility)
		if visibility.Viewers, err = principalsOf(visibility.Viewers, principals); err != nil {
			return nil, fmt.Errorf("settings: log_visibility: expected public, controllers or a list of principals: %w", err)
		}
		given.LogVisibility = &visibility
	}
	if given.Controllers, err = principalsOf(spec.Controllers, principals); err != nil {
		return nil, fmt.Errorf("controllers: %w", err)
	}
	given.Environment, err = p.variables(name, principals)
	return given, err
}

// principalsOf puts principals in the places of names in a list.
func principalsOf(list []string, principals map[string]string) (all []string, err error) {
	for _, text := range list {
		id, known := principals[text]
		if !known && !reference.IsPrincipal(text) {
			return nil, fmt.Errorf("%q is neither a canister of the project, an identity nor a principal%s%s", text, reference.Meant(text, slices.Sorted(maps.Keys(principals))), reference.WhyNoPrincipal(text))
		}
		if !known {
			id = text
		}
		all = append(all, id)
	}
	return all, nil
}

// variables are the environment of a canister: the ids of all canisters, and what the project has for it.
func (p *Project) variables(name string, principals map[string]string) (all []Variable, err error) {
	variables := map[string]string{}
	for other := range p.Canisters {
		variables[IDVariable+other] = principals[other]
	}
	for variable, text := range p.Canisters[name].Environment {
		if variables[variable], err = resolve(text, name, principals); err != nil {
			return nil, fmt.Errorf("environment: %s: %w", variable, err)
		}
	}
	for _, variable := range slices.Sorted(maps.Keys(variables)) {
		all = append(all, Variable{variable, variables[variable]})
	}
	return all, nil
}
