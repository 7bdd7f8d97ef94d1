package charging

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Resources takes the price of memory and compute allocation since the last charge from reserved cycles and balance. It
// returns false if the canister cannot pay. A canister with a running or parked message pays later.
func Resources(s *state.State, r *state.Entry) bool {
	seconds := (s.Time - r.Charged) / state.Second
	if seconds == 0 || r.Running {
		return true
	}
	r.Charged += seconds * state.Second
	c := r.Canister
	uses := [...]*cycles.Amount{&c.Consumed.Memory, &c.Consumed.Memory, &c.Consumed.Compute}
	for i, rate := range s.Fees.DailyRates(c.Holdings()) {
		due := cycles.Charge(rate, seconds)
		reserved := due.Min(c.Reserved)
		left, ok := c.Balance.Take(due.Sub(reserved))
		if !ok {
			return false
		}
		c.Balance, c.Reserved = left, c.Reserved.Sub(reserved)
		*uses[i] = uses[i].Add(due)
	}
	return true
}

// Forfeit takes the rest of the cycles of a canister that could not pay, and everything that it pays for except its
// code.
func Forfeit(r *state.Entry) {
	c := r.Canister
	c.Consumed.Uninstall = c.Consumed.Uninstall.Add(c.Balance).Add(c.Reserved)
	c.Balance, c.Reserved = cycles.Amount{}, cycles.Amount{}
	settings := *c.Settings
	settings.ComputeAllocation, settings.MemoryAllocation, settings.LogMemoryLimit = 0, 0, canister.DefaultLogMemoryLimit
	c.Settings = &settings
	c.History.Drop()
	c.Snapshots.Clear()
}
