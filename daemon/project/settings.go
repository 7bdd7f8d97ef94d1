package project

import (
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/daemon/quantity"
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

// ReadVisibility reads public, controllers, or principals with commas between them. It was not checked.
func ReadVisibility(text string) Visibility {
	switch text {
	case "public":
		return Visibility{Public: true}
	case "controllers", "":
		return Visibility{}
	}
	return Visibility{Viewers: strings.Split(text, ",")}
}

// Given are the settings of a canister, with the ids of all canisters in its environment.
func (p *Project) Given(name string, ids map[string]string) (*Given, error) {
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
	if spec.Settings.LogVisibility != "" {
		visibility := ReadVisibility(spec.Settings.LogVisibility)
		given.LogVisibility = &visibility
	}
	for _, controller := range spec.Controllers {
		if id, is := ids[controller]; is {
			controller = id
		}
		given.Controllers = append(given.Controllers, controller)
	}
	variables := map[string]string{}
	for other := range p.Canisters {
		variables[IDVariable+other] = ids[other]
	}
	for variable, text := range spec.Environment {
		variables[variable] = resolve(text, name, ids)
	}
	for _, variable := range slices.Sorted(maps.Keys(variables)) {
		given.Environment = append(given.Environment, Variable{variable, variables[variable]})
	}
	return given, nil
}
