package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// pay takes the price of instructions that the management canister runs for an idle canister, from the balance above
// the freezing limit, or rejects with IC0207.
func pay(c *state.ManagementCall, r *state.Entry, instructions uint64) *intercanister.Reject {
	if reject := checkFunds(c, r, c.State.Environment.Fees.ManagementWork(instructions)); reject != nil {
		return reject
	}
	charge(c, r, instructions)
	return nil
}

// checkFunds rejects with IC0207 if a price cannot be paid from the balance above the freezing limit.
func checkFunds(c *state.ManagementCall, r *state.Entry, price cycles.Amount) *intercanister.Reject {
	if r.Canister.Liquid(c.State.Environment).Less(price) {
		return rejectOutOfCycles(r, missing(c, r, price), c.Caller)
	}
	return nil
}

// charge takes the price of instructions from an idle canister's balance, at most the whole balance.
func charge(c *state.ManagementCall, r *state.Entry, instructions uint64) {
	spend(r, c.State.Environment.Fees.ManagementWork(instructions))
}

func spend(r *state.Entry, price cycles.Amount) {
	price = price.Min(r.Canister.Balance)
	r.Canister.Balance = r.Canister.Balance.Sub(price)
	r.Canister.Consumed.Instructions = r.Canister.Consumed.Instructions.Add(price)
}

// missing returns the cycles that the balance lacks to stay at the freezing limit after a price is paid.
func missing(c *state.ManagementCall, r *state.Entry, price cycles.Amount) cycles.Amount {
	return r.Canister.FreezingLimit(c.State.Environment).Add(price).Sub(r.Canister.Balance)
}

// growth returns the cycles to reserve for additional memory of an idle canister, or why the subnet has no room for it
// or the canister cannot pay.
func growth(c *state.ManagementCall, r *state.Entry, bytes uint64) (reservation cycles.Amount, reject *intercanister.Reject) {
	sub, k := c.State.Environment, r.Canister
	before := k.MemoryUsage().Total()
	after := before + bytes
	grown := max(after, k.Settings.MemoryAllocation) - max(before, k.Settings.MemoryAllocation)
	if free := sub.Limits.SubnetMemory - min(sub.Limits.SubnetMemory, sub.MemoryUsed); grown > free {
		return cycles.Amount{}, rejectSubnetMemory(grown, free)
	}
	holdings := k.Holdings()
	holdings.Memory = max(after, k.Settings.MemoryAllocation)
	threshold := sub.Fees.FreezingLimit(holdings, k.Settings.FreezingThreshold, k.Reserved)
	if k.Balance.Less(threshold) {
		return cycles.Amount{}, rejectGrowCycles(grown, threshold.Sub(k.Balance))
	}
	reservation = sub.Fees.Reservation(sub.MemoryUsed, grown)
	if total := k.Reserved.Add(reservation); k.Settings.ReservedLimit.Less(total) && !reservation.IsZero() {
		return cycles.Amount{}, rejectGrowReserved(grown, k.Settings.ReservedLimit, total.Sub(k.Settings.ReservedLimit))
	}
	if k.Balance.Less(reservation) {
		return cycles.Amount{}, rejectGrowCycles(grown, reservation.Sub(k.Balance))
	}
	return reservation, nil
}

// reserve moves cycles from the balance to the reserved balance.
func reserve(k *canister.Canister, amount cycles.Amount) {
	k.Balance = k.Balance.Sub(amount)
	k.Reserved = k.Reserved.Add(amount)
}
