package management

import (
	"crypto/sha256"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// uploadChunk is upload_chunk. It costs the same whether the chunk is new or
// there already; only a new one needs room.
func uploadChunk(c *state.Command, a *uploadArg) state.Answer {
	r, reject := owned(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	if r.Running {
		return state.WhenIdle(r)
	}
	if reject := pay(c, r, UploadChunkInstructions); reject != nil {
		return state.Fail(rejectChunkStore("Error charging for 'upload_chunk': %s", reject.Text))
	}
	store := &r.Canister.Chunks
	hash := sha256.Sum256(a.Chunk)
	if _, known := store.Get(hash); known {
		return reply(chunkHash{hash[:]})
	}
	switch {
	case len(a.Chunk) > canister.ChunkBytes:
		return state.Fail(rejectChunkStore("Wasm chunk size %d exceeds the maximum chunk size of %d", len(a.Chunk), canister.ChunkBytes))
	case store.Len() >= canister.MaxChunks:
		return state.Fail(rejectChunkStore("Wasm chunk store has already reached maximum capacity of %d bytes or the maximum number of entries, %d",
			canister.MaxChunks*canister.ChunkBytes, canister.MaxChunks))
	}
	if reject := grow(c, r, canister.ChunkBytes); reject != nil {
		return state.Fail(reject)
	}
	store.Put(a.Chunk)
	return reply(chunkHash{hash[:]})
}
