package state

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// CycleTotals count cycles of a subnet that no present canister has or has paid, by their origin or use. They only
// grow.
type CycleTotals struct {
	Minted  cycles.Amount // created: provisional cycles, the cycles minting canister, test controls
	Gone    cycles.Amount // what deleted canisters had paid until they were deleted
	Deleted cycles.Amount // what deleted canisters still had
	Fees    cycles.Amount // paid with cycles attached to calls: for signatures, for reading logs
	Lost    cycles.Amount // returned to a deleted canister, or taken by a test control
}

// recordDeletion adds a canister that is being deleted.
func (b *CycleTotals) recordDeletion(c *canister.Canister) {
	b.Gone = b.Gone.Add(c.Consumed.Total())
	b.Deleted = b.Deleted.Add(c.Balance).Add(c.Reserved)
}

// Archive writes or reads the totals.
func (b *CycleTotals) Archive(c *archive.Coder) {
	for _, amount := range []*cycles.Amount{&b.Minted, &b.Gone, &b.Deleted, &b.Fees, &b.Lost} {
		amount.Archive(c)
	}
}

// Add adds the totals of another subnet.
func (b *CycleTotals) Add(other *CycleTotals) {
	b.Minted, b.Gone, b.Deleted = b.Minted.Add(other.Minted), b.Gone.Add(other.Gone), b.Deleted.Add(other.Deleted)
	b.Fees, b.Lost = b.Fees.Add(other.Fees), b.Lost.Add(other.Lost)
}

// Mint adds created cycles.
func (b *CycleTotals) Mint(amount cycles.Amount) { b.Minted = b.Minted.Add(amount) }

// Lose adds lost cycles.
func (b *CycleTotals) Lose(amount cycles.Amount) { b.Lost = b.Lost.Add(amount) }

// Pay adds a fee that was paid with attached cycles.
func (b *CycleTotals) Pay(fee cycles.Amount) { b.Fees = b.Fees.Add(fee) }

// Spent returns all cycles that left the subnet's canisters permanently: what they paid, also with attached cycles,
// what was deleted with them, what was lost.
func (s *State) Spent() cycles.Amount {
	spent := s.Totals.Gone.Add(s.Totals.Fees).Add(s.Totals.Deleted).Add(s.Totals.Lost)
	for r := range s.Canisters.All() {
		spent = spent.Add(r.Canister.Consumed.Total())
	}
	return spent
}
