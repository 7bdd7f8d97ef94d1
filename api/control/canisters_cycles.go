package control

import (
	"context"

	"google.golang.org/grpc/codes"

	"github.com/canisterd/canisterd/intercanister/cycles"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
	"github.com/canisterd/canisterd/replica"
)

// canisterBusy is for operations that need a canister between two messages.
var canisterBusy = reason("CANISTER_BUSY", codes.Unavailable, "%s", "", "canister_id")

// SetCycles sets the balance of a canister.
func (s *canisters) SetCycles(ctx context.Context, in *controlv1.SetCyclesRequest) (*controlv1.SetCyclesResponse, error) {
	balance, err := s.fund(ctx, in, func(c *subject, amount cycles.Amount) replica.Input {
		return replica.SetCycles{Canister: c.id, Amount: amount}
	})
	return &controlv1.SetCyclesResponse{Cycles: balance}, err
}

// AddCycles adds to the balance of a canister.
func (s *canisters) AddCycles(ctx context.Context, in *controlv1.AddCyclesRequest) (*controlv1.AddCyclesResponse, error) {
	balance, err := s.fund(ctx, in, func(c *subject, amount cycles.Amount) replica.Input {
		return replica.AddCycles{Canister: c.id, Amount: amount}
	})
	return &controlv1.AddCyclesResponse{Cycles: balance}, err
}

// funding is a request about the cycles of a canister.
type funding interface {
	GetInstance() string
	GetCanisterId() string
	GetCycles() string
}

// fund changes the balance of a canister and returns the new one.
func (s *canisters) fund(ctx context.Context, in funding, input func(*subject, cycles.Amount) replica.Input) (string, error) {
	c, err := s.subject(ctx, in.GetInstance(), in.GetCanisterId())
	if err != nil {
		return "", err
	}
	amount, err := amountOf("cycles", in.GetCycles())
	if err != nil {
		return "", err
	}
	refused, err := c.apply(ctx, input(c, amount))
	if err == nil {
		err = refusedControl(c, refused)
	}
	if err != nil {
		return "", err
	}
	if err := c.look(ctx); err != nil {
		return "", err
	}
	return c.report.Balance.String(), nil
}
