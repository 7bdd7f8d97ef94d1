package canisterd

import (
	"context"
	"errors"

	"github.com/canisterd/canisterd/internal/callbudget"
	"github.com/canisterd/canisterd/internal/project"
)

// SetBudget sets how many instructions a call of a method may take from now on, in this network and in its later forks:
// the message that begins the call, its callbacks and their cleanups, without what its calls cause in other canisters. A
// call that takes more goes on, and [Network.CheckBudgets] returns an error. A task is a method too, by the name of its
// function, such as canister_heartbeat. [Network.DeployProject] sets the budgets of canisterd.yaml.
func (n *Network) SetBudget(ctx context.Context, c *Canister, method string, instructions uint64) error {
	n.budgets.Set(callbudget.Method{Canister: c.id, Name: method}, instructions)
	return n.running.Driver().SetBudgets(ctx, n.budgets)
}

// CheckBudgets returns an error with all budgets that a call exceeded, the largest excess first.
func (n *Network) CheckBudgets() error {
	exceeded := callbudget.Exceeded(n.budgets.Uses())
	if len(exceeded) == 0 {
		return nil
	}
	return errors.New("calls took more instructions than their budgets:\n" + callbudget.Text(exceeded, n.called) +
		"\nNetwork.Profile shows where they went; budgets are in " + project.File + " and in SetBudget")
}

// setBudgets sets the budgets of a project that was deployed.
func (n *Network) setBudgets(ctx context.Context, p *project.Project, made map[string]*Canister) error {
	for _, b := range p.Budgets.List() {
		if err := n.SetBudget(ctx, made[b.Canister], b.Method, b.Instructions); err != nil {
			return err
		}
	}
	return nil
}
