package canister

import "github.com/canisterd/canisterd/intercanister/cycles"

// Total returns the sum of what the canister paid for all uses.
func (p *Consumption) Total() cycles.Amount {
	return p.Memory.Add(p.Compute).Add(p.Ingress).Add(p.Instructions).Add(p.Transmission).Add(p.Uninstall).
		Add(p.Creation).Add(p.Outcalls).Add(p.Burned)
}
