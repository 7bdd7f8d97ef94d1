package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/canisterd/canisterd/canister/internal/checkpoint"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// Config configures the folders and limits of an engine.
type Config struct {
	CacheDir       string   // compiled code and rewritten modules on disk by hash; "" = memory only
	HeapDir        string   // directory of the one sparse checkpoint file; "" = in memory on Linux, temporary folder elsewhere
	MaxResident    int      // resident guests; 0 = DefaultMaxResident
	CompileWorkers int      // goroutines that compile one module; 0 = number of processors
	Heaps          HeapKind // HeapAuto outside of tests
	// Compiler runs CompileInto in a separate process, for modules that take long; nil = in this process. It needs
	// CacheDir; without one, a temporary folder is made.
	Compiler func(ctx context.Context, dir string, binary []byte) error
	// Fragments says when a module runs in fragments.
	Fragments Fragments
	// Seed is that of FragmentsAtRandom.
	Seed uint64
	// Ran returns the words that get the bits of a module's blocks (rewrite.Block.Bit), whichever guest runs them; nil: only
	// Guest.Cover says which words do.
	Ran func(m *rewrite.Module) []atomic.Uint64
}

// Engine compiles modules and keeps guests. Its methods may be called from any goroutine.
type Engine struct {
	config  Config
	whole   linkedRuntime // of compiled modules
	cutting linkedRuntime // of fragments, see fragmentCache
	cache   wazero.CompilationCache
	disk    *diskCache // nil without CacheDir
	file    *checkpoint.File
	heaps   *heapSpace
	hosts   hostModules
	// instances is the configuration of every instance. It has a source of random bytes because making the default one
	// takes longer than the rest of an instance; no module can ask for any.
	instances wazero.ModuleConfig
	debug     *debugStore
	temporary string // folder in place of CacheDir that Close removes; "" if there is none

	// Modules that take long to compile have their own slots, so that the others do not wait for them.
	quick, slow compileQueue
	working     sync.WaitGroup  // compilations, evictions and tidying in progress
	background  atomic.Int64    // those of modules that run in fragments
	draws       atomic.Uint64   // for FragmentsAtRandom
	evictions   atomic.Uint64   // of resident guests
	idle        atomic.Int64    // instances that wait in pools
	lifetime    context.Context // ends with Close
	end         context.CancelFunc

	mu       sync.Mutex // guards everything below
	codes    codeCache
	modules  moduleCache
	resident []*Guest // guests with an instance
	hand     int      // of the clock algorithm that chooses the next guest to evict
	closed   bool
	compiled int // calls of the compiler
}

// NewEngine makes an engine with no modules. Errors come from its folders.
func NewEngine(cfg Config) (*Engine, error) {
	if cfg.MaxResident <= 0 {
		cfg.MaxResident = DefaultMaxResident
	}
	if cfg.CompileWorkers <= 0 {
		cfg.CompileWorkers = runtime.NumCPU()
	}
	slots := max(1, cfg.CompileWorkers/2)
	e := &Engine{config: cfg, codes: newCodeCache(), modules: newModuleCache(), quick: compileQueue{free: slots}, slow: compileQueue{free: slots}}
	e.draws.Store(cfg.Seed)
	e.lifetime, e.end = context.WithCancel(context.Background())
	if err := e.open(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) open() (err error) {
	if e.heaps, err = newHeapSpace(e.config.Heaps); err != nil {
		return err
	}
	if e.file, err = checkpoint.Open(e.config.HeapDir); err != nil {
		return err
	}
	if e.heaps.kind != HeapCopy && !e.file.Punches() {
		// Freed extents would not read as zero through a mapping.
		if err := e.heaps.close(); err != nil {
			return err
		}
		if e.heaps, err = newHeapSpace(HeapCopy); err != nil {
			return err
		}
	}
	e.cache = wazero.NewCompilationCache()
	if e.config.Compiler != nil && e.config.CacheDir == "" {
		if e.temporary, err = os.MkdirTemp("", "canisterd-compiled-"); err != nil {
			return fmt.Errorf("make a folder for compiled code: %w", err)
		}
		e.config.CacheDir = e.temporary
	}
	if dir := e.config.CacheDir; dir != "" {
		if e.cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return fmt.Errorf("open the cache of compiled code: %w", err)
		}
		if e.disk, err = openDiskCache(dir); err != nil {
			return err
		}
		if e.disk.tidyIsDue(time.Now()) {
			e.working.Go(e.disk.tidy)
		}
	}
	e.debug = newDebugStore(e.config.CacheDir)
	e.instances = wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(strings.NewReader(""))
	e.whole.runtime = wazero.NewRuntimeWithConfig(context.Background(), runtimeConfig(e.cache))
	return nil
}

// HeapKind returns how this engine keeps heaps.
func (e *Engine) HeapKind() HeapKind { return e.heaps.kind }

// File returns the checkpoint file, for package stable.
func (e *Engine) File() *checkpoint.File { return e.file }

// Close releases instances, mappings, files and compiled code. No guest of the engine may be in a message or used
// afterwards.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	residents := e.resident
	e.resident = nil
	e.mu.Unlock()
	e.end()
	e.working.Wait()
	var err error
	for _, g := range residents {
		if l := g.resident; l != nil {
			g.resident = nil
			err = errors.Join(err, l.close())
		}
	}
	ctx := context.Background()
	if e.whole.runtime != nil {
		err = errors.Join(err, e.whole.runtime.Close(ctx), e.cache.Close(ctx))
	}
	if e.cutting.runtime != nil {
		err = errors.Join(err, e.cutting.runtime.Close(ctx))
	}
	if e.file != nil {
		err = errors.Join(err, e.file.Close())
	}
	if e.heaps != nil {
		err = errors.Join(err, e.heaps.close())
	}
	if e.temporary != "" {
		err = errors.Join(err, os.RemoveAll(e.temporary))
	}
	return err
}

// HostModule is a set of functions that modules import.
type HostModule struct {
	Name      string
	Functions []HostFunction
}

// HostFunction is called by compiled code with its parameters on the stack, one word each, and leaves its results
// there.
type HostFunction struct {
	Name            string
	Params, Results []api.ValueType
	Call            func(g *Guest, stack []uint64)
}

// hostModules are the host modules of an engine.
type hostModules struct {
	mu    sync.Mutex     // guards what follows, and the pending modules of runtimes
	all   []linkedModule // nil before Link
	names []string       // of all functions that have a frame in profiles; constant after Link
}

// linkedModule is a host module with the place of its first function among the names, or noFrame.
type linkedModule struct {
	HostModule
	first int
}

// noFrame is for functions that have no frame in profiles: what they do belongs to the code that calls them.
const noFrame = -1

// linkedRuntime is a runtime with host modules. Instantiating a host function takes as long as compiling a small
// function. Nearly all modules have 32-bit memory and need no WASI, so Link instantiates what they import. The other
// host modules are instantiated before the first module that may import them is loaded.
type linkedRuntime struct {
	runtime wazero.Runtime
	pending []linkedModule // not instantiated yet
}

// Link provides the host functions of modules. It is called once, before the first Compile.
func (e *Engine) Link(modules ...HostModule) error {
	h := &e.hosts
	h.mu.Lock()
	linked := h.all != nil
	if !linked {
		h.all = []linkedModule{{meteringModule(), noFrame}}
		for _, m := range modules {
			h.all = append(h.all, linkedModule{m, len(h.names)})
			for _, f := range m.Functions {
				h.names = append(h.names, m.Name+"."+f.Name)
			}
		}
		e.whole.pending = h.all
	}
	h.mu.Unlock()
	if linked {
		return errors.New("link host modules: already linked")
	}
	return e.instantiateHosts(&e.whole, new(rewrite.Module))
}

// openCutting makes the runtime of fragments ready for those of a module.
func (e *Engine) openCutting(m *rewrite.Module) error {
	if err := e.makeCutting(); err != nil {
		return err
	}
	return e.instantiateHosts(&e.cutting, m)
}

func (e *Engine) makeCutting() error {
	h := &e.hosts
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.cutting.runtime != nil {
		return nil
	}
	cache, err := e.fragmentCache()
	if err != nil {
		return err
	}
	e.cutting.runtime = wazero.NewRuntimeWithConfig(context.Background(), runtimeConfig(cache))
	e.cutting.pending = append([]linkedModule{{fragmentsModule(), noFrame}}, h.all...)
	return nil
}

// fragmentCache returns where compiled fragments are kept. The module of a fragment is soon compiled, so that is memory.
// Tests that always run modules in fragments do so in many engines with the same folder: they compile each fragment once.
func (e *Engine) fragmentCache() (wazero.CompilationCache, error) {
	if e.config.CacheDir == "" || e.config.Fragments == FragmentsWhileCompiling {
		return wazero.NewCompilationCache(), nil
	}
	cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(e.config.CacheDir, "fragments"))
	if err != nil {
		return nil, fmt.Errorf("open the cache of compiled fragments: %w", err)
	}
	return cache, nil
}

// instantiateHosts instantiates the pending host modules of a runtime that a module may import.
func (e *Engine) instantiateHosts(r *linkedRuntime, m *rewrite.Module) error {
	e.hosts.mu.Lock()
	defer e.hosts.mu.Unlock()
	var others []linkedModule
	for i, host := range r.pending {
		if !m.MayImport(host.Name) {
			others = append(others, host)
			continue
		}
		if err := r.instantiateHost(&host); err != nil {
			r.pending = append(others, r.pending[i:]...)
			return err
		}
	}
	r.pending = others
	return nil
}

func (r *linkedRuntime) instantiateHost(m *linkedModule) error {
	b := r.runtime.NewHostModuleBuilder(m.Name)
	for i, f := range m.Functions {
		call := f.Call
		if m.first != noFrame {
			call = recorded(call, uint32(m.first+i))
		}
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			call(ctx.(*callContext).guest, stack)
		}), f.Params, f.Results).Export(f.Name)
	}
	if _, err := b.Instantiate(context.Background()); err != nil {
		return fmt.Errorf("link host module %q: %w", m.Name, err)
	}
	return nil
}

// meteringModule returns the functions that the rewriter itself imports into modules.
func meteringModule() HostModule {
	i32 := api.ValueTypeI32
	return HostModule{Name: rewrite.ModuleName, Functions: []HostFunction{
		{Name: rewrite.OutOfInstructions, Call: func(g *Guest, _ []uint64) { g.refill() }},
		{Name: rewrite.BulkCheck, Params: []api.ValueType{i32}, Call: func(g *Guest, stack []uint64) { g.FinishPiece(uint64(uint32(stack[0]))) }},
		{Name: rewrite.HugeCharge, Params: []api.ValueType{api.ValueTypeI64}, Call: func(g *Guest, stack []uint64) { g.refuseHugeCharge(stack[0]) }},
		{Name: rewrite.GrowCheck, Params: []api.ValueType{i32, i32}, Results: []api.ValueType{i32}, Call: func(g *Guest, stack []uint64) {
			old, pages := uint32(stack[0]), uint32(stack[1])
			g.grew(old, pages)
			stack[0] = uint64(old)
		}},
		{Name: rewrite.ProbeEnter, Params: []api.ValueType{i32, api.ValueTypeI64}, Call: (*Guest).probeEnter},
		{Name: rewrite.ProbeLeave, Params: []api.ValueType{api.ValueTypeI64}, Call: (*Guest).probeLeave},
		{Name: rewrite.ProbeWithdraw, Call: (*Guest).probeWithdraw},
	}}
}
