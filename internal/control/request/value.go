package request

import (
	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Value returns an argument.
func Value(a project.Argument) *controlv1.Value {
	switch a.Form {
	case project.JSON:
		return &controlv1.Value{Form: &controlv1.Value_Json{Json: a.Text}}
	case project.Hex:
		return &controlv1.Value{Form: &controlv1.Value_Bytes{Bytes: a.Bytes}}
	}
	return &controlv1.Value{Form: &controlv1.Value_Text{Text: a.Text}}
}

// Settings returns the settings that a project gives a canister.
func Settings(given *project.Given) *controlv1.Settings {
	s := &controlv1.Settings{
		ComputeAllocation: given.ComputeAllocation, MemoryAllocation: given.MemoryAllocation, FreezingThreshold: given.FreezingThreshold,
		ReservedCyclesLimit: given.ReservedCyclesLimit, WasmMemoryLimit: given.WasmMemoryLimit, WasmMemoryThreshold: given.WasmMemoryThreshold,
		LogMemoryLimit: given.LogMemoryLimit, Environment: &controlv1.Environment{},
	}
	if given.LogVisibility != nil {
		s.LogVisibility = Visibility(*given.LogVisibility)
	}
	if len(given.Controllers) > 0 {
		s.Controllers = &controlv1.Controllers{Principals: given.Controllers}
	}
	for _, v := range given.Environment {
		s.Environment.Variables = append(s.Environment.Variables, &controlv1.EnvironmentVariable{Name: v.Name, Value: v.Value})
	}
	return s
}

// Visibility returns who reads something.
func Visibility(v project.Visibility) *controlv1.Visibility {
	return &controlv1.Visibility{Public: v.Public, Viewers: v.Viewers}
}
