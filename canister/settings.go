package canister

import (
	"cmp"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Settings are the settings of a canister (interface specification, "IC method create_canister"). The caller has
// checked the ranges; limits.go has the constants.
type Settings struct {
	Controllers       []principal.Principal // at most MaxControllers, in the order given
	ComputeAllocation uint64                // percent, 0 to 100
	MemoryAllocation  uint64                // guaranteed bytes; 0 for best effort. It does not limit usage
	FreezingThreshold uint64                // seconds
	ReservedLimit     cycles.Amount         // reserved_cycles_limit: the maximum of Canister.Reserved
	MinimumIncoming   cycles.Amount         // minimum_incoming_canister_call_cycles

	// WasmMemoryLimit is the maximum size of the heap in updates, init and post_upgrade, in bytes; 0 for only the
	// heap's own limit. canister_on_low_wasm_memory is due if less than WasmMemoryThreshold remains below the limit.
	WasmMemoryLimit, WasmMemoryThreshold uint64

	LogVisibility, SnapshotVisibility, StatusVisibility Visibility

	LogMemoryLimit uint64     // bytes of Canister.Logs; 0 keeps no logs
	Environment    []Variable // sorted by name, names unique
}

// Visibility says who can read something, in addition to the controllers.
type Visibility struct {
	Kind    VisibilityKind
	Viewers []principal.Principal // AllowedViewers: at most MaxViewers
}

// VisibilityKind is the variant of log_visibility and similar settings.
type VisibilityKind uint8

// The variants. The zero value is the default.
const (
	OnlyControllers VisibilityKind = iota
	Public
	AllowedViewers
)

// Allows reports whether caller may read what v guards on a canister with these
// controllers.
func (v Visibility) Allows(caller principal.Principal, controllers []principal.Principal) bool {
	switch v.Kind {
	case Public:
		return true
	case AllowedViewers:
		return slices.Contains(v.Viewers, caller) || slices.Contains(controllers, caller)
	default:
		return slices.Contains(controllers, caller)
	}
}

// Variable is one environment variable.
type Variable = ic0.Variable

// DefaultSettings returns the settings of a canister that was created without any.
func DefaultSettings(controllers ...principal.Principal) Settings {
	return Settings{
		Controllers:       controllers,
		FreezingThreshold: DefaultFreezingThreshold,
		ReservedLimit:     cycles.Of(DefaultReservedLimit),
		WasmMemoryLimit:   DefaultWasmMemoryLimit,
		LogMemoryLimit:    DefaultLogMemoryLimit,
	}
}

// Controls reports whether p is a controller.
func (s *Settings) Controls(p principal.Principal) bool { return slices.Contains(s.Controllers, p) }

// SetEnvironment replaces all environment variables, sorting them by name.
func (s *Settings) SetEnvironment(variables []Variable) {
	s.Environment = slices.Clone(variables)
	slices.SortFunc(s.Environment, func(a, b Variable) int { return cmp.Compare(a.Name, b.Name) })
}
