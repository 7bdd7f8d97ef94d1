package management

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// costPlan is what a method will take from an idle canister: the price of instructions, part of it in advance, and a
// change of its memory usage.
type costPlan struct {
	advance       cycles.Amount
	price         cycles.Amount
	before, after uint64 // memory used, bytes
	reservation   cycles.Amount
}

// check returns why the canister cannot afford the plan: the subnet has no room, or the canister would be frozen,
// cannot pay or cannot reserve cycles for the memory.
func (o *costPlan) check(c *state.ManagementCall, r *state.Entry) *intercanister.Reject {
	sub, k := c.State.Environment, r.Canister
	allocation := k.Settings.MemoryAllocation
	grown := max(o.after, allocation) - min(max(o.after, allocation), max(o.before, allocation))
	if free := sub.Limits.SubnetMemory - min(sub.Limits.SubnetMemory, sub.MemoryUsed); grown > free {
		return rejectSubnetMemory(grown, free)
	}
	balance := k.Balance.Sub(o.advance)
	holdings := k.Holdings()
	holdings.Memory = max(o.after, allocation)
	threshold := sub.Fees.FreezingLimit(holdings, k.Settings.FreezingThreshold, k.Reserved)
	if balance.Less(threshold) {
		return rejectGrowCycles(grown, threshold.Sub(balance))
	}
	if needed := threshold.Add(o.price); balance.Less(needed) {
		return rejectSnapshotCycles(rejectOutOfCycles(r, needed.Sub(balance), c.Caller))
	}
	balance = balance.Sub(o.price)
	o.reservation = sub.Fees.Reservation(sub.MemoryUsed, grown)
	if total := k.Reserved.Add(o.reservation); k.Settings.ReservedLimit.Less(total) && !o.reservation.IsZero() {
		return rejectGrowReserved(grown, k.Settings.ReservedLimit, total.Sub(k.Settings.ReservedLimit))
	}
	if balance.Less(o.reservation) {
		return rejectGrowCycles(grown, o.reservation.Sub(balance))
	}
	return nil
}

// charge takes the planned cycles, after check.
func (o *costPlan) charge(r *state.Entry) {
	spend(r, o.advance)
	spend(r, o.price)
	reserve(r.Canister, o.reservation)
}
