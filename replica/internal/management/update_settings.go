package management

import (
	"slices"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// updateSettings implements update_settings. Settings that are not given stay unchanged.
func updateSettings(c *state.ManagementCall, a *updateSettingsArg) state.Answer {
	if _, reject := a.Settings.parse(canister.Settings{}); reject != nil {
		return state.Fail(reject)
	}
	r, reject := controlled(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	if r.Running && (a.Settings.ComputeAllocation != nil || a.Settings.MemoryAllocation != nil) {
		// What the canister can pay is known only when its message has ended.
		return state.WhenIdle(r)
	}
	settings, reject := a.Settings.parse(*r.Canister.Settings)
	if reject == nil {
		reject = a.Settings.checkEnvironment()
	}
	if reject != nil {
		return state.Fail(reject)
	}
	h := holderOf(r)
	p, reject := h.plan(c, settings)
	if reject != nil {
		return state.Fail(reject)
	}
	r.Canister.Settings = &p.settings
	reserve(r.Canister, p.reservation)
	r.Canister.Version++
	if a.Settings.LogMemoryLimit != nil && !r.Running {
		r.Canister.Logs.Resize(p.settings.LogMemoryLimit)
	}
	if a.Settings.Controllers != nil {
		record(c, r, a.Version, canister.ControllersChange{Controllers: slices.Clone(p.settings.Controllers)})
		c.State.Touch(r)
	}
	return reply()
}

func holderOf(r *state.Entry) holder {
	k := r.Canister
	return holder{
		settings: *k.Settings, usage: k.MemoryUsage().Total(), messages: k.MessageBytes,
		balance: k.Balance.Add(r.DeferredCredit), reserved: k.Reserved,
	}
}
