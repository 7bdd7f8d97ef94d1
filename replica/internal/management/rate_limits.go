package management

import (
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// heapDelta returns by how much changed memory a canister has exceeded its limit for a round, and whether it must wait.
func heapDelta(c *state.ManagementCall, r *state.Entry) (debit, limit uint64, limited bool) {
	limits := &c.State.Environment.Limits
	debit, limit = c.State.Owed(r, limits).HeapDelta, limits.HeapDelta
	return debit, limit, limit > 0 && debit >= limit
}

// checkHeapDelta rejects (IC0210) while a canister has changed too much memory.
func checkHeapDelta(c *state.ManagementCall, r *state.Entry) *intercanister.Reject {
	if debit, limit, limited := heapDelta(c, r); limited {
		return rejectHeapDelta(r.ID(), debit, limit)
	}
	return nil
}

// owe counts memory that was changed; bytes is called only if there is a limit.
func owe(c *state.ManagementCall, r *state.Entry, bytes func() uint64) {
	if limits := &c.State.Environment.Limits; limits.HeapDelta > 0 {
		c.State.Change(r, bytes(), limits)
	}
}

// checkInstallRate rejects (IC0209) until rounds have reduced the debit of earlier installations.
func checkInstallRate(c *state.ManagementCall, r *state.Entry) *intercanister.Reject {
	limits := &c.State.Environment.Limits
	if limits.InstallRate > 0 && c.State.Owed(r, limits).Install > 0 {
		return rejectInstallRate(r.ID())
	}
	return nil
}

// oweInstall counts instructions that the subnet does not count: of an installation that never began, and of compiling
// the module of a snapshot.
func oweInstall(c *state.ManagementCall, r *state.Entry, instructions uint64) {
	if limits := &c.State.Environment.Limits; limits.InstallRate > 0 {
		c.State.Owed(r, limits).Install += instructions
	}
}
