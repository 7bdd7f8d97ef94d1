package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Open is what waits for a canister and what it has open.
type Open struct {
	Contexts, Calls              int
	Ingress, Responses, Requests int
	Running                      bool
	Credit, Debit                cycles.Amount
}

// Open is what every canister of a subnet has open, by its id.
func (n *Network) Open(subnet int) map[principal.Principal]Open {
	m := n.machines[subnet]
	all := make(map[principal.Principal]Open, m.Residents.Len())
	for r := range m.Residents.All() {
		o := Open{Contexts: r.Mailbox.Contexts, Running: r.Running, Credit: r.Credit, Debit: r.Debit}
		_, o.Responses, o.Ingress, o.Requests = r.Mailbox.Waiting()
		all[r.ID()] = o
	}
	for _, id := range m.Ledger.Calls() {
		owner := m.Ledger.Future(id).Owner
		o := all[owner]
		o.Calls++
		all[owner] = o
	}
	return all
}

// Commands are the management calls of canisters that wait on a subnet.
func (n *Network) Commands(subnet int) int {
	m := n.machines[subnet]
	_, _, _, waiting := m.Commands.Waiting()
	for r := range m.Residents.All() {
		for _, in := range r.Waiting {
			if in.Source == intercanister.SourceRequests {
				waiting++
			}
		}
	}
	return waiting
}

// Recorded is what a subnet has written down of a user's message.
func (n *Network) Recorded(subnet principal.Principal, id RequestID) *state.Ingress {
	return n.machines[n.routes.byID[subnet]].History.Find(id)
}
