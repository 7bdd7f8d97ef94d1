package management

import (
	"crypto/sha256"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// uploadSnapshotData implements upload_canister_snapshot_data: bytes of the module or a memory of an uploaded snapshot,
// or a chunk for its chunk store. The bytes are paid for whether they fit or not.
func uploadSnapshotData(c *state.ManagementCall, a *uploadSnapshotDataArg) state.Answer {
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
	if !s.Uploaded {
		return state.Fail(rejectSnapshotImmutable())
	}
	if debit, limit, limited := heapDelta(c, r); limited {
		return state.Fail(rejectChunkHeapDelta(debit, limit))
	}
	written := uint64(len(a.Chunk))
	if a.Kind.Chunk != nil {
		written = canister.ChunkBytes
	}
	if reject := pay(c, r, written); reject != nil {
		return state.Fail(rejectSnapshotCycles(reject))
	}
	if a.Kind.Chunk != nil {
		reject = uploadSnapshotChunk(c, r, s, a.Chunk)
	} else {
		reject = writeSnapshotPart(c, r, s, &a.Kind, a.Chunk)
	}
	if reject != nil {
		return state.Fail(reject)
	}
	return reply()
}

// uploadSnapshotChunk stores a chunk, unless the snapshot has it: only a new one needs room.
func uploadSnapshotChunk(c *state.ManagementCall, r *state.Entry, s *canister.Snapshot, chunk []byte) *intercanister.Reject {
	if s.Chunks.Has(sha256.Sum256(chunk)) {
		return nil
	}
	if reject := checkChunk(&s.Chunks, chunk); reject != nil {
		return reject
	}
	used := r.Canister.MemoryUsage().Total()
	o := costPlan{before: used, after: used + canister.ChunkBytes}
	if reject := o.check(c, r); reject != nil {
		return reject
	}
	if err := s.Chunks.Put(c.Host.Engine(), chunk); err != nil {
		return rejectFullDisk(r, err)
	}
	o.charge(r)
	owe(c, r, func() uint64 { return canister.ChunkBytes })
	return nil
}

// writeSnapshotPart writes bytes to a part.
func writeSnapshotPart(c *state.ManagementCall, r *state.Entry, s *canister.Snapshot, k *snapshotPlace, data []byte) *intercanister.Reject {
	part, offset := writtenPart(k)
	size := uint64(len(data))
	if !s.Within(part, offset, size) {
		return rejectSlice(offset, size)
	}
	if err := s.Write(part, offset, data); err != nil {
		return rejectFullDisk(r, err)
	}
	owe(c, r, func() uint64 { return size })
	return nil
}

func writtenPart(k *snapshotPlace) (canister.SnapshotPart, uint64) {
	switch {
	case k.Module != nil:
		return canister.ModulePart, k.Module.Offset
	case k.Heap != nil:
		return canister.HeapPart, k.Heap.Offset
	}
	return canister.StablePart, k.Stable.Offset
}
