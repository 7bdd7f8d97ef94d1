package management

import (
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// uploadSnapshotMetadata implements upload_canister_snapshot_metadata: a new snapshot whose module and memories are
// zeros, to be uploaded next. The canister pays for their size from the beginning.
func uploadSnapshotMetadata(c *state.ManagementCall, a *uploadSnapshotMetadataArg) state.Answer {
	r, reject := controlled(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	if r.Running {
		return state.WhenIdle(r)
	}
	k := r.Canister
	if what := a.fault(k.Module() != nil && k.Module().Memory64()); what != "" {
		return state.Fail(rejectSnapshotMetadata(what))
	}
	old, reject := replaced(c, r, a.Replace)
	if reject != nil {
		return state.Fail(reject)
	}
	if reject := checkHeapDelta(c, r); reject != nil {
		return state.Fail(reject)
	}
	globals, err := globalValues(a.Globals)
	if err != nil {
		return state.Fail(rejectUndecodable(err))
	}
	d := canister.SnapshotMetadata{
		Taken: c.State.Time, Version: k.Version, ModuleSize: a.ModuleSize, HeapSize: a.HeapSize, Stable: a.StableSize,
		Certified: a.Certified, Globals: globals, Timer: deadlineOf(a.Timer), Hook: statusOfHook(a.Hook),
	}
	o := costPlan{before: k.MemoryUsage().Total(), price: c.State.Environment.Fees.ManagementWork(SnapshotInstructions + d.Bytes())}
	o.after = o.before + d.Bytes() - snapshotBytes(old)
	if reject := o.check(c, r); reject != nil {
		return state.Fail(reject)
	}
	s, err := c.Host.Engine().NewSnapshot(&d)
	if err != nil {
		return state.Fail(rejectFullDisk(r, err))
	}
	addSnapshot(c, r, s, old, &o)
	return reply(snapshotID{ID: idOf(r, s)})
}

// fault returns what is wrong with the sizes, in the replica's word, empty for nothing. wide says that the canister's
// present code has a 64-bit memory.
func (a *uploadSnapshotMetadataArg) fault(wide bool) string {
	most := uint64(canister.NarrowHeapBytes)
	if wide {
		most = canister.WideHeapBytes
	}
	switch {
	case a.ModuleSize == 0:
		return "WasmModuleEmpty"
	case a.ModuleSize > canister.MaxModuleBytes:
		return "WasmModuleTooLarge"
	case a.HeapSize%canister.WasmPageBytes != 0:
		return "WasmMemoryNotPageAligned"
	case a.HeapSize > most:
		return "WasmMemoryTooLarge"
	case a.StableSize%canister.WasmPageBytes != 0:
		return "StableMemoryNotPageAligned"
	case a.StableSize > canister.MaxStableBytes:
		return "StableMemoryTooLarge"
	case len(a.Globals) > canister.MaxGlobals:
		return "ExportedGlobalsTooLarge"
	case len(a.Certified) > canister.MaxCertifiedBytes:
		return "CertifiedDataTooLarge"
	}
	return ""
}
