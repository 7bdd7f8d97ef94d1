package driver

import (
	"context"

	"github.com/canisterd/canisterd/internal/callbudget"
	"github.com/canisterd/canisterd/replica"
)

// SetBudgets makes messages and queries that end from now on count in budgets; nil: in none.
func (d *Driver) SetBudgets(ctx context.Context, budgets *callbudget.Budgets) error {
	return d.ask(ctx, func(d *Driver) {
		d.budgets.Store(budgets)
		d.meterCalls(d.network)
	})
}

// Budgets returns the budgets in which calls count, nil for none.
func (d *Driver) Budgets() *callbudget.Budgets { return d.budgets.Load() }

// meterCalls lets the calls of a network count in the budgets.
func (d *Driver) meterCalls(n *replica.Network) {
	if budgets := d.budgets.Load(); budgets != nil {
		n.Meter(meter{budgets})
		return
	}
	n.Meter(nil)
}

// meter counts calls in budgets.
type meter struct{ budgets *callbudget.Budgets }

// Metered implements replica.Meter.
func (m meter) Metered(message replica.MeteredMessage) {
	m.budgets.Count(callbudget.Method{Canister: message.Canister, Name: message.Method}, message.First, message.Before, message.Total)
}

// countQuery counts a query of a method that has run.
func (d *Driver) countQuery(method string, r *replica.QueryResult) {
	if budgets := d.budgets.Load(); budgets != nil && r.Count.Calls > 0 {
		budgets.Count(callbudget.Method{Canister: r.Count.Canister, Name: method}, true, 0, r.Count.Instructions)
	}
}
