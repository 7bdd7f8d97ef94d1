package wasm

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
	"github.com/canisterd/canisterd/canister/internal/fragment"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// Fragments says when a module runs in fragments (package fragment). Both ways have the same results, counts, traps and
// backtraces, and a guest changes from one to the other between two messages.
type Fragments uint8

const (
	// FragmentsWhileCompiling runs a module in fragments until it is compiled, if that takes long.
	FragmentsWhileCompiling Fragments = iota
	// FragmentsNever waits until a module is compiled. It is for programs that measure compiled code.
	FragmentsNever
	// FragmentsAlways runs every module that can be cut in fragments, and FragmentsAtRandom changes between both ways at
	// random messages. They are for tests.
	FragmentsAlways
	FragmentsAtRandom
)

// fragments are those of a code, shared by its guests. A function is compiled when a guest first calls it.
type fragments struct {
	engine   *Engine
	compiled atomic.Int64 // fragments, ever

	mu     sync.Mutex // guards everything below; held while a fragment compiles
	source *fragment.Source
	base   wazero.CompiledModule // nil until the first instance
	list   []wazero.CompiledModule
	place  map[uint32]int // function -> index in list
}

// cuts reports whether a module may run in fragments, as far as its description says.
func (e *Engine) cuts(m *rewrite.Module) bool {
	if m.MutatesTable || m.References || m.Positions {
		return false
	}
	switch e.config.Fragments {
	case FragmentsNever:
		return false
	case FragmentsWhileCompiling:
		return m.CompileTime >= minFragmentsTime && m.SlowestFunction <= maxFragmentTime
	}
	return true
}

// prefersCut reports whether the next instance of a compiled code runs in fragments.
func (e *Engine) prefersCut() bool { return e.config.Fragments == FragmentsAtRandom && e.draw() }

// draw returns a random bit (splitmix64).
func (e *Engine) draw() bool {
	x := e.draws.Add(0x9e3779b97f4a7c15)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x>>63 != 0
}

// cut returns the fragments of a module, nil if it cannot be cut.
func (e *Engine) cut(m *rewrite.Module) *fragments {
	source, ok := fragment.New(m.Binary)
	if !ok {
		return nil
	}
	return &fragments{engine: e, source: source, place: map[uint32]int{}}
}

// compileBase returns the compiled base.
func (f *fragments) compileBase() (wazero.CompiledModule, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.base == nil {
		compiled, err := f.compile(f.source.Base())
		if err != nil {
			return nil, fmt.Errorf("compile the base of fragments: %w", err)
		}
		f.base = compiled
	}
	return f.base, nil
}

func (f *fragments) compile(binary []byte) (wazero.CompiledModule, error) {
	e := f.engine
	return e.cutting.runtime.CompileModule(experimental.WithCompilationWorkers(context.Background(), e.config.CompileWorkers), binary)
}

// awaitQuiet waits until no fragment has been compiled for a while: until then, the processors are better used for the
// functions that a message waits for.
func (f *fragments) awaitQuiet(ctx context.Context) {
	for range maxQuietWaits {
		before := f.compiled.Load()
		select {
		case <-time.After(quietTime):
		case <-ctx.Done():
			return
		}
		if f.compiled.Load() == before {
			return
		}
	}
}

// with returns the fragment with a function, and its index.
func (f *fragments) with(function uint32) (compiled wazero.CompiledModule, index int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i, ok := f.place[function]; ok {
		return f.list[i], i, nil
	}
	functions := f.source.Choose(function, func(other uint32) bool { _, ok := f.place[other]; return ok })
	if compiled, err = f.compile(f.source.Fragment(functions)); err != nil {
		return nil, 0, fmt.Errorf("compile the fragment of function %d: %w", function, err)
	}
	index = len(f.list)
	f.list = append(f.list, compiled)
	f.compiled.Add(1)
	for _, x := range functions {
		f.place[x] = index
	}
	return compiled, index, nil
}

// exported returns the function that the module exports by a name.
func (f *fragments) exported(name string) (function uint32, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.source.Function(name)
}

// entry returns the function in an entry of the module's table.
func (f *fragments) entry(i uint32) (function uint32, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.source.Entry(i)
}

// close drops the compiled code. No instance of it may be left.
func (f *fragments) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	ctx := context.Background()
	for _, compiled := range f.list {
		_ = compiled.Close(ctx)
	}
	if f.base != nil {
		_ = f.base.Close(ctx)
	}
	f.list, f.base, f.place = nil, nil, map[uint32]int{}
}

// instantiateBase makes the instance of the base over the heap: functions are loaded when they are called.
func (r *resident) instantiateBase() error {
	compiled, err := r.fragments.compileBase()
	if err != nil {
		return err
	}
	return r.instantiate(&r.guest.engine.cutting, compiled)
}

// loadFunction returns the instance of the fragment with a function.
func (r *resident) loadFunction(function uint32) (api.Module, error) {
	compiled, index, err := r.fragments.with(function)
	if err != nil {
		return nil, err
	}
	if instance, ok := r.loaded[index]; ok {
		return instance, nil
	}
	ctx := experimental.WithImportResolver(context.Background(), func(name string) api.Module {
		if name == fragment.Base {
			return r.instance
		}
		return nil
	})
	e := r.guest.engine
	instance, err := e.cutting.runtime.InstantiateModule(ctx, compiled, e.instances)
	if err != nil {
		return nil, fmt.Errorf("instantiate the fragment of function %d: %w", function, err)
	}
	if r.loaded == nil {
		r.loaded = map[int]api.Module{}
	}
	r.loaded[index] = instance
	return instance, nil
}

// exportedFunction returns the function object of an export of the module, nil if there is none.
func (r *resident) exportedFunction(name string) api.Function {
	if r.fragments == nil {
		return r.instance.ExportedFunction(name)
	}
	function, ok := r.fragments.exported(name)
	if !ok {
		return nil
	}
	instance, err := r.loadFunction(function)
	if err != nil {
		panic(fmt.Errorf("wasm: load %q: %w", name, err))
	}
	return instance.ExportedFunction(fragment.Export(function))
}

// closeFragments closes the instances of fragments.
func (r *resident) closeFragments() (err error) {
	for _, instance := range r.loaded { // in any order
		if failed := instance.Close(context.Background()); failed != nil {
			err = failed
		}
	}
	r.loaded = nil
	return err
}

// outdated reports whether the next message should run on another instance: the module has been compiled.
func (r *resident) outdated() bool {
	if e := r.guest.engine; e.config.Fragments == FragmentsAtRandom {
		return e.draw()
	}
	return r.fragments != nil && r.code.whole.Load()
}

// leaveFragments evicts the idle guests that run in the fragments of a code, which has been compiled: their next message
// may be far away, and fragments take more memory.
func (e *Engine) leaveFragments(c *Code) {
	if e.config.Fragments != FragmentsWhileCompiling {
		return
	}
	var idle []*Guest
	e.mu.Lock()
	for _, g := range e.resident {
		if !g.residency.TryLock() {
			continue
		}
		if r := g.resident; r != nil && !g.open && r.code == c && r.fragments != nil {
			idle = append(idle, g)
		} else {
			g.residency.Unlock()
		}
	}
	e.mu.Unlock()
	for _, g := range idle {
		g.evict()
		g.residency.Unlock()
	}
}

// fragmentsModule returns the host functions of fragments.
func fragmentsModule() HostModule {
	i32 := api.ValueTypeI32
	return HostModule{Name: fragment.Host, Functions: []HostFunction{
		{Name: fragment.LoadFunction, Params: []api.ValueType{i32}, Call: func(g *Guest, stack []uint64) { g.loadFunction(uint32(stack[0])) }},
		{Name: fragment.LoadEntry, Params: []api.ValueType{i32}, Call: func(g *Guest, stack []uint64) {
			if function, ok := g.resident.fragments.entry(uint32(stack[0])); ok {
				g.loadFunction(function)
			}
		}},
		{Name: fragment.MemoryInit, Params: []api.ValueType{i32, i32, i32, i32}, Results: []api.ValueType{i32}, Call: func(g *Guest, stack []uint64) {
			to, from, n, segment := stack[0], stack[1], stack[2], stack[3]
			stack[0] = 0
			if !g.initMemory(uint32(to), uint32(from), uint32(n), uint32(segment)) {
				stack[0] = 1
			}
		}},
		{Name: fragment.DataDrop, Params: []api.ValueType{i32}, Call: func(g *Guest, stack []uint64) {
			g.resident.segments[uint32(stack[0])] = nil
		}},
	}}
}

// loadFunction loads a function in the middle of a run. Its compilation takes the thread for some milliseconds.
func (g *Guest) loadFunction(function uint32) {
	heap := g.resident.heap
	heap.unwatch()
	defer heap.watch()
	if _, err := g.resident.loadFunction(function); err != nil {
		panic(fmt.Errorf("wasm: load a function of module %x: %w", g.code.module.Hash[:8], err))
	}
}

// initMemory is memory.init of a fragment, and returns false if it is out of bounds.
func (g *Guest) initMemory(to, from, n, segment uint32) bool {
	memory, bytes := g.resident.heap.bytes(), g.resident.segments[segment]
	if uint64(from)+uint64(n) > uint64(len(bytes)) || uint64(to)+uint64(n) > uint64(len(memory)) {
		return false
	}
	checkpoint.Copy(memory[to:uint64(to)+uint64(n)], bytes[from:])
	return true
}
