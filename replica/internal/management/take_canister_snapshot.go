package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// takeSnapshot implements take_canister_snapshot: a new snapshot of the present canister, possibly in place of another.
// With uninstall_code the code is removed at the same time, so that the canister pays for one of the two.
func takeSnapshot(c *state.ManagementCall, a *takeSnapshotArg) state.Answer {
	r, reject := controlled(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	if r.Running {
		return state.WhenIdle(r)
	}
	old, reject := replaced(c, r, a.Replace)
	if reject != nil {
		return state.Fail(reject)
	}
	if reject := checkHeapDelta(c, r); reject != nil {
		return state.Fail(reject)
	}
	k := r.Canister
	uninstall := a.Uninstall != nil && *a.Uninstall
	usage, size := k.MemoryUsage(), k.SnapshotBytes()
	o := costPlan{before: usage.Total(), price: c.State.Environment.Fees.ManagementWork(SnapshotInstructions + size)}
	o.after = o.before + size - snapshotBytes(old)
	if uninstall {
		o.after -= usage.Heap + usage.Stable + usage.Globals + usage.Binary + usage.Custom + usage.Logs + usage.Chunks
	}
	if reject := o.check(c, r); reject != nil {
		return state.Fail(reject)
	}
	if k.Module() == nil {
		return state.Fail(rejectSnapshotOfEmpty(r.ID()))
	}
	s := k.Snapshot(c.State.Time, r.Hook)
	addSnapshot(c, r, s, old, &o)
	answer := reply(snapshotResult{ID: idOf(r, s), Taken: s.Taken, Size: size})
	if !uninstall {
		return answer
	}
	k.Version++
	record(c, r, a.Version, canister.Uninstallation{})
	return answer.After(state.UninstallCode, r)
}
