package canister

import (
	"sync"

	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/stable"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// state is the Wasm state of a canister: it exists while code is installed.
type state struct {
	module *Module
	binary *binary
	heap   uint64 // committed size of the heap in bytes

	// The runner, if there is one, and the snapshot root, if there is one, hold the committed memories: a fork has no
	// runner before its first use, and a state that has changed since it was forked has no root.
	runner *runner
	root   *snapshotRoot

	pages uint32 // committed size of stable memory in Wasm pages

	mu     sync.Mutex // guards what follows: queries return views on other goroutines
	views  uint8      // number of idle views
	closed bool
	idle   *runner // list of idle views of the committed state, for the next queries
}

// runner is a guest with its stable memory and what it needs to run: the canister's own, or a view for queries.
type runner struct {
	module *Module
	guest  *wasm.Guest
	stable *stable.Memory
	next   *runner        // in the list of idle views
	x      *ic0.Execution // nil before the first run
	// running is set while the execution is in use, even while it is paused.
	running bool
	// long is set if the last message was not short. The next one has the same result either way.
	long bool

	forms map[form]*wasm.Code // of the module, that its runs had; nil for one that it cannot have
	profiling

	onSlice   func(uint64)
	onSleep   func(until, executed uint64) uint64 // of short messages
	pause     func()
	canceled  func() bool
	nextPause uint64
	after     uint64
}

func (r *runner) init(m *Module, g *wasm.Guest, s *stable.Memory) {
	r.module, r.guest, r.stable = m, g, s
}

// ready makes what only a run needs: most canisters of a fork never run.
func (r *runner) ready() {
	if r.x == nil {
		x, known := r.module.engine.executions.Get().(*ic0.Execution)
		if !known {
			x = new(ic0.Execution)
		}
		x.Guest, x.Stable = r.guest, r.stable
		r.x = x
		r.guest.OnGrow(r.x.HeapGrew)
		r.onSlice, r.onSleep = r.sliced, r.slept
	}
}

// drop returns the execution to the pool for another runner. An execution in the middle of its code is still in use.
func (r *runner) drop() {
	if x := r.x; x != nil && !r.running {
		r.x = nil
		*x = ic0.Execution{}
		r.module.engine.executions.Put(x)
	}
}

// forget releases the inputs and results of a message.
func (r *runner) forget() {
	r.pause, r.canceled = nil, nil
	if r.x != nil {
		r.x.Forget()
	}
}

// sliced is called after each slice of the engine.
func (r *runner) sliced(progress uint64) {
	if r.after > ScatteredPauseAfter && r.after <= DefaultPauseAfter && r.guest.Scattered() {
		r.after, r.nextPause = ScatteredPauseAfter, progress
	}
	if progress < r.nextPause {
		return
	}
	if r.x.Short {
		r.guest.End(errNotShort)
	}
	r.nextPause = progress + r.after
	if r.pause != nil {
		r.pause()
	}
	if r.canceled != nil && r.canceled() {
		r.x.Cancel()
	}
}

func newState(m *Module, b *binary, g *wasm.Guest, mem *stable.Memory) *state {
	installed := *m
	installed.uploaded = nil
	s := &state{module: &installed, binary: b, runner: new(runner)}
	s.runner.init(s.module, g, mem)
	return s
}

// loadedRunner returns the runner of the state, and makes it from the snapshot root if there is none yet.
func (s *state) loadedRunner() *runner {
	if s.runner == nil {
		s.runner = s.root.runner(s.module, s.root.guest.Guest())
	}
	return s.runner
}

// volatileRunner is loadedRunner, except that a guest that it makes is volatile.
func (s *state) volatileRunner() *runner {
	if s.runner == nil {
		s.runner = s.root.runner(s.module, s.root.guest.Volatile())
	}
	return s.runner
}

// MakeVolatile makes the memories of a forked canister that was not used since volatile, as a message in a volatile
// network does.
func (c *Canister) MakeVolatile() {
	if c.state != nil {
		c.state.volatileRunner()
	}
}

// runner returns a runner on the memories of the root.
func (m *snapshotRoot) runner(module *Module, guest *wasm.Guest) *runner {
	r := new(runner)
	r.init(module, guest, m.stable.Memory())
	return r
}

// note records the sizes of the committed memories of a state that was just made.
func (s *state) note() { s.heap, s.pages = s.runner.guest.MemorySize(), uint32(s.runner.stable.Size()) }

// measure sets the usage of the code and of memories of these sizes.
func (m *Module) measure(u *Usage, heap, pages uint64) {
	u.Heap = heap
	u.Stable = pages * stable.PageSize
	u.Globals = globalMemory(len(m.m.Exposed))
	u.Binary = uint64(m.UploadedSize())
	u.Custom = m.custom
}

// globalBytes is what a replica counts for a global.
const globalBytes = 32

// globalMemory is the same for the globals of a module and the one that counts instructions.
func globalMemory(globals int) uint64 { return globalBytes * uint64(globals+1) }

// commit commits what a message did, and records the sizes of the memories.
func (s *state) commit() error {
	s.dropRoot()
	heap, err := s.runner.commit()
	if err == nil {
		s.heap, s.pages = heap, uint32(s.runner.stable.Size())
	}
	return err
}

// rollback restores the state before the message.
func (s *state) rollback() {
	if s.runner != nil {
		s.runner.rollback()
	}
}

func (r *runner) rollback() {
	r.guest.Rollback()
	r.stable.Rollback()
}

// close releases all resources; keepStable leaves the stable memory to a successor.
func (s *state) close(keepStable bool) {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.views, s.closed = nil, 0, true
	s.mu.Unlock()
	for ; idle != nil; idle = idle.next {
		idle.close()
	}
	if s.runner != nil {
		s.runner.guest.Close()
		if !keepStable {
			s.runner.stable.Close()
		}
		s.runner.drop()
	}
	s.dropRoot()
	s.binary.release()
}

func (r *runner) close() {
	r.guest.Close()
	r.stable.Close()
	r.drop()
}

// view takes a view of the committed state.
func (s *state) view() (*runner, error) {
	s.mu.Lock()
	v := s.idle
	if v != nil {
		s.idle, v.next = v.next, nil
		s.views--
	}
	s.mu.Unlock()
	if v != nil {
		v.stable.Rollback()
		v.guest.View(0, 0) // opens it on the newest state now, not when the query runs
		return v, nil
	}
	if s.runner != nil && s.runner.guest.Volatile() {
		return s.ensureRoot().runner(s.module, s.root.guest.Volatile()), nil // the root may be of the state before the fork
	}
	r := s.loadedRunner()
	g, err := r.guest.Snapshot()
	if err != nil {
		return nil, err
	}
	v = new(runner)
	v.init(s.module, g, r.stable.Snapshot())
	return v, nil
}

// release returns a view to the list of idle views, or closes it.
func (s *state) release(v *runner) {
	v.rollback()
	s.mu.Lock()
	keep := !s.closed && !v.guest.Volatile() && s.views < idleViews
	if keep {
		s.idle, v.next = v, s.idle
		s.views++
	}
	s.mu.Unlock()
	if !keep {
		v.close()
	}
}
