package management

import "github.com/canisterd/canisterd/replica/internal/state"

// listSnapshots implements list_canister_snapshots: the canister's snapshots, oldest first.
func listSnapshots(c *state.ManagementCall, a *idArg) state.Answer {
	r, reject := viewed(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	out := []snapshotResult{}
	for _, s := range r.Canister.Snapshots.All() {
		out = append(out, snapshotResult{ID: idOf(r, s), Taken: s.Taken, Size: s.Bytes()})
	}
	return reply(out)
}
