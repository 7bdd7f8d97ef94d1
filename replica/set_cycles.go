package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/refusal"
)

// SetCycles sets the balance of a canister, and creates or destroys cycles for it: a test control.
type SetCycles struct {
	Canister principal.Principal
	Amount   cycles.Amount
}

func (SetCycles) input() {}

func (n *Network) setCycles(in SetCycles) Result {
	m, r := n.find(in.Canister)
	if r == nil {
		return refuse(refusal.NotFound, "canister %s does not exist: only the balance of an existing canister can be set", in.Canister)
	}
	if r.Running { // its executor owns the balance
		return refuse(refusal.Unavailable, "a message of canister %s is in the middle of its code: its balance can be set when that is over", in.Canister)
	}
	c := r.Canister
	if more, ok := in.Amount.Take(c.Balance); ok {
		m.Totals.Mint(more)
	} else {
		m.Totals.Lose(c.Balance.Sub(in.Amount))
	}
	c.Balance = in.Amount
	m.TreeChanged = true
	n.generation++
	return Result{}
}
