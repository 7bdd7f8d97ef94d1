package state

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// CycleTotals say where the cycles of a subnet came from and went to that no canister
// which is there has or has paid. They only grow.
type CycleTotals struct {
	Minted  cycles.Amount // came out of nothing: provisional cycles, the cycles minting canister, test controls
	Gone    cycles.Amount // what deleted canisters had paid until they were deleted
	Deleted cycles.Amount // what deleted canisters still had
	Fees    cycles.Amount // what calls paid with attached cycles: for signatures, for reading logs
	Lost    cycles.Amount // came back to a canister that was gone, or was taken by a test control
}

// recordDeletion enters a canister that is being deleted.
func (b *CycleTotals) recordDeletion(c *canister.Canister) {
	b.Gone = b.Gone.Add(c.Consumed.Total())
	b.Deleted = b.Deleted.Add(c.Balance).Add(c.Reserved)
}

// Mint enters cycles that came out of nothing.
func (b *CycleTotals) Mint(amount cycles.Amount) { b.Minted = b.Minted.Add(amount) }

// Lose enters cycles that vanish.
func (b *CycleTotals) Lose(amount cycles.Amount) { b.Lost = b.Lost.Add(amount) }

// Pay enters a fee that was paid with attached cycles.
func (b *CycleTotals) Pay(fee cycles.Amount) { b.Fees = b.Fees.Add(fee) }

// Spent is everything that left the subnet's canisters for good: what they paid,
// also with attached cycles, what was deleted with them, what was lost.
func (s *State) Spent() cycles.Amount {
	spent := s.Totals.Gone.Add(s.Totals.Fees).Add(s.Totals.Deleted).Add(s.Totals.Lost)
	for r := range s.Canisters.All() {
		spent = spent.Add(r.Canister.Consumed.Total())
	}
	return spent
}
