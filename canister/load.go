package canister

import (
	"github.com/canisterd/canisterd/canister/internal/stable"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// Matches reports whether the globals of a snapshot match the globals of its module in number and types.
func (s *Snapshot) Matches(m *Module) bool {
	exposed := m.m.Exposed
	if len(exposed) != len(s.Globals) {
		return false
	}
	for i, x := range exposed {
		if x.Type != s.Globals[i].Type {
			return false
		}
	}
	return true
}

// Fits reports whether a module can have the heap of the snapshot.
func (s *Snapshot) Fits(m *Module) bool {
	most := uint64(0)
	if m.m.HasMemory {
		most = uint64(m.m.MemoryMax) * wasm.WasmPageSize
	}
	return s.Size(HeapPart) <= most
}

// HeapWith returns the size of the snapshot's heap with a module: at least the module's minimum.
func (s *Snapshot) HeapWith(m *Module) uint64 {
	if !m.m.HasMemory {
		return s.Size(HeapPart)
	}
	return max(s.Size(HeapPart), uint64(m.m.MemoryMin)*wasm.WasmPageSize)
}

// UsageLoaded returns the memory that the canister would use with a snapshot loaded.
func (c *Canister) UsageLoaded(s *Snapshot, m *Module) Usage {
	var u Usage
	c.overhead(&u)
	u.Chunks = s.Chunks.Bytes()
	m.measure(&u, s.HeapWith(m), s.Size(StablePart)/stable.PageSize)
	return u
}

// Load replaces code, memories, globals, certified data and chunk store of an idle canister by those of a snapshot,
// which may be of another canister. Nothing runs. m is the snapshot's module, which it Matches and Fits. Everything
// else stays; the caller updates version, times and history. An error means that the disk is full; the canister is then
// unchanged.
func (c *Canister) Load(s *Snapshot, m *Module) error {
	kept, err := m.engine.keep(m)
	if err != nil {
		return err
	}
	guest := m.engine.wasm.Restore(m.code, s.heap, s.values(m))
	next := newState(m, kept, guest, s.stable.Fork())
	if c.state != nil {
		c.state.close(false)
	}
	next.note()
	c.state = next
	c.Chunks.Clear()
	c.Certified, c.Chunks = s.Certified, s.Chunks.Fork()
	return nil
}

// LowOnHeap is the condition of the low-memory hook for a heap of some bytes: less than the threshold remains below the
// limit, or below the largest heap if there is no limit.
func (s *Settings) LowOnHeap(heap uint64, wide bool) bool {
	limit := uint64(NarrowHeapBytes)
	if wide {
		limit = WideHeapBytes
	}
	if l := s.WasmMemoryLimit; l != 0 {
		limit = min(limit, l)
	}
	return limit < heap+s.WasmMemoryThreshold
}

// values returns the mutable globals in the engine's form.
func (s *Snapshot) values(m *Module) []wasm.GlobalValue {
	var values []wasm.GlobalValue
	for i, x := range m.m.Exposed {
		if g := s.Globals[i]; x.Mutable {
			values = append(values, wasm.GlobalValue{Index: x.Index, Type: x.Type, Low: g.Low, High: g.High})
		}
	}
	return values
}

// HeapDelta returns how many bytes of the canister's memories a replica without a checkpoint yet holds as changes.
func (c *Canister) HeapDelta() uint64 {
	n := c.Chunks.HeapDelta()
	if s := c.state; s != nil {
		r := s.loadedRunner()
		n += wasm.PageSize * (r.guest.Written() + r.stable.Written())
	}
	return n
}
