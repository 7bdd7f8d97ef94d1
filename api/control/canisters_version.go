package control

import (
	"context"

	"github.com/canisterd/canisterd/internal/refusal"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// SetVersion sets the version of a canister.
func (s *canisters) SetVersion(ctx context.Context, in *controlv1.SetVersionRequest) (*controlv1.SetVersionResponse, error) {
	c, err := s.subject(ctx, in.GetInstance(), in.GetCanisterId())
	if err != nil {
		return nil, err
	}
	refused, err := c.apply(ctx, replica.SetVersion{Canister: c.id, Version: in.GetCanisterVersion()})
	if err == nil {
		err = refusedControl(c, refused)
	}
	return &controlv1.SetVersionResponse{}, err
}

// refusedControl returns the error for a refused control of a canister, nil for none.
func refusedControl(c *subject, refused *refusal.Refusal) error {
	switch {
	case refused == nil:
		return nil
	case refused.Kind == refusal.Unavailable:
		return canisterBusy.Refuse(refused.Text, c.id)
	}
	return canisterUnknown.Refuse(c.id)
}
