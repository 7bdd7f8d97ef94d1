package canisterd

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// The Candid types of the methods of the management canister that this package calls (interface specification, "The IC
// management canister").

type aboutCanister struct {
	Canister principal.Principal `ic:"canister_id"`
}

type createCanister struct {
	Amount    *candid.Nat          `ic:"amount"`
	Settings  *canisterSettings    `ic:"settings"`
	Specified *principal.Principal `ic:"specified_id"`
}

type updateSettings struct {
	Canister principal.Principal `ic:"canister_id"`
	Settings canisterSettings    `ic:"settings"`
}

type canisterSettings struct {
	Controllers         *[]principal.Principal `ic:"controllers"`
	ComputeAllocation   *candid.Nat            `ic:"compute_allocation"`
	MemoryAllocation    *candid.Nat            `ic:"memory_allocation"`
	FreezingThreshold   *candid.Nat            `ic:"freezing_threshold"`
	ReservedLimit       *candid.Nat            `ic:"reserved_cycles_limit"`
	LogVisibility       *visibility            `ic:"log_visibility"`
	WasmMemoryLimit     *candid.Nat            `ic:"wasm_memory_limit"`
	WasmMemoryThreshold *candid.Nat            `ic:"wasm_memory_threshold"`
	LogMemoryLimit      *candid.Nat            `ic:"log_memory_limit"`
	Environment         *[]variable            `ic:"environment_variables"`
}

type variable struct {
	Name  string `ic:"name"`
	Value string `ic:"value"`
}

type visibility struct {
	Controllers *candid.Null           `ic:"controllers,variant"`
	Public      *candid.Null           `ic:"public,variant"`
	Viewers     *[]principal.Principal `ic:"allowed_viewers,variant"`
}

type installCode struct {
	Mode     installMode         `ic:"mode"`
	Canister principal.Principal `ic:"canister_id"`
	Module   []byte              `ic:"wasm_module"`
	Arg      []byte              `ic:"arg"`
}

type installMode struct {
	Install   *candid.Null     `ic:"install,variant"`
	Reinstall *candid.Null     `ic:"reinstall,variant"`
	Upgrade   **upgradeOptions `ic:"upgrade,variant"`
}

type upgradeOptions struct {
	Persistence *persistence `ic:"wasm_memory_persistence"`
}

type persistence struct {
	Keep *candid.Null `ic:"keep,variant"`
	// Replace is never chosen: it is what upgrades do without options.
	Replace *candid.Null `ic:"replace,variant"`
}

// mode is how a module is installed.
type mode uint8

const (
	install mode = iota
	reinstall
	upgrade
)

// manage calls a method of the management canister about the canister, as its first controller.
func (c *Canister) manage(ctx context.Context, method string, arg any) error {
	r, err := c.report(ctx)
	if err != nil {
		return err
	}
	if len(r.Settings.Controllers) == 0 {
		return fmt.Errorf("canister %s has no controllers: it can no longer be changed", c)
	}
	management := c.network.Management().As(r.Settings.Controllers[0])
	pending, err := management.submit(ctx, method, c.id, true, arg)
	if err != nil {
		return err
	}
	return pending.await(ctx, nil)
}
