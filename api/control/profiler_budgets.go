package control

import (
	"context"
	"fmt"
	"strconv"

	"github.com/canisterd/canisterd/internal/callbudget"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// SetBudgets replaces the budgets of an instance.
func (s *profiler) SetBudgets(ctx context.Context, in *controlv1.SetBudgetsRequest) (*controlv1.SetBudgetsResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	if n := len(in.GetBudgets()); n > maxBudgets {
		return nil, BadField.Refuse("budgets", strconv.Itoa(n)+" budgets", "an instance has at most "+strconv.Itoa(maxBudgets))
	}
	var budgets *callbudget.Budgets
	for at, b := range in.GetBudgets() {
		field := fmt.Sprintf("budgets[%d]", at)
		id, err := requiredPrincipal(field+".canister_id", b.GetCanisterId())
		switch {
		case err != nil:
			return nil, err
		case b.GetMethod() == "":
			return nil, BadField.Refuse(field+".method", quoted(""), "a budget is that of a method")
		case b.GetInstructions() == 0:
			return nil, BadField.Refuse(field+".instructions", "0", "every call takes more than 0 instructions")
		}
		if budgets == nil {
			budgets = callbudget.New()
		}
		budgets.Set(callbudget.Method{Canister: id, Name: b.GetMethod()}, b.GetInstructions())
	}
	if err := i.Driver().SetBudgets(ctx, budgets); err != nil {
		return nil, err
	}
	return &controlv1.SetBudgetsResponse{}, nil
}

// ListBudgets returns the budgets of an instance with what calls took.
func (s *profiler) ListBudgets(_ context.Context, in *controlv1.ListBudgetsRequest) (*controlv1.ListBudgetsResponse, error) {
	i, err := s.instance(in.GetInstance())
	if err != nil {
		return nil, err
	}
	out := &controlv1.ListBudgetsResponse{}
	if budgets := i.Driver().Budgets(); budgets != nil {
		for _, use := range budgets.Uses() {
			out.Uses = append(out.Uses, &controlv1.BudgetUse{
				Budget: &controlv1.Budget{CanisterId: use.Canister.String(), Method: use.Name, Instructions: use.Budget},
				Calls:  use.Calls, Exceeded: use.Exceeded, MostInstructions: use.Most,
			})
		}
	}
	return out, nil
}
