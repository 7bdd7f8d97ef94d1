package management

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// storedChunks implements stored_chunks: the hashes of all chunks in ascending order.
func storedChunks(c *state.ManagementCall, a *idArg) state.Answer {
	r, reject := owned(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	hashes := r.Canister.Chunks.Hashes()
	out := make([]chunkHash, len(hashes))
	for i := range hashes {
		out[i].Hash = hashes[i][:]
	}
	return reply(out)
}
