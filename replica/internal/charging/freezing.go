package charging

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// FreezingLimit returns the balance below which a canister is frozen.
func FreezingLimit(s *state.State, r *state.Entry) cycles.Amount {
	c, f := r.Canister, &r.Freezing
	holdings := c.Holdings()
	if !f.Known || f.Holdings != holdings || f.Threshold != c.Settings.FreezingThreshold || f.Reserved != c.Reserved {
		*f = state.Freezing{
			Holdings: holdings, Threshold: c.Settings.FreezingThreshold, Reserved: c.Reserved, Known: true,
			Limit: s.Fees.FreezingLimit(holdings, c.Settings.FreezingThreshold, c.Reserved),
		}
	}
	return f.Limit
}

// Frozen reports whether the balance of a canister is below its freezing limit.
func Frozen(s *state.State, r *state.Entry) bool {
	return r.Canister.Balance.Less(FreezingLimit(s, r))
}

// spend takes cycles from the balance above the freezing limit, or rejects with IC0207.
func spend(s *state.State, r *state.Entry, amount cycles.Amount, payer principal.Principal) *intercanister.Reject {
	if amount.IsZero() {
		return nil
	}
	limit := FreezingLimit(s, r)
	left, ok := r.Canister.Balance.Take(amount)
	if !ok || left.Less(limit) {
		return rejectOutOfCycles(r.ID(), limit.Add(amount).Sub(r.Canister.Balance), r.Controls(payer))
	}
	r.Canister.Balance = left
	return nil
}

// rejectOutOfCycles rejects for missing cycles; only controllers see how many are missing.
func rejectOutOfCycles(id principal.Principal, missing cycles.Amount, reveal bool) *intercanister.Reject {
	if !reveal {
		return intercanister.Rejectf(intercanister.CanisterOutOfCycles, "Canister %s is out of cycles", id)
	}
	return intercanister.Rejectf(intercanister.CanisterOutOfCycles,
		"Canister %s is out of cycles: please top up the canister with at least %s additional cycles", id, missing.Grouped())
}
