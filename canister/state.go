package canister

import (
	"sync"

	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/stable"
	"github.com/canisterd/canisterd/canister/internal/wasm"
)

// state is the Wasm state of a canister: what exists while code is installed.
type state struct {
	runner
	binary      *binary
	heap, pages uint64 // committed sizes: of the heap in bytes, of stable memory in pages

	// Views of the committed state that wait for the next query. They come back from other
	// goroutines, hence the lock.
	mu     sync.Mutex
	idle   []*runner
	closed bool
}

// runner is a guest with its stable memory and what it needs to run: that of the
// canister, or a view of it for queries.
type runner struct {
	module *Module
	guest  *wasm.Guest
	stable *stable.Memory
	x      *ic0.Execution // nil before the first run

	onSlice   func(uint64)
	pause     func()
	nextPause uint64
	after     uint64
}

func (r *runner) init(m *Module, g *wasm.Guest, s *stable.Memory) {
	r.module, r.guest, r.stable = m, g, s
}

// ready makes what only a run needs: most canisters of a fork never run.
func (r *runner) ready() {
	if r.x == nil {
		r.x = &ic0.Execution{Guest: r.guest, Stable: r.stable}
		r.guest.OnGrow(r.x.HeapGrew)
		r.onSlice = r.sliced
	}
}

// forget lets go of what a message brought and made.
func (r *runner) forget() {
	if r.x != nil {
		r.x.Forget()
	}
}

// sliced is called whenever the engine looks up.
func (r *runner) sliced(executed uint64) {
	if r.pause != nil && executed >= r.nextPause {
		r.nextPause = executed + r.after
		r.pause()
	}
}

func newState(m *Module, b *binary, g *wasm.Guest, mem *stable.Memory) *state {
	installed := *m
	installed.uploaded = nil
	s := &state{binary: b}
	s.init(&installed, g, mem)
	return s
}

// note enters the sizes that were just committed.
func (s *state) note() { s.heap, s.pages = s.guest.MemorySize(), s.stable.Size() }

// measure adds what the code takes and memories of these sizes.
func (r *runner) measure(u *Usage, heap, pages uint64) {
	u.Heap = heap
	u.Stable = pages * stable.PageSize
	u.Globals = globalMemory(len(r.module.m.Exposed))
	u.Binary = uint64(r.module.UploadedSize())
	u.Custom = r.module.custom
}

// globalBytes is what a replica counts for a global.
const globalBytes = 32

// globalMemory is what it counts for the globals of a module, with the one in which it counts instructions.
func globalMemory(globals int) uint64 { return globalBytes * uint64(globals+1) }

// rollback makes everything what it was before the message.
func (r *runner) rollback() {
	r.guest.Rollback()
	r.stable.Rollback()
}

// close gives everything back; keepStable leaves the stable memory to a successor.
func (s *state) close(keepStable bool) {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()
	for _, v := range idle {
		v.close()
	}
	s.guest.Close()
	s.binary.release()
	if !keepStable {
		s.stable.Close()
	}
}

func (r *runner) close() {
	r.guest.Close()
	r.stable.Close()
}

// view takes a view of the committed state.
func (s *state) view() (*runner, error) {
	s.mu.Lock()
	var v *runner
	if n := len(s.idle); n > 0 {
		v, s.idle = s.idle[n-1], s.idle[:n-1]
	}
	s.mu.Unlock()
	if v != nil {
		v.stable.Rollback()
		v.guest.View(0, 0) // opens it on the newest state now, not when the query runs
		return v, nil
	}
	g, err := s.guest.Snapshot()
	if err != nil {
		return nil, err
	}
	v = new(runner)
	v.init(s.module, g, s.stable.Snapshot())
	return v, nil
}

// release takes a view back.
func (s *state) release(v *runner) {
	v.rollback()
	s.mu.Lock()
	keep := !s.closed && len(s.idle) < idleViews
	if keep {
		s.idle = append(s.idle, v)
	}
	s.mu.Unlock()
	if !keep {
		v.close()
	}
}
