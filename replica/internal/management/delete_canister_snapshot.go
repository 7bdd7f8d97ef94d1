package management

import "github.com/canisterd/canisterd/replica/internal/state"

// deleteSnapshot implements delete_canister_snapshot. It costs nothing, but a frozen canister keeps its snapshots.
func deleteSnapshot(c *state.ManagementCall, a *snapshotArg) state.Answer {
	r, reject := controlled(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	if r.Running {
		return state.WhenIdle(r)
	}
	s, reject := snapshotOf(c, r, a.Snapshot)
	if reject != nil {
		return state.Fail(reject)
	}
	used := r.Canister.MemoryUsage().Total()
	o := costPlan{before: used, after: used - s.Bytes()}
	if reject := o.check(c, r); reject != nil {
		return state.Fail(reject)
	}
	r.Canister.Snapshots.Delete(s)
	return reply()
}
