package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/api/control/remote"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/callbudget"
	"github.com/canisterd/canisterd/internal/project"
	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// withinBudgets returns a function that runs a command and checks the budgets of a project that was deployed, whose names
// are those of canisters by id.
func (c *cli) withinBudgets(ctx context.Context, d *remote.Daemon, folder string, names map[string]string, run func() error) (func() error, error) {
	p, err := c.readProject(folder)
	if err != nil {
		return nil, err
	}
	budgets := p.Budgets.List()
	if len(budgets) == 0 {
		return run, nil
	}
	ids := map[string]string{}
	for id, name := range names { // in any order
		ids[name] = id
	}
	request := &controlv1.SetBudgetsRequest{Instance: c.instance}
	for _, b := range budgets {
		request.Budgets = append(request.Budgets, &controlv1.Budget{CanisterId: ids[b.Canister], Method: b.Method, Instructions: b.Instructions})
	}
	if _, err := d.Profiler.SetBudgets(ctx, request); err != nil {
		return nil, err
	}
	return func() error {
		failed := run()
		listed, err := d.Profiler.ListBudgets(context.WithoutCancel(ctx), &controlv1.ListBudgetsRequest{Instance: c.instance})
		if err == nil {
			err = c.checkBudgets(listed.GetUses(), names)
		}
		if failed != nil && err != nil {
			c.note("error: %v", c.explained(ctx, err)) // the exit code is that of the command
			return failed
		}
		return errors.Join(failed, err)
	}, nil
}

// checkBudgets returns an error with the budgets that calls have exceeded, and notes those of which there was no call.
func (c *cli) checkBudgets(listed []*controlv1.BudgetUse, names map[string]string) error {
	var uses []callbudget.Use
	for _, u := range listed {
		id, err := principal.Parse(u.GetBudget().GetCanisterId())
		if err != nil {
			return fmt.Errorf("reading budgets: %w", err)
		}
		uses = append(uses, callbudget.Use{
			Method: callbudget.Method{Canister: id, Name: u.GetBudget().GetMethod()}, Budget: u.GetBudget().GetInstructions(),
			Calls: u.GetCalls(), Exceeded: u.GetExceeded(), Most: u.GetMostInstructions(),
		})
		if u.GetCalls() == 0 {
			c.note("note: %s.%s has a budget, and no call of it ran", names[id.String()], u.GetBudget().GetMethod())
		}
	}
	exceeded := callbudget.Exceeded(uses)
	if len(exceeded) == 0 {
		return nil
	}
	name := func(id principal.Principal) string { return names[id.String()] }
	return fmt.Errorf("calls took more instructions than their budgets in %s:\n%s\ncanisterd profile --during shows where they went",
		project.File, callbudget.Text(exceeded, name))
}
