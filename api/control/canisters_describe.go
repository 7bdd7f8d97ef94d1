package control

import (
	"context"
	"strconv"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
	"github.com/canisterd/canisterd/replica/introspect"
)

// ListCanisters returns the canisters of an instance, ordered by id.
func (s *canisters) ListCanisters(ctx context.Context, in *controlv1.ListCanistersRequest) (*controlv1.ListCanistersResponse, error) {
	instance, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	size := int(in.GetPageSize())
	switch {
	case size == 0:
		size = DefaultPage
	case size > MaxPage:
		return nil, BadField.Refuse("page_size", strconv.Itoa(size), "a page has at most "+strconv.Itoa(MaxPage)+" canisters")
	}
	var after principal.Principal
	if token := in.GetPageToken(); token != "" {
		if after, err = requiredPrincipal("page_token", token); err != nil {
			return nil, err
		}
	}
	page, err := driver.ReadValue(ctx, instance.Driver(), func(n *replica.Network) []introspect.CanisterReport {
		return n.Introspect().Reports(after, size+1)
	})
	if err != nil {
		return nil, err
	}
	out := &controlv1.ListCanistersResponse{}
	if len(page) > size {
		page = page[:size]
		out.NextPageToken = page[size-1].ID.String()
	}
	for i := range page {
		r := &page[i]
		out.Canisters = append(out.Canisters, &controlv1.CanisterSummary{
			CanisterId: r.ID.String(), SubnetId: r.Subnet.String(), Status: controlv1.CanisterStatus(r.Status),
			ModuleHash: hashOf(r.Module), Cycles: r.Balance.String(), MemoryBytes: r.Usage.Total(),
			IdleCyclesBurnedPerDay: r.IdlePerDay.String(), KnownModule: s.knownModule(r.Module),
		})
	}
	return out, nil
}

func hashOf(m *canister.Module) []byte {
	if m == nil {
		return nil
	}
	hash := m.Hash()
	return hash[:]
}

// GetCanister describes a canister.
func (s *canisters) GetCanister(ctx context.Context, in *controlv1.GetCanisterRequest) (*controlv1.GetCanisterResponse, error) {
	c, err := s.subject(ctx, in.GetInstance(), in.GetCanisterId())
	if err != nil {
		return nil, err
	}
	canister := canisterOf(&c.report)
	canister.KnownModule = s.knownModule(c.report.Module)
	return &controlv1.GetCanisterResponse{Canister: canister}, nil
}

// knownModule returns what is known of a module; nil if it is not known, or there is none.
func (s *canisters) knownModule(module *canister.Module) *controlv1.KnownModule {
	m := s.known.Find(hashOf(module))
	if m == nil {
		return nil
	}
	return &controlv1.KnownModule{Name: m.Name, Version: m.Version, Interface: m.Interface, Source: m.Source}
}

func canisterOf(r *introspect.CanisterReport) *controlv1.Canister {
	out := &controlv1.Canister{
		CanisterId: r.ID.String(), SubnetId: r.Subnet.String(), Status: controlv1.CanisterStatus(r.Status),
		Settings: settingsOf(&r.Settings), ModuleHash: hashOf(r.Module),
		Cycles: r.Balance.String(), ReservedCycles: r.Reserved.String(), IdleCyclesBurnedPerDay: r.IdlePerDay.String(),
		MemoryBytes: r.Usage.Total(), HeapBytes: r.Usage.Heap, StableBytes: r.Usage.Stable,
		CanisterVersion: r.Version, CertifiedData: r.Certified, Heartbeat: r.Heartbeat,
		Created: set(r.Created), Installed: set(r.Installed), GlobalTimer: set(r.Timer),
		Features: r.Features.Names(), CallContexts: uint64(r.Contexts), QueuedMessages: uint64(r.Queued),
		QueryStats: &controlv1.QueryStats{
			Calls: r.Queries.Calls, Instructions: r.Queries.Instructions,
			RequestBytes: r.Queries.RequestBytes, ResponseBytes: r.Queries.ResponseBytes,
		},
	}
	if r.Module == nil {
		return out
	}
	out.Memory64 = r.Module.Memory64()
	for _, m := range r.Module.Methods() {
		out.Methods = append(out.Methods, &controlv1.ExportedMethod{Name: m.Name, Kind: kindNames[m.Kind]})
	}
	for _, section := range r.Module.Sections() {
		out.Metadata = append(out.Metadata, section.Name)
	}
	return out
}

var kindNames = [...]string{canister.UpdateMethod: "update", canister.QueryMethod: "query", canister.CompositeQueryMethod: "composite_query"}

// set converts a time that may be unset.
func set(ns uint64) *timestamppb.Timestamp {
	if ns == 0 {
		return nil
	}
	return stamp(ns)
}

func settingsOf(s *canister.Settings) *controlv1.Settings {
	reserved, incoming := s.ReservedLimit.String(), s.MinimumIncoming.String()
	out := &controlv1.Settings{
		Controllers:       &controlv1.Controllers{Principals: textsOf(s.Controllers)},
		ComputeAllocation: &s.ComputeAllocation, MemoryAllocation: &s.MemoryAllocation, FreezingThreshold: &s.FreezingThreshold,
		ReservedCyclesLimit: &reserved, WasmMemoryLimit: &s.WasmMemoryLimit, WasmMemoryThreshold: &s.WasmMemoryThreshold,
		LogVisibility: visibilityOf(s.LogVisibility), SnapshotVisibility: visibilityOf(s.SnapshotVisibility),
		StatusVisibility: visibilityOf(s.StatusVisibility), LogMemoryLimit: &s.LogMemoryLimit,
		Environment: &controlv1.Environment{}, MinimumIncomingCanisterCallCycles: &incoming,
	}
	for _, v := range s.Environment {
		out.Environment.Variables = append(out.Environment.Variables, &controlv1.EnvironmentVariable{Name: v.Name, Value: v.Value})
	}
	return out
}

func visibilityOf(v canister.Visibility) *controlv1.Visibility {
	return &controlv1.Visibility{Public: v.Kind == canister.Public, Viewers: textsOf(v.Viewers)}
}

func textsOf(principals []principal.Principal) (texts []string) {
	for _, p := range principals {
		texts = append(texts, p.String())
	}
	return texts
}

// ReadMetadata reads a custom section of a module.
func (s *canisters) ReadMetadata(ctx context.Context, in *controlv1.ReadMetadataRequest) (*controlv1.ReadMetadataResponse, error) {
	c, err := s.subject(ctx, in.GetInstance(), in.GetCanisterId())
	if err != nil {
		return nil, err
	}
	if c.report.Module == nil {
		return nil, noCode.Refuse(c.id)
	}
	section, ok := c.report.Module.Section(in.GetName())
	if !ok {
		return nil, noSection.Refuse(c.id, in.GetName())
	}
	return &controlv1.ReadMetadataResponse{Content: section.Content, Public: section.Public}, nil
}

// GetInterface returns a canister's Candid interface as it states it, or the interface of the management canister.
func (s *canisters) GetInterface(ctx context.Context, in *controlv1.GetInterfaceRequest) (*controlv1.GetInterfaceResponse, error) {
	if in.GetCanisterId() == principal.Management.String() {
		d := managementInterface()
		return &controlv1.GetInterfaceResponse{Candid: d.file.String()}, d.err
	}
	c, err := s.subject(ctx, in.GetInstance(), in.GetCanisterId())
	if err != nil {
		return nil, err
	}
	d, err := s.describedBy(ctx, c.instance, c.id)
	if err != nil {
		return nil, err
	}
	if d.file == nil { // it is not readable
		return &controlv1.GetInterfaceResponse{Candid: d.text}, nil
	}
	return &controlv1.GetInterfaceResponse{Candid: d.file.Constructor(d.text), InitArgs: d.file.InitText()}, nil
}
