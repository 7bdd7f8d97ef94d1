package control

import (
	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// settingsFrom converts settings, nil if there are none.
func settingsFrom(s *controlv1.Settings) (*management.Settings, error) {
	if s == nil {
		return nil, nil
	}
	out := &management.Settings{
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
		to    **management.Visibility
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
		variables := []management.Variable{}
		for _, v := range e.GetVariables() {
			variables = append(variables, management.Variable{Name: v.GetName(), Value: v.GetValue()})
		}
		out.Environment = &variables
	}
	return out, nil
}

func visibilityFrom(field string, v *controlv1.Visibility) (*management.Visibility, error) {
	switch {
	case v == nil:
		return nil, nil
	case v.GetPublic() && len(v.GetViewers()) > 0:
		return nil, BadField.Refuse(field, "public with viewers", "it is public, or has viewers, or neither")
	case v.GetPublic():
		return &management.Visibility{Public: new(candid.Null)}, nil
	case len(v.GetViewers()) == 0:
		return &management.Visibility{Controllers: new(candid.Null)}, nil
	}
	viewers, err := principalsFrom(field+".viewers", v.GetViewers())
	return &management.Visibility{Viewers: viewers}, err
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

// natOf returns an amount as a nat.
func natOf(a cycles.Amount) *candid.Nat {
	n, err := candid.NatOfBig(a.Big())
	if err != nil {
		panic("control: an amount of cycles is negative: " + err.Error())
	}
	return &n
}
