package control

import (
	"context"

	"github.com/canisterd/canisterd/candid/management"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// UninstallCode removes a canister's code and its state.
func (s *canisters) UninstallCode(ctx context.Context, in *controlv1.UninstallCodeRequest) (*controlv1.UninstallCodeResponse, error) {
	return &controlv1.UninstallCodeResponse{}, s.about(ctx, in.GetInstance(), in.GetCanisterId(), "uninstall_code")
}

// StartCanister starts a canister.
func (s *canisters) StartCanister(ctx context.Context, in *controlv1.StartCanisterRequest) (*controlv1.StartCanisterResponse, error) {
	return &controlv1.StartCanisterResponse{}, s.about(ctx, in.GetInstance(), in.GetCanisterId(), "start_canister")
}

// StopCanister stops a canister.
func (s *canisters) StopCanister(ctx context.Context, in *controlv1.StopCanisterRequest) (*controlv1.StopCanisterResponse, error) {
	return &controlv1.StopCanisterResponse{}, s.about(ctx, in.GetInstance(), in.GetCanisterId(), "stop_canister")
}

// about calls a method whose only argument is the canister.
func (s *canisters) about(ctx context.Context, instance, canister, method string) error {
	c, err := s.subject(ctx, instance, canister)
	if err != nil {
		return err
	}
	return c.manage(ctx, method, management.Canister{ID: c.id})
}

// UpdateSettings changes settings.
func (s *canisters) UpdateSettings(ctx context.Context, in *controlv1.UpdateSettingsRequest) (*controlv1.UpdateSettingsResponse, error) {
	c, err := s.subject(ctx, in.GetInstance(), in.GetCanisterId())
	if err != nil {
		return nil, err
	}
	if in.GetSettings() == nil {
		return nil, MissingField.Refuse("settings", "what to change")
	}
	settings, err := settingsFrom(in.GetSettings())
	if err != nil {
		return nil, err
	}
	if err := c.manage(ctx, "update_settings", management.UpdateSettings{Canister: c.id, Settings: *settings}); err != nil {
		return nil, err
	}
	return &controlv1.UpdateSettingsResponse{}, nil
}

// MoveCanister moves a stopped canister to another subnet.
func (s *canisters) MoveCanister(ctx context.Context, in *controlv1.MoveCanisterRequest) (*controlv1.MoveCanisterResponse, error) {
	c, err := s.subject(ctx, in.GetInstance(), in.GetCanisterId())
	if err != nil {
		return nil, err
	}
	subnet, err := requiredPrincipal("subnet_id", in.GetSubnetId())
	if err != nil {
		return nil, err
	}
	if c.instance.Driver().View().Subnet(subnet) == nil {
		return nil, BadField.Refuse("subnet_id", subnet, "there is no such subnet in the instance")
	}
	refusal, err := c.apply(ctx, replica.MigrateCanister{Canister: c.id, Subnet: subnet})
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return nil, notMovable.Refuse(refusal.Text, c.id)
	}
	return &controlv1.MoveCanisterResponse{}, nil
}
