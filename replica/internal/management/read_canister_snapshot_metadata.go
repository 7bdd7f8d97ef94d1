package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// readSnapshotMetadata implements read_canister_snapshot_metadata. It costs nothing.
func readSnapshotMetadata(c *state.ManagementCall, a *snapshotArg) state.Answer {
	r, reject := viewed(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	s, reject := snapshotOf(c, r, a.Snapshot)
	if reject != nil {
		return state.Fail(reject)
	}
	out := snapshotMetadata{
		Source: sourceOf(s.Uploaded), Taken: s.Taken, Version: s.Version, Globals: globalsOf(s.Globals), Certified: s.Certified,
		ModuleSize: s.Size(canister.ModulePart), HeapSize: s.Size(canister.HeapPart), StableSize: s.Size(canister.StablePart),
		Timer: timerOf(s.Timer), Hook: hookOf(s.Hook),
	}
	for _, hash := range s.Chunks.Hashes() {
		out.Chunks = append(out.Chunks, chunkHash{Hash: hash[:]})
	}
	return reply(out)
}
