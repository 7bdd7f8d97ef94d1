package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// clearChunkStore implements clear_chunk_store.
func clearChunkStore(c *state.ManagementCall, a *idArg) state.Answer {
	r, reject := owned(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	if r.Running {
		return state.WhenIdle(r)
	}
	r.Canister.Chunks.Clear()
	return reply()
}
