package management

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// loadSnapshot implements load_canister_snapshot: the canister takes the state of a snapshot, which may be another
// canister's if the caller controls both. No code runs. Nothing is charged if it fails.
func loadSnapshot(c *state.ManagementCall, a *loadSnapshotArg) state.Answer {
	r, reject := controlled(c, a.Canister)
	if reject != nil {
		return state.Fail(reject)
	}
	if reject := checkHeapDelta(c, r); reject != nil {
		return state.Fail(reject)
	}
	name := nameOf(a.Snapshot)
	s, reject := loadable(c, r, name)
	if reject != nil {
		return state.Fail(reject)
	}
	if r.Running {
		return state.WhenIdle(r)
	}
	if c.Host.Preceded(r) {
		return state.WhenCompiled()
	}
	advance := c.State.Environment.Fees.ManagementWork(SnapshotInstructions)
	if reject := checkFunds(c, r, advance); reject != nil {
		return state.Fail(rejectSnapshotCycles(reject))
	}
	uploaded, err := s.Read(canister.ModulePart, 0, s.Size(canister.ModulePart))
	if err != nil {
		return state.Fail(rejectFullDisk(r, err))
	}
	if c.Host.Compiling(c, r, uploaded) {
		return state.WhenCompiled()
	}
	m, reject := c.Host.Prepare(uploaded, r.Canister.Features)
	if reject != nil {
		return state.Fail(ofCanister(r, reject))
	}
	if reject := consistent(r, s, m); reject != nil {
		return state.Fail(reject)
	}
	o := costPlan{advance: advance, before: r.Canister.MemoryUsage().Total()}
	usage := r.Canister.UsageLoaded(s, m)
	o.after = usage.Total()
	compiling := m.InstructionCost()
	if c.State.Compiled[m.Hash()] {
		compiling = m.KnownInstructionCost()
	}
	oweInstall(c, r, compiling) // also if a later check fails (dfinity/ic#11152)
	o.price = c.State.Environment.Fees.ManagementWork(compiling + s.Bytes())
	if reject := o.check(c, r); reject != nil {
		return state.Fail(reject)
	}
	if err := r.Canister.Load(s, m); err != nil {
		return state.Fail(rejectFullDisk(r, err))
	}
	o.charge(r)
	loaded(c, r, a, name, s)
	answer := reply()
	answer.Instructions = s.Bytes()
	return answer.After(state.RefreshEntryPoints, r)
}

// loadable returns the snapshot with a name, for callers that control its canister.
func loadable(c *state.ManagementCall, r *state.Entry, name snapshotName) (*canister.Snapshot, *intercanister.Reject) {
	owner := c.State.Canisters.Get(name.of)
	if owner == nil {
		return nil, rejectNoSnapshot(name, r.ID())
	}
	s := owner.Canister.Snapshots.Get(name.number)
	switch {
	case s == nil:
		return nil, rejectNoSnapshot(name, r.ID())
	case owner != r && !owner.Controls(c.Caller):
		return nil, rejectSnapshotController(name, r.ID(), c.Caller)
	}
	return s, nil
}

// consistent checks an uploaded snapshot: globals and memory must match the module, the low-memory hook the memory.
func consistent(r *state.Entry, s *canister.Snapshot, m *canister.Module) *intercanister.Reject {
	if !s.Uploaded {
		return nil
	}
	if !s.Matches(m) {
		return rejectSnapshotGlobals()
	}
	if !s.Fits(m) {
		return rejectSnapshotHeap(s.Size(canister.HeapPart))
	}
	condition := r.Canister.Settings.LowOnHeap(s.HeapWith(m), m.Memory64())
	if s.Hook != nil && condition != (*s.Hook != canister.HookNotSatisfied) {
		return rejectSnapshotHook(*s.Hook, condition)
	}
	return nil
}

// loaded handles a loaded snapshot. An uploaded snapshot sets timer and hook if it has them; a taken one leaves them
// unchanged.
func loaded(c *state.ManagementCall, r *state.Entry, a *loadSnapshotArg, name snapshotName, s *canister.Snapshot) {
	k := r.Canister
	k.Version++
	k.Installed = c.State.Time
	if s.Uploaded && s.Timer != nil {
		k.Timer = *s.Timer
	}
	if s.Uploaded && s.Hook != nil {
		enterHook(r, *s.Hook)
	}
	var from *principal.Principal
	if name.of != r.ID() {
		from = &name.of
	}
	record(c, r, a.Version, canister.SnapshotLoad{From: from, Snapshot: a.Snapshot, Version: s.Version, TakenAt: s.Taken, Uploaded: s.Uploaded})
	owe(c, r, k.HeapDelta)
}

// enterHook sets the low-memory hook to the state in a snapshot. A hook that should be ready becomes ready when its
// condition is found true.
func enterHook(r *state.Entry, hook canister.Hook) {
	switch {
	case hook != canister.HookReady:
		r.Hook = hook
	case r.Hook != canister.HookReady:
		r.Hook = canister.HookNotSatisfied
	}
}
