package project

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/canisterd/canisterd/internal/candid/reference"
	"github.com/canisterd/canisterd/internal/quantity"
)

// Budgets are the instructions that calls of methods may take, by CANISTER.METHOD.
type Budgets map[string]quantity.Instructions

// Budget is the budget of a method.
type Budget struct {
	Canister, Method string
	Instructions     uint64
}

// List returns the budgets by canister and method.
func (b Budgets) List() (all []Budget) {
	for _, key := range slices.Sorted(maps.Keys(b)) {
		canister, method, _ := strings.Cut(key, ".")
		all = append(all, Budget{canister, method, uint64(b[key])})
	}
	return all
}

// checkBudgets returns an error for a budget that is not of a method of one of the canisters.
func (p *Project) checkBudgets() error {
	for _, key := range slices.Sorted(maps.Keys(p.Budgets)) {
		canister, method, _ := strings.Cut(key, ".")
		switch {
		case method == "":
			return fmt.Errorf("%q is not a method: expected CANISTER.METHOD, such as bank.withdraw", key)
		case p.Canisters[canister] == nil:
			return fmt.Errorf("%s: %q is not a canister of the project%s", key, canister, reference.Meant(canister, slices.Sorted(maps.Keys(p.Canisters))))
		case p.Budgets[key] == 0:
			return fmt.Errorf("%s: every call takes more than 0 instructions", key)
		}
	}
	return nil
}
