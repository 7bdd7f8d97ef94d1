package management

import (
	"crypto/sha256"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// uploadChunk implements upload_chunk. It costs the same whether the chunk is new or exists; only a new one needs room.
func uploadChunk(c *state.ManagementCall, a *uploadArg) state.Answer {
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
	if store.Has(hash) {
		return reply(chunkHash{Hash: hash[:]})
	}
	if reject := checkChunk(store, a.Chunk); reject != nil {
		return state.Fail(reject)
	}
	if debit, limit, limited := heapDelta(c, r); limited {
		return state.Fail(rejectChunkHeapDelta(debit, limit))
	}
	reservation, reject := growth(c, r, canister.ChunkBytes)
	if reject != nil {
		return state.Fail(reject)
	}
	if err := store.Put(c.Host.Engine(), a.Chunk); err != nil {
		return state.Fail(rejectFullDisk(r, err))
	}
	reserve(r.Canister, reservation)
	owe(c, r, func() uint64 { return canister.ChunkBytes })
	return reply(chunkHash{Hash: hash[:]})
}

// checkChunk returns why a chunk cannot be stored.
func checkChunk(store *canister.ChunkStore, chunk []byte) *intercanister.Reject {
	switch {
	case len(chunk) > canister.ChunkBytes:
		return rejectChunkStore("Wasm chunk size %d exceeds the maximum chunk size of %d", len(chunk), canister.ChunkBytes)
	case store.Len() >= canister.MaxChunks:
		return rejectChunkStore("Wasm chunk store has already reached maximum capacity of %d bytes or the maximum number of entries, %d",
			canister.MaxChunks*canister.ChunkBytes, canister.MaxChunks)
	}
	return nil
}
