package canister

import (
	"crypto/sha256"
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister/internal/stable"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Archive writes a canister, or reads its state into one that has only its ID. modules holds its code and the code of
// its snapshots. No message may be in progress.
func (c *Canister) Archive(a *archive.Coder, modules *Modules) {
	archive.Number(a, &c.Created)
	archive.Number(a, &c.Installed)
	archive.AtMost(a, &c.Status, Stopped)
	a.Check(c.Status != 0, "a canister without a status")
	if a.Reading() {
		c.Settings = new(Settings)
	}
	c.Settings.archive(a)
	c.Balance.Archive(a)
	c.Reserved.Archive(a)
	archive.Number(a, &c.Version)
	archive.Number(a, &c.Timer)
	a.Bytes(&c.Certified, MaxCertifiedBytes)
	c.History.archive(a)
	c.Logs.archive(a)
	c.Chunks.archive(a, modules.engine)
	c.Consumed.archive(a)
	c.Queries.archive(a)
	archive.Number(a, &c.MessageBytes)
	archive.Number(a, &c.Snapshots.next)
	archive.Slice(a, &c.Snapshots.all, archive.MaxItems, func(s **Snapshot) {
		if a.Reading() {
			*s = modules.readSnapshot(a)
		} else {
			(*s).archive(a, modules)
		}
	})
	for i, s := range c.Snapshots.all {
		a.Check(a.Failed() || s.Number < c.Snapshots.next && (i == 0 || c.Snapshots.all[i-1].Number < s.Number), "snapshot %d is not in the order of numbers", i)
	}
	if a.Reading() && a.Failed() {
		c.Snapshots.all = slices.DeleteFunc(c.Snapshots.all, func(s *Snapshot) bool { return s == nil })
	}
	if a.Since(archive.VersionFeatures) {
		archive.AtMost(a, &c.Features, AllFeatures)
	}
	installed := c.state != nil
	a.Bool(&installed)
	switch {
	case !installed || a.Failed():
	case a.Reading():
		c.state = modules.readState(a, c.Features)
	default:
		archive.Hash(a, &c.state.binary.hash)
		r := c.state.loadedRunner()
		r.guest.Archive(a)
		r.stable.Archive(a)
	}
}

// ArchiveMessage writes a message that is to begin, or to begin again, or reads one. The executor supplies Room, Pause
// and the certificate.
func ArchiveMessage(a *archive.Coder, m *Message) {
	archive.AtMost(a, &m.Context, LowMemory)
	archive.String(a, &m.Method, archive.MaxBytes)
	m.Closure.Archive(a)
	archive.Pointer(a, &m.Cleanup, func(f *intercanister.Closure) { f.Archive(a) })
	a.Principal(&m.Caller)
	a.Bytes(&m.Payload, archive.MaxBytes)
	intercanister.ArchiveReject(a, &m.Reject)
	archive.Number(a, &m.Deadline)
	m.Available.Archive(a)
	m.Refunded.Archive(a)
	m.Debit.Archive(a)
	a.Bool(&m.Responded)
	archive.Number(a, &m.PriorInstructions)
	a.Bytes(&m.CallerInfo, archive.MaxBytes)
	a.Bytes(&m.Signer, archive.MaxBytes)
	archive.Number(a, &m.Callbacks)
	archive.Number(a, &m.MessageRoom)
	if a.Since(archive.VersionExhaustion) {
		archive.AtMost(a, &m.Exhausted, CleanupExhaustedToo)
	}
}

// Archive writes an installation that is to begin, or to begin again, or reads one. modules holds its module. The
// executor supplies Pause.
func (in *Install) Archive(a *archive.Coder, modules *Modules) {
	archive.AtMost(a, &in.Mode, Upgrade)
	a.Bool(&in.SkipPreUpgrade)
	archive.AtMost(a, &in.Persistence, Replace)
	archive.Pointer(a, &in.Module, func(m *Module) { modules.archiveInstalled(a, m) })
	a.Bool(&in.Known)
	a.Bytes(&in.Arg, archive.MaxBytes)
	a.Principal(&in.Caller)
	in.Origin.archive(a)
}

func (o *ChangeOrigin) archive(a *archive.Coder) {
	a.Principal(&o.Principal)
	a.Bool(&o.FromCanister)
	archive.Pointer(a, &o.Version, func(v *uint64) { archive.Number(a, v) })
}

// readState reads the Wasm state of a canister. It returns nil after a fault.
func (m *Modules) readState(a *archive.Coder, features Features) *state {
	var hash [32]byte
	archive.Hash(a, &hash)
	module, kept := m.find(a, hash)
	if kept == nil {
		return nil
	}
	if !a.Check(module.Refusal(features) == nil, "the canister does not have the features of its module: %s", module.Needs().Names()) {
		kept.release()
		return nil
	}
	guest := m.engine.wasm.ReadGuest(a, module.code)
	if guest == nil {
		kept.release()
		return nil
	}
	memory := stable.Read(a, m.engine.wasm.File())
	if memory == nil {
		guest.Close()
		kept.release()
		return nil
	}
	s := newState(module, kept, guest, memory)
	s.note()
	return s
}

// archive writes a snapshot; see readSnapshot.
func (s *Snapshot) archive(a *archive.Coder, modules *Modules) {
	s.archiveFields(a, modules.engine)
	a.Bool(&s.binary.named)
	if s.binary.named {
		archive.Hash(a, &s.binary.hash)
	} else {
		modules.archiveUnnamed(a, s.binary)
	}
	s.heap.Archive(a)
	s.stable.Archive(a)
}

func (m *Modules) readSnapshot(a *archive.Coder) (read *Snapshot) {
	s := new(Snapshot)
	defer func() {
		if read == nil {
			s.Chunks.Clear()
		}
	}()
	if !a.Check(m.engine != nil, "there is no engine for snapshots") {
		return nil
	}
	s.archiveFields(a, m.engine)
	var module *Module
	var named bool
	if a.Bool(&named); named {
		var hash [32]byte
		archive.Hash(a, &hash)
		module, s.binary = m.find(a, hash)
	} else {
		s.binary = m.archiveUnnamed(a, nil)
	}
	if s.binary == nil {
		return nil
	}
	if s.heap = m.engine.wasm.ReadImage(a, WideHeapBytes, s.Uploaded); s.heap == nil {
		s.binary.release()
		return nil
	}
	if s.stable = stable.Read(a, m.engine.wasm.File()); s.stable == nil {
		s.heap.Close()
		s.binary.release()
		return nil
	}
	if !s.loadable(a, module) {
		s.Close()
		return nil
	}
	return s
}

// loadable checks that a snapshot that was read can be loaded into a canister: Load does not check a taken snapshot
// again. module is nil if the snapshot was uploaded.
func (s *Snapshot) loadable(a *archive.Coder, module *Module) bool {
	for _, g := range s.Globals {
		a.Check(g.Type >= GlobalV128 && g.Type <= GlobalI32, "a global of type %#x", g.Type)
	}
	a.Check(s.heap.Size()%wasm.WasmPageSize == 0, "the heap of snapshot %d has %d bytes", s.Number, s.heap.Size())
	return a.Check(s.Uploaded || module != nil && s.Matches(module) && s.Fits(module), "snapshot %d does not fit its module", s.Number)
}

func (s *Snapshot) archiveFields(a *archive.Coder, engine *Engine) {
	archive.Number(a, &s.Number)
	archive.Number(a, &s.Taken)
	archive.Number(a, &s.Version)
	a.Bool(&s.Uploaded)
	a.Bytes(&s.Certified, MaxCertifiedBytes)
	s.Chunks.archive(a, engine)
	archive.Slice(a, &s.Globals, MaxGlobals, func(g *Global) {
		archive.Number(a, &g.Type)
		archive.Number(a, &g.Low)
		archive.Number(a, &g.High)
	})
	archive.Pointer(a, &s.Timer, func(at *uint64) { archive.Number(a, at) })
	archive.Pointer(a, &s.Hook, func(h *Hook) { archive.AtMost(a, h, HookExecuted) })
}

func (s *Settings) archive(a *archive.Coder) {
	archive.Slice(a, &s.Controllers, archive.MaxItems, a.Principal)
	archive.Number(a, &s.ComputeAllocation)
	archive.Number(a, &s.MemoryAllocation)
	archive.Number(a, &s.FreezingThreshold)
	s.ReservedLimit.Archive(a)
	s.MinimumIncoming.Archive(a)
	archive.Number(a, &s.WasmMemoryLimit)
	archive.Number(a, &s.WasmMemoryThreshold)
	for _, v := range []*Visibility{&s.LogVisibility, &s.SnapshotVisibility, &s.StatusVisibility} {
		archive.AtMost(a, &v.Kind, AllowedViewers)
		archive.Slice(a, &v.Viewers, archive.MaxItems, a.Principal)
	}
	archive.Number(a, &s.LogMemoryLimit)
	archive.Slice(a, &s.Environment, archive.MaxItems, func(v *Variable) {
		archive.Text(a, &v.Name, archive.MaxBytes)
		archive.Text(a, &v.Value, archive.MaxBytes)
	})
}

func (l *Log) archive(a *archive.Coder) {
	archive.Number(a, &l.next)
	after := uint64(0) // one more than the number of the last record
	l.records.Archive(a, func(r *LogRecord) {
		archive.Number(a, &r.Index)
		archive.Number(a, &r.Time)
		a.Bytes(&r.Content, archive.MaxBytes)
		if a.Reading() {
			l.bytes += stored(r)
		}
		a.Check(r.Index >= after && r.Index < l.next, "record %d is not in the order of a log whose next is %d", r.Index, l.next)
		after = r.Index + 1
	})
}

// archive writes the chunks, or reads them. After a fault, the store has some of them.
func (s *ChunkStore) archive(a *archive.Coder, engine *Engine) {
	all := slices.Clone(s.all())
	archive.Slice(a, &all, MaxChunks, func(c *chunk) {
		archive.Hash(a, &c.hash)
		var content []byte
		if !a.Reading() {
			var err error
			if content, err = s.kept.read(c); err != nil {
				a.Fail("%w", err)
			}
		}
		a.Bytes(&content, ChunkBytes)
		if !a.Reading() || a.Failed() || !a.Check(engine != nil, "there is no engine for chunks") {
			return
		}
		if !a.Check(sha256.Sum256(content) == c.hash && !s.Has(c.hash), "chunk %x has other bytes, or is there twice", c.hash) {
			return
		}
		if err := s.Put(engine, content); err != nil {
			a.Fail("%w", err)
		}
	})
	a.Check(slices.IsSortedFunc(all, func(x, y chunk) int { return compareHash(x.hash, y.hash) }), "the chunks are not in order")
}

func (p *Consumption) archive(a *archive.Coder) {
	for _, amount := range []*cycles.Amount{
		&p.Memory, &p.Compute, &p.Ingress, &p.Instructions, &p.Transmission, &p.Uninstall, &p.Creation, &p.Outcalls, &p.Burned,
	} {
		amount.Archive(a)
	}
}

func (s *QueryStats) archive(a *archive.Coder) {
	for _, n := range []*uint64{&s.Calls, &s.Instructions, &s.RequestBytes, &s.ResponseBytes} {
		archive.Number(a, n)
	}
}

func (h *History) archive(a *archive.Coder) {
	archive.Number(a, &h.Total)
	list, bytes := h.Changes(), uint64(0)
	archive.Slice(a, &list, MaxHistory, func(c *Change) {
		archive.Number(a, &c.Time)
		archive.Number(a, &c.Version)
		c.Origin.archive(a)
		if details := archiveDetails(a, c.Details); a.Reading() {
			c.Details = details
			bytes += c.bytes()
		}
	})
	a.Check(uint64(len(list)) <= h.Total, "there are %d changes in a history of %d", len(list), h.Total)
	if a.Reading() && len(list) > 0 {
		h.kept = &changes{list, bytes}
	}
}

// The kinds of changes, in the order of their types in history.go.
const (
	creation uint8 = iota
	uninstallation
	deployment
	snapshotLoad
	controllersChange
	renaming
)

// archiveDetails writes or reads the details of a change.
func archiveDetails(a *archive.Coder, details ChangeDetails) ChangeDetails {
	kind := kindOfChange(details)
	archive.AtMost(a, &kind, renaming)
	switch kind {
	case creation:
		d, _ := details.(Creation)
		archive.Slice(a, &d.Controllers, archive.MaxItems, a.Principal)
		archive.Pointer(a, &d.EnvironmentHash, func(h *[32]byte) { archive.Hash(a, h) })
		return d
	case deployment:
		d, _ := details.(Deployment)
		archive.AtMost(a, &d.Mode, Upgrade)
		archive.Hash(a, &d.Hash)
		return d
	case snapshotLoad:
		d, _ := details.(SnapshotLoad)
		archive.Pointer(a, &d.From, a.Principal)
		a.Bytes(&d.Snapshot, archive.MaxBytes)
		archive.Number(a, &d.Version)
		archive.Number(a, &d.TakenAt)
		a.Bool(&d.Uploaded)
		return d
	case controllersChange:
		d, _ := details.(ControllersChange)
		archive.Slice(a, &d.Controllers, archive.MaxItems, a.Principal)
		return d
	case renaming:
		d, _ := details.(Renaming)
		a.Principal(&d.From)
		archive.Number(a, &d.FromTotal)
		a.Principal(&d.To)
		archive.Number(a, &d.ToVersion)
		archive.Number(a, &d.ToTotal)
		a.Principal(&d.RequestedBy)
		return d
	}
	return Uninstallation{}
}

func kindOfChange(details ChangeDetails) uint8 {
	switch details.(type) {
	case Creation:
		return creation
	case Deployment:
		return deployment
	case SnapshotLoad:
		return snapshotLoad
	case ControllersChange:
		return controllersChange
	case Renaming:
		return renaming
	}
	return uninstallation
}
