package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// executionLimits are the limits of executions on the subnet.
func (m *subnet) executionLimits() canister.Limits {
	limits := canister.ApplicationLimits()
	if m.System {
		limits = canister.SystemLimits()
	}
	if change := m.net.config.overrides.Limits; change != nil {
		change(&limits)
	}
	limits.PauseAfter = m.net.config.SliceInstructions
	if m.config.NoRateLimits {
		limits.HeapDelta, limits.InstallRate = 0, 0
	}
	if m.config.Benchmarking {
		limits.Message, limits.Query, limits.Install = BenchmarkInstructions, BenchmarkInstructions, BenchmarkInstructions
		limits.Slice, limits.PauseAfter = BenchmarkInstructions, BenchmarkInstructions
	}
	return limits
}

// freezingLimit is the balance under which the canister is frozen.
func (m *subnet) freezingLimit(r *state.Entry) cycles.Amount {
	c, f := r.Canister, &r.Freezing
	holdings := c.Holdings()
	if !f.Known || f.Holdings != holdings || f.Threshold != c.Settings.FreezingThreshold || f.Reserved != c.Reserved {
		*f = state.Freezing{
			Holdings: holdings, Threshold: c.Settings.FreezingThreshold, Reserved: c.Reserved, Known: true,
			Limit: m.Fees.FreezingLimit(holdings, c.Settings.FreezingThreshold, c.Reserved),
		}
	}
	return f.Limit
}

// Liquid is what the canister may spend: its balance above the freezing limit.
func (m *subnet) Liquid(r *state.Entry) cycles.Amount {
	return r.Canister.Balance.Sub(m.freezingLimit(r))
}

// frozen reports whether the canister's balance is under its freezing limit.
func (m *subnet) frozen(r *state.Entry) bool {
	return r.Canister.Balance.Less(m.freezingLimit(r))
}

// spend takes cycles from the balance above the freezing limit, or rejects with
// IC0207.
func (m *subnet) spend(r *state.Entry, amount cycles.Amount, payer principal.Principal) *intercanister.Reject {
	if amount.IsZero() {
		return nil
	}
	limit := m.freezingLimit(r)
	left, ok := r.Canister.Balance.Take(amount)
	if !ok || left.Less(limit) {
		return rejectOutOfCycles(r.ID(), limit.Add(amount).Sub(r.Canister.Balance), r.Controls(payer))
	}
	r.Canister.Balance = left
	return nil
}

// prepay takes the price of the longest execution of a job. A replicated query
// has its own, smaller limit (Job.limit set before).
func (m *subnet) prepay(j *Job, payer principal.Principal) *intercanister.Reject {
	if j.Limit == 0 {
		j.Limit = m.Limits.Message
		j.Prepaid = m.prepaid[0]
		if j.Wide {
			j.Prepaid = m.prepaid[1]
		}
	} else {
		j.Prepaid = m.Fees.Execution(j.Limit, j.Wide)
	}
	reject := m.spend(j.Entry, j.Prepaid, payer)
	if reject == nil {
		paid := &j.Entry.Canister.Consumed.Instructions
		*paid = paid.Add(j.Prepaid)
	}
	return reject
}

// refund gives back what a job does not use of its prepayment.
func (m *subnet) refund(j *Job) {
	back := m.unused(j)
	j.Entry.Give(back)
	paid := &j.Entry.Canister.Consumed.Instructions
	*paid = paid.Sub(back)
}

// unused is what a job has paid for and not used.
func (m *subnet) unused(j *Job) cycles.Amount {
	left := j.Limit - min(j.Limit, j.outcome.Instructions)
	return m.Fees.ExecutionRefund(left, j.Wide).Min(j.Prepaid)
}

// charge takes the price of memory and compute allocation since the last charge
// from reserved cycles and balance. A canister that cannot pay loses its code.
func (m *subnet) charge(r *state.Entry) {
	seconds := (m.Time - r.Charged) / 1_000_000_000
	if seconds == 0 || r.Running {
		return
	}
	r.Charged += seconds * 1_000_000_000
	c := r.Canister
	uses := [...]*cycles.Amount{&c.Consumed.Memory, &c.Consumed.Memory, &c.Consumed.Compute}
	for i, rate := range m.Fees.DailyRates(c.Holdings()) {
		due := cycles.Charge(rate, seconds)
		reserved := due.Min(c.Reserved)
		left, ok := c.Balance.Take(due.Sub(reserved))
		if !ok {
			m.outOfCycles(r)
			return
		}
		c.Balance, c.Reserved = left, c.Reserved.Sub(reserved)
		*uses[i] = uses[i].Add(due)
	}
}

// outOfCycles uninstalls a canister that could not pay. What it still had is gone.
func (m *subnet) outOfCycles(r *state.Entry) {
	c := r.Canister
	c.Consumed.Uninstall = c.Consumed.Uninstall.Add(c.Balance).Add(c.Reserved)
	c.Balance, c.Reserved = cycles.Amount{}, cycles.Amount{}
	settings := *c.Settings
	settings.ComputeAllocation, settings.MemoryAllocation, settings.LogMemoryLimit = 0, 0, canister.DefaultLogMemoryLimit
	c.Settings = &settings
	c.History.Drop()
	c.Snapshots.Clear()
	m.Uninstall(r)
	c.Version++
	m.recount(r)
}
