package control

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// The Candid types of the methods of the management canister that this service calls
// (interface specification, "The IC management canister").

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
	MinimumIncoming     *candid.Nat            `ic:"minimum_incoming_canister_call_cycles"`
	LogVisibility       *visibility            `ic:"log_visibility"`
	SnapshotVisibility  *visibility            `ic:"snapshot_visibility"`
	StatusVisibility    *visibility            `ic:"status_visibility"`
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
	SkipPreUpgrade *bool        `ic:"skip_pre_upgrade"`
	Persistence    *persistence `ic:"wasm_memory_persistence"`
}

type persistence struct {
	Keep    *candid.Null `ic:"keep,variant"`
	Replace *candid.Null `ic:"replace,variant"`
}

// settingsFrom reads settings, nil if there are none.
func settingsFrom(s *controlv1.Settings) (*canisterSettings, error) {
	if s == nil {
		return nil, nil
	}
	out := &canisterSettings{
		ComputeAllocation: natFrom(s.ComputeAllocation), MemoryAllocation: natFrom(s.MemoryAllocation),
		FreezingThreshold: natFrom(s.FreezingThreshold), WasmMemoryLimit: natFrom(s.WasmMemoryLimit),
		WasmMemoryThreshold: natFrom(s.WasmMemoryThreshold), LogMemoryLimit: natFrom(s.LogMemoryLimit),
	}
	var err error
	if c := s.GetControllers(); c != nil {
		if out.Controllers, err = principalsFrom("settings.controllers", c.GetPrincipals()); err != nil {
			return nil, err
		}
	}
	for _, a := range []struct {
		field string
		from  *string
		to    **candid.Nat
	}{
		{"settings.reserved_cycles_limit", s.ReservedCyclesLimit, &out.ReservedLimit},
		{"settings.minimum_incoming_canister_call_cycles", s.MinimumIncomingCanisterCallCycles, &out.MinimumIncoming},
	} {
		if a.from == nil {
			continue
		}
		amount, err := amountOf(a.field, *a.from)
		if err != nil {
			return nil, err
		}
		*a.to = natOf(amount)
	}
	for _, v := range []struct {
		field string
		from  *controlv1.Visibility
		to    **visibility
	}{
		{"settings.log_visibility", s.GetLogVisibility(), &out.LogVisibility},
		{"settings.snapshot_visibility", s.GetSnapshotVisibility(), &out.SnapshotVisibility},
		{"settings.status_visibility", s.GetStatusVisibility(), &out.StatusVisibility},
	} {
		if *v.to, err = visibilityFrom(v.field, v.from); err != nil {
			return nil, err
		}
	}
	if e := s.GetEnvironment(); e != nil {
		variables := []variable{}
		for _, v := range e.GetVariables() {
			variables = append(variables, variable{v.GetName(), v.GetValue()})
		}
		out.Environment = &variables
	}
	return out, nil
}

func visibilityFrom(field string, v *controlv1.Visibility) (*visibility, error) {
	switch {
	case v == nil:
		return nil, nil
	case v.GetPublic() && len(v.GetViewers()) > 0:
		return nil, BadField.Refuse(field, "public with viewers", "it is public, or has viewers, or neither")
	case v.GetPublic():
		return &visibility{Public: new(candid.Null)}, nil
	case len(v.GetViewers()) == 0:
		return &visibility{Controllers: new(candid.Null)}, nil
	}
	viewers, err := principalsFrom(field+".viewers", v.GetViewers())
	return &visibility{Viewers: viewers}, err
}

func principalsFrom(field string, texts []string) (*[]principal.Principal, error) {
	all := make([]principal.Principal, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = requiredPrincipal(field, text); err != nil {
			return nil, err
		}
	}
	return &all, nil
}

func natFrom(n *uint64) *candid.Nat {
	if n == nil {
		return nil
	}
	nat := candid.NatOf(*n)
	return &nat
}

// natOf is an amount as a nat.
func natOf(a cycles.Amount) *candid.Nat {
	n, err := candid.NatOfBig(a.Big())
	if err != nil {
		panic("control: an amount of cycles is negative: " + err.Error())
	}
	return &n
}
