package management

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
)

// Canister is the argument of methods about one canister, and the reply of those that create one.
type Canister struct {
	ID principal.Principal `ic:"canister_id"`
}

// Create is the argument of provisional_create_canister_with_cycles. Amount is in cycles; nil: 100 T.
type Create struct {
	Amount    *candid.Nat          `ic:"amount"`
	Settings  *Settings            `ic:"settings"`
	Specified *principal.Principal `ic:"specified_id"`
}

// UpdateSettings is the argument of update_settings.
type UpdateSettings struct {
	Canister principal.Principal `ic:"canister_id"`
	Settings Settings            `ic:"settings"`
}

// Settings are settings of a canister; nil leaves one as it is. Allocations are in percent and bytes, the threshold in
// seconds, limits in cycles and bytes.
type Settings struct {
	Controllers         *[]principal.Principal `ic:"controllers"`
	ComputeAllocation   *candid.Nat            `ic:"compute_allocation"`
	MemoryAllocation    *candid.Nat            `ic:"memory_allocation"`
	FreezingThreshold   *candid.Nat            `ic:"freezing_threshold"`
	ReservedLimit       *candid.Nat            `ic:"reserved_cycles_limit"`
	MinimumIncoming     *candid.Nat            `ic:"minimum_incoming_canister_call_cycles"`
	LogVisibility       *Visibility            `ic:"log_visibility"`
	SnapshotVisibility  *Visibility            `ic:"snapshot_visibility"`
	StatusVisibility    *Visibility            `ic:"status_visibility"`
	WasmMemoryLimit     *candid.Nat            `ic:"wasm_memory_limit"`
	WasmMemoryThreshold *candid.Nat            `ic:"wasm_memory_threshold"`
	LogMemoryLimit      *candid.Nat            `ic:"log_memory_limit"`
	Environment         *[]Variable            `ic:"environment_variables"`
}

// Variable is an environment variable of a canister.
type Variable struct {
	Name  string `ic:"name"`
	Value string `ic:"value"`
}

// Visibility says who may see something of a canister. One field is set.
type Visibility struct {
	Controllers *candid.Null           `ic:"controllers,variant"`
	Public      *candid.Null           `ic:"public,variant"`
	Viewers     *[]principal.Principal `ic:"allowed_viewers,variant"`
}

// Install is the argument of install_code.
type Install struct {
	Mode     InstallMode         `ic:"mode"`
	Canister principal.Principal `ic:"canister_id"`
	Module   []byte              `ic:"wasm_module"`
	Arg      []byte              `ic:"arg"`
}

// InstallMode is how a module is installed. One field is set; an upgrade may have options.
type InstallMode struct {
	Install   *candid.Null     `ic:"install,variant"`
	Reinstall *candid.Null     `ic:"reinstall,variant"`
	Upgrade   **UpgradeOptions `ic:"upgrade,variant"`
}

// UpgradeOptions are options of an upgrade; nil is the network's default.
type UpgradeOptions struct {
	SkipPreUpgrade *bool        `ic:"skip_pre_upgrade"`
	Persistence    *Persistence `ic:"wasm_memory_persistence"`
}

// Persistence says whether an upgrade keeps the heap. One field is set.
type Persistence struct {
	Keep    *candid.Null `ic:"keep,variant"`
	Replace *candid.Null `ic:"replace,variant"`
}
