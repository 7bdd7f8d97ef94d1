package canister

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasi"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister"
)

// EngineConfig configures an engine. CacheDir holds compiled modules, which can be made again, and HeapDir the memories
// of canisters; an empty folder means memory. MaxResident is the number of canisters that are kept ready to run (0 for
// the default). Compiler, if set, runs CompileInto in a separate process for modules that take long to compile.
// Fragments says when modules run before they are compiled; Seed is that of FragmentsAtRandom.
// Stopwatch, if set, measures commits in nanoseconds. Coverage, if set, collects which code of all canisters runs.
type EngineConfig struct {
	CacheDir, HeapDir string
	MaxResident       int
	Compiler          func(ctx context.Context, dir string, binary []byte) error
	Fragments         Fragments
	Seed              uint64
	Stopwatch         func() int64
	Coverage          *Coverage
}

// Fragments says when a module runs in fragments, before it is compiled. No result, count or trap depends on it.
type Fragments = wasm.Fragments

// The ways, as package wasm explains them: the default, one for programs that measure compiled code, and two for tests.
const (
	FragmentsWhileCompiling = wasm.FragmentsWhileCompiling
	FragmentsNever          = wasm.FragmentsNever
	FragmentsAlways         = wasm.FragmentsAlways
	FragmentsAtRandom       = wasm.FragmentsAtRandom
)

// Engine runs Wasm with the System API. It is safe for concurrent use. One engine serves any number of networks.
type Engine struct {
	wasm       *wasm.Engine
	signatures *signatures
	stopwatch  func() int64 // nil if commits are not measured
	coverage   *Coverage    // nil if it is not measured
	commits    durations

	warmed     warmed
	sources    *sources
	executions sync.Pool // of *ic0.Execution: forks that live for a few messages discard many

	mu       sync.Mutex           // guards binaries, refs of each, and bySize
	binaries map[[32]byte]*binary // by hash, while a canister or a snapshot has them
	bySize   map[uint64]*binary   // the last one of each size
}

// NewEngine makes an engine. It returns the errors of its folders.
func NewEngine(cfg EngineConfig) (*Engine, error) {
	config := wasm.Config{
		CacheDir: cfg.CacheDir, HeapDir: cfg.HeapDir, MaxResident: cfg.MaxResident, Compiler: cfg.Compiler, Fragments: cfg.Fragments, Seed: cfg.Seed,
	}
	if cfg.Coverage != nil {
		config.Ran = cfg.Coverage.bits
	}
	e, err := wasm.NewEngine(config)
	if err != nil {
		return nil, fmt.Errorf("making the Wasm engine: %w", err)
	}
	if err := e.Link(append(ic0.Modules(), wasi.Module())...); err != nil {
		return nil, errors.Join(fmt.Errorf("linking the System API: %w", err), e.Close())
	}
	return &Engine{
		wasm: e, signatures: theSignatures(), stopwatch: cfg.Stopwatch, binaries: make(map[[32]byte]*binary), bySize: make(map[uint64]*binary), coverage: cfg.Coverage,
		sources: newSources(),
	}, nil
}

// InUse returns how many bytes of the checkpoint file are allocated to heaps, stable memories, modules and snapshots.
// Most of them are never written and take no space.
func (e *Engine) InUse() int64 { return e.wasm.File().InUse() }

// EvictIdle releases the instances of canisters that ran nothing since the call before, and returns their number: a
// canister keeps its state, and its next message makes an instance again. It may be called on any goroutine.
func (e *Engine) EvictIdle() int { return e.wasm.EvictIdle() }

// Close releases all resources. No canister of the engine may be used afterwards.
func (e *Engine) Close() error { return e.wasm.Close() }

// Prepare validates, meters and compiles a module as uploaded, raw or gzip. It is a pure function of the bytes: a
// module is prepared once and later found by its hash. The reject is IC0505 or IC0521. The caller puts "Error from
// Canister <id>: " before its text. A module that needs a feature is prepared for every caller (Module.Refusal).
func (e *Engine) Prepare(ctx context.Context, uploaded []byte) (*Module, *intercanister.Reject) {
	hash, ok := e.warmed.take(uploaded)
	if !ok {
		hash = e.hashOf(uploaded)
	}
	m, reject, err := e.prepare(ctx, uploaded, hash)
	if err != nil {
		return nil, intercanister.Rejectf(intercanister.CanisterWasmEngineError, "Canister encountered a Wasm engine error: %v", err)
	}
	return m, reject
}

// Warm prepares a module that is about to be installed, and whose bytes are read-only until then. The error says why it was
// not compiled, for reasons other than the module itself, so that another attempt may succeed.
func (e *Engine) Warm(ctx context.Context, uploaded []byte) error {
	hash := e.hashOf(uploaded)
	e.warmed.put(uploaded, hash)
	_, _, err := e.prepare(ctx, uploaded, hash)
	return err
}

func (e *Engine) prepare(ctx context.Context, uploaded []byte, hash [32]byte) (*Module, *intercanister.Reject, error) {
	m, err := e.rewrite(ctx, uploaded, hash)
	var invalid *rewrite.Invalid
	switch {
	case errors.As(err, &invalid):
		return nil, invalidModule(invalid), nil
	case err != nil:
		return nil, nil, err
	}
	if m.Fault != "" {
		return &Module{engine: e, m: m, uploaded: uploaded}, nil, nil
	}
	code, err := e.wasm.Compile(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	return &Module{engine: e, code: code, m: m, custom: customBytes(m), uploaded: uploaded}, nil, nil
}

// rewrite returns the rewritten form of a module, from the cache if it is there.
func (e *Engine) rewrite(ctx context.Context, uploaded []byte, hash [32]byte) (*rewrite.Module, error) {
	key := e.keyOf(hash, form{})
	if m, ok := e.wasm.CachedModule(key); ok {
		e.coverage.add(m, uploaded)
		return m, nil
	}
	end, err := e.wasm.WaitTurn(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	m, err := rewriteLinked(uploaded, e.rewriting(hash, form{}))
	if err != nil {
		return nil, err
	}
	e.coverage.add(m, uploaded)
	e.wasm.CacheModule(key, m)
	return m, nil
}

// rewriting returns how this engine rewrites a module.
func (e *Engine) rewriting(hash [32]byte, f form) rewrite.Options {
	return rewrite.Options{
		SystemAPI: e.signatures.systemAPI, WASI: e.signatures.ofWASI, Probes: f.probes, Coverage: f.coverage || e.coverage != nil,
		Positions: e.wasm.HasDebugInfo(hash),
	}
}

// keyOf returns the key of a rewritten form of a module: its hash for the plain one.
func (e *Engine) keyOf(hash [32]byte, f form) [32]byte {
	o := e.rewriting(hash, f)
	return form{probes: o.Probes, coverage: o.Coverage, positions: o.Positions}.key(hash)
}

// CompileFor returns a context whose modules are compiled in turn with those of other instances and of other senders of
// the instance. Both must be comparable.
func CompileFor(ctx context.Context, instance, sender any) context.Context {
	return wasm.WithClient(ctx, wasm.Client{Instance: instance, Sender: sender})
}

// CompileInto compiles a rewritten module with a number of goroutines and writes the compiled form to a folder. It is
// the task of EngineConfig.Compiler.
func CompileInto(ctx context.Context, dir string, binary []byte, workers int) error {
	return wasm.CompileInto(ctx, dir, binary, workers)
}

func invalidModule(invalid *rewrite.Invalid) *intercanister.Reject {
	return invalidWasm(invalid.Message())
}

func invalidWasm(text string) *intercanister.Reject {
	return &intercanister.Reject{Code: intercanister.CanisterInvalidWasm.Reject(), Error: intercanister.CanisterInvalidWasm, Text: text}
}

// Module is a module that can be installed into a canister for which it has no Refusal. It is immutable.
type Module struct {
	engine *Engine
	code   *wasm.Code // nil if every canister has a Refusal
	m      *rewrite.Module
	custom uint64 // bytes of its custom sections
	// uploaded is the module as uploaded until it is installed; then the checkpoint file holds it.
	uploaded []byte
}

// MethodKind is the kind of an exported method.
type MethodKind uint8

// The kinds.
const (
	NoMethod MethodKind = iota
	UpdateMethod
	QueryMethod
	CompositeQueryMethod
)

// Method is an exported method.
type Method struct {
	Kind MethodKind
	Name string
}

// Section is a custom section that canister_metadata returns.
type Section struct {
	Name    string
	Public  bool
	Content []byte
}

// Hash returns the SHA-256 of the module as uploaded: module_hash.
func (m *Module) Hash() [32]byte { return m.m.Hash }

// Memory64 reports whether the memory is 64-bit.
func (m *Module) Memory64() bool { return m.m.Memory64 }

// UploadedSize returns the length in bytes of the module as uploaded.
func (m *Module) UploadedSize() int { return m.m.UploadedSize }

// Size returns the length in bytes of the module after decompression.
func (m *Module) Size() int { return m.m.Size }

// InstructionCost returns the cost of preparing the module, which its installer pays.
func (m *Module) InstructionCost() uint64 { return m.m.InstructionCost }

// KnownInstructionCost returns this cost if the subnet has compiled the module since its last checkpoint: compiling
// costs a hundredth.
func (m *Module) KnownInstructionCost() uint64 {
	compiling := rewrite.InstructionsPerOperator * m.m.Operators
	return m.m.InstructionCost - compiling + compiling/knownModuleDiscount
}

// Methods returns the exported methods, sorted by kind and name.
func (m *Module) Methods() []Method {
	all := make([]Method, len(m.m.Methods))
	for i, method := range m.m.Methods {
		all[i] = Method{kindOf(method.Kind), method.Name}
	}
	return all
}

func kindOf(k rewrite.Kind) MethodKind { return UpdateMethod + MethodKind(k) }

// Method returns the kind of an exported method, or NoMethod.
func (m *Module) Method(name string) MethodKind {
	for kind := UpdateMethod; kind <= CompositeQueryMethod; kind++ {
		if m.export(kind, name) != "" {
			return kind
		}
	}
	return NoMethod
}

// Sections returns the custom sections named "icp:public NAME" or "icp:private NAME".
func (m *Module) Sections() []Section {
	all := make([]Section, len(m.m.Custom))
	for i, s := range m.m.Custom {
		all[i] = Section(s)
	}
	return all
}

// Section returns the custom section with a name, and false if there is none.
func (m *Module) Section(name string) (Section, bool) {
	for _, s := range m.m.Custom {
		if s.Name == name {
			return Section(s), true
		}
	}
	return Section{}, false
}

// export returns the full export name of a method, empty if there is none.
func (m *Module) export(kind MethodKind, name string) string {
	methods := m.m.Methods
	for first, end := 0, len(methods); first < end; { // slices.BinarySearchFunc copies each method that it compares
		middle := int(uint(first+end) / 2)
		method := &methods[middle]
		at := kindOf(method.Kind)
		switch {
		case at == kind && method.Name == name:
			return method.Export
		case at < kind || at == kind && method.Name < name:
			first = middle + 1
		default:
			end = middle
		}
	}
	return ""
}

// Exports reports whether the module exports a method of a kind.
func (m *Module) Exports(kind MethodKind, name string) bool { return m.export(kind, name) != "" }

// Has reports whether the module has the function that the system calls in this context: Init, PreUpgrade, PostUpgrade,
// InspectMessage, Heartbeat, GlobalTimer, LowMemory, Start.
func (m *Module) Has(context Context) bool { return m.function(context) != "" }

// function returns the export that Has looks for, empty if there is none.
func (m *Module) function(context Context) string {
	e := &m.m.Entries
	has := false
	switch context {
	case Start:
		return m.m.Start
	case Init:
		has = e.Init
	case PreUpgrade:
		has = e.PreUpgrade
	case PostUpgrade:
		has = e.PostUpgrade
	case InspectMessage:
		has = e.InspectMessage
	case Heartbeat:
		has = e.Heartbeat
	case GlobalTimer:
		has = e.GlobalTimer
	case LowMemory:
		has = e.OnLowWasmMemory
	}
	if !has {
		return ""
	}
	return context.Entry()
}

// enhancedPersistence is the name of the custom section of modules that keep their heap.
const enhancedPersistence = "enhanced-orthogonal-persistence"

func (m *Module) keepsHeap() bool {
	s, ok := m.Section(enhancedPersistence)
	return ok && !s.Public
}

// sectionKindBytes is what a replica counts for the visibility of a custom section, public or private.
const sectionKindBytes = 1

func customBytes(m *rewrite.Module) uint64 {
	var n uint64
	for _, s := range m.Custom {
		n += uint64(len(s.Name) + len(s.Content) + sectionKindBytes)
	}
	return n
}
