package management

import (
	"github.com/canisterd/canisterd/candid/management"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// readSnapshotData implements read_canister_snapshot_data. The canister pays for the requested bytes, even if there are
// fewer.
func readSnapshotData(c *state.ManagementCall, a *readSnapshotArg) state.Answer {
	r, reject := viewed(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	s, reject := snapshotOf(c, r, a.Snapshot)
	if reject != nil {
		return state.Fail(reject)
	}
	size, reject := sliceSize(&a.Kind)
	if reject != nil {
		return state.Fail(reject)
	}
	if r.Running {
		return state.WhenIdle(r)
	}
	if reject := pay(c, r, SnapshotDataInstructions+size); reject != nil {
		return state.Fail(rejectSnapshotCycles(reject))
	}
	data, reject := readSlice(r, s, &a.Kind)
	if reject != nil {
		return state.Fail(reject)
	}
	return reply(snapshotData{Chunk: data})
}

// sliceSize returns the maximum number of bytes of the answer.
func sliceSize(k *snapshotSlice) (uint64, *intercanister.Reject) {
	if k.Chunk != nil {
		return canister.ChunkBytes, nil
	}
	_, where := slicedPart(k)
	if where.Size > MaxSliceBytes {
		return 0, rejectSliceSize(where.Size)
	}
	return where.Size, nil
}

func slicedPart(k *snapshotSlice) (canister.SnapshotPart, *management.Range) {
	switch {
	case k.Module != nil:
		return canister.ModulePart, k.Module
	case k.Heap != nil:
		return canister.HeapPart, k.Heap
	}
	return canister.StablePart, k.Stable
}

// readSlice returns the requested bytes.
func readSlice(r *state.Entry, s *canister.Snapshot, k *snapshotSlice) ([]byte, *intercanister.Reject) {
	if k.Chunk != nil {
		if len(k.Chunk.Hash) != HashBytes {
			return nil, rejectChunkStore("Bytes %s are not a valid WasmChunkHash.", hexBytes(k.Chunk.Hash))
		}
		chunk, err := s.Chunks.Get([HashBytes]byte(k.Chunk.Hash))
		switch {
		case err != nil:
			return nil, rejectFullDisk(r, err)
		case chunk == nil:
			return nil, rejectChunkStore("WasmChunkHash %s not found.", hexBytes(k.Chunk.Hash))
		}
		return chunk, nil
	}
	part, where := slicedPart(k)
	if !s.Within(part, where.Offset, where.Size) {
		return nil, rejectSlice(where.Offset, where.Size)
	}
	data, err := s.Read(part, where.Offset, where.Size)
	if err != nil {
		return nil, rejectFullDisk(r, err)
	}
	return data, nil
}
