package wasm

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
	"github.com/canisterd/canisterd/internal/profile"
)

// Guest is the Wasm state of one canister: heap, mutable globals, instance. It is resident or evicted; every method
// makes it resident if needed.
//
// The first method that runs it or touches its memory opens a message; Commit, Rollback or Close ends it. An open guest
// stays resident.
type Guest struct {
	engine *Engine
	code   *Code
	slot   *slot
	// residency is held while a message is open and while the guest is evicted.
	residency sync.Mutex
	used      atomic.Bool // since the clock hand last passed
	resident  *resident
	place     int // in the engine's list of resident guests

	predecessor *Guest // set until a successor is committed
	origin      *Guest // the guest of which it is a snapshot
	version     uint64 // of the slot, at the beginning of a snapshot's message
	began       int64  // bytes of heap at the beginning of the message
	open        bool
	running     bool
	compared    bool // changed is up to date
	closed      bool
	lost        bool // the last commit left a lost heap, see heap.committed

	host          any
	recorder      *profile.Recorder // of the run, nil if none records it
	covered       []atomic.Uint64   // see Cover
	coveredPerRun bool              // see Cover
	onGrow        func(oldPages, wantPages uint32) error
	ending        error
	budget        Budget
	boundary      uint64 // executed count at which the replica's slice ends
	resumed       uint64 // executed count at which that slice began
	granted       uint64 // executed instructions = granted - counter
	part          uint64 // upper limit of the instructions granted next: few after many page faults
	sliceEnd      uint64 // executed count at which the slice ends, at least granted
	look          uint64 // progress at which changed pages are counted next, see Budget.ScatteredPages
	// scattered is set if the message has changed Budget.ScatteredPages pages. Run clears it.
	scattered bool
	moved     uint64 // instructions charged again for pieces of bulk operations, see Budget.Pause

	changed []span
	marked  map[int64]*[PageSize]byte // pages at Mark that differed from the committed ones
	held    heldState
}

// NewGuest makes the state of a freshly installed module: a zero heap with the active data segments, and globals at
// their initial values, before the start function runs. The state counts as committed, so that a message is compared
// with it, and Close releases it. The error is a *Trap if a segment does not fit.
func (e *Engine) NewGuest(code *Code) (*Guest, error) {
	g := &Guest{engine: e, code: code, slot: &slot{store: store{file: e.file}, refs: 1}}
	g.slot.owner = g
	if err := g.install(); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

func (g *Guest) install() error {
	g.residency.Lock()
	g.open = true
	size := int64(0)
	if m := g.code.module; m.HasMemory {
		size = int64(m.MemoryMin) * WasmPageSize
	}
	if err := g.makeResident(size); err != nil {
		return err
	}
	if err := g.applyData(); err != nil {
		return err
	}
	_, err := g.commit()
	return err
}

func (g *Guest) applyData() error {
	memory := g.resident.heap.bytes()
	for i, d := range g.code.module.Data {
		if d.Offset > uint64(len(memory)) || uint64(len(d.Bytes)) > uint64(len(memory))-d.Offset {
			return &Trap{Kind: HeapOutOfBounds, Detail: fmt.Sprintf("data segment %d: %d bytes at offset %d of a memory of %d bytes",
				i, len(d.Bytes), d.Offset, len(memory))}
		}
		checkpoint.Copy(memory[d.Offset:], d.Bytes)
	}
	return nil
}

// Successor makes the state after an upgrade (keepHeap) or a reinstall, without changing g. With keepHeap it has the
// current bytes of g, including uncommitted ones, at least as many as the new module's minimum, and no data segments
// are applied. Otherwise it is as from NewGuest. Until it is committed, g must not run; Close leaves g unchanged. Its
// Commit replaces g, which is closed.
func (g *Guest) Successor(code *Code, keepHeap bool) (*Guest, error) {
	if !keepHeap {
		s, err := g.engine.NewGuest(code)
		if err != nil {
			return nil, err
		}
		s.predecessor = g
		return s, nil
	}
	g.begin()
	s := &Guest{engine: g.engine, code: code, slot: g.slot, predecessor: g}
	s.slot.retain()
	if err := s.inherit(g); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (g *Guest) inherit(from *Guest) error {
	changed, err := from.compare()
	if err != nil {
		return err
	}
	old := from.resident.heap.bytes()
	g.residency.Lock()
	g.open = true
	if err := g.makeResident(max(int64(len(old)), int64(g.code.module.MemoryMin)*WasmPageSize)); err != nil {
		return err
	}
	memory := g.resident.heap.bytes()
	for _, c := range changed {
		checkpoint.Copy(memory[c.first*PageSize:c.end*PageSize], old[c.first*PageSize:])
	}
	g.compared = false
	g.resident.heap.lost()
	return g.Mark()
}

// Snapshot makes a second guest over g's committed state. It sees that state until it is rolled back, whatever g
// commits meanwhile; after Rollback its next message sees the newest state. It can only be rolled back. It may be
// called from any goroutine.
func (g *Guest) Snapshot() (*Guest, error) {
	r := &Guest{engine: g.engine, code: g.code, slot: g.slot, origin: g}
	r.slot.retain()
	if err := r.tryBegin(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close releases everything, including the slot unless a successor or a snapshot still needs it.
func (g *Guest) Close() {
	if g.closed {
		return
	}
	if !g.open {
		g.residency.Lock()
	}
	g.leaveInstance()
	g.closed, g.open = true, false
	g.slot.mu.Lock()
	if g.slot.owner == g {
		g.slot.owner = nil
	}
	g.slot.mu.Unlock()
	g.evict()
	g.residency.Unlock()
	g.slot.release()
	g.predecessor, g.marked = nil, nil
}

// begin opens a message if none is open. If a guest cannot be made resident, this is a bug or the machine is out of
// memory: execution cannot continue.
func (g *Guest) begin() {
	if g.open {
		return
	}
	if err := g.tryBegin(); err != nil {
		panic(fmt.Errorf("wasm: make guest resident: %w", err))
	}
}

var errGone = errors.New("the guest was closed or replaced")

func (g *Guest) tryBegin() error {
	if g.open {
		return nil
	}
	g.residency.Lock()
	if !g.used.Load() {
		g.used.Store(true)
	}
	err := errGone
	if !g.closed {
		if g.resident != nil && g.resident.outdated() {
			g.evict()
		}
		if g.origin != nil {
			err = g.beginSnapshot()
		} else if err = nil; g.resident == nil {
			err = g.makeResident(g.slot.size)
		}
	}
	if err != nil {
		g.residency.Unlock()
		return err
	}
	g.open, g.compared, g.began = true, false, int64(len(g.resident.heap.bytes()))
	return nil
}

// beginSnapshot moves the snapshot to the newest committed state, which it then has until the message ends.
func (g *Guest) beginSnapshot() error {
	s := g.slot
	for {
		s.mu.Lock()
		if s.owner != g.origin {
			s.mu.Unlock()
			return errGone
		}
		if l := g.resident; l != nil && int64(len(l.heap.bytes())) == s.size {
			err := g.refresh()
			if err == nil {
				s.subscribe(l.heap)
			}
			s.mu.Unlock()
			return err
		}
		size := s.size
		s.mu.Unlock()
		g.evict()
		if err := g.makeResident(size); err != nil {
			return err
		}
	}
}

// refresh loads the newest committed state into a resident snapshot. Needs the slot's lock.
func (g *Guest) refresh() error {
	if g.version != g.slot.version {
		if err := g.resident.heap.load(); err != nil {
			return err
		}
		g.version = g.slot.version
	}
	writeGlobals(g.resident.globals, g.slot.globals)
	return nil
}

// makeResident instantiates the guest over its committed bytes. Needs residency.
func (g *Guest) makeResident(size int64) error {
	if err := g.engine.makeRoom(); err != nil {
		return err
	}
	if adopted, err := g.adopt(); adopted || err != nil {
		return err
	}
	s := g.slot
	s.mu.Lock()
	h, err := g.engine.heaps.heap(s, size, g.origin != nil)
	g.version = s.version
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("make heap: %w", err)
	}
	l, err := newResident(g, g.code, h)
	if err != nil {
		return err
	}
	if err := g.resume(l); err != nil {
		return errors.Join(err, l.close())
	}
	g.resident = l
	g.engine.admit(g)
	return nil
}

// resume restores the committed state into a new instance, if there is one of this guest's code.
func (g *Guest) resume(l *resident) error {
	s := g.slot
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.globals == nil || s.owner != g && s.owner != g.origin {
		return nil
	}
	// Instantiating may have written to the heap (active segments in conformance mode).
	if err := l.heap.load(); err != nil {
		return err
	}
	g.version = s.version
	writeGlobals(l.globals, s.globals)
	return nil
}

// evict drops instance and heap. Uncommitted changes are lost. Needs residency.
func (g *Guest) evict() {
	l := g.resident
	if l == nil {
		return
	}
	g.resident, g.compared, g.changed = nil, false, nil
	if g.origin != nil {
		g.slot.mu.Lock()
		g.slot.unsubscribe(l.heap)
		g.slot.mu.Unlock()
	}
	g.engine.leave(g)
	if err := l.close(); err != nil {
		panic(fmt.Errorf("wasm: evict guest: %w", err))
	}
}
