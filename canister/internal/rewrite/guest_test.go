package rewrite

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/canisterd/canisterd/internal/profile"
	"github.com/canisterd/canisterd/test/canistertest/wat"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// guest is a rewritten module running in the engine with a host that refills the counter.
type guest struct {
	t       testing.TB
	module  *Module
	inst    api.Module
	counter api.MutableGlobal
	slice   int64 // instructions per refill
	refills int
	grown   [][2]uint32 // arguments of the growth checks
	pieces  []uint32    // arguments of the checks between pieces
	huge    []uint64    // sizes that the counter could not hold

	granted  int64 // executed instructions = granted - left
	recorder *profile.Recorder
	depth    int // functions that were entered and not left

	onCharge func(cost int64, check bool) // what the imports of module "points" do, see the slow meter
	onSize   func(size int64)
}

// compiled has the machine code of all modules of the process: the same programs run in several tests and ways.
var compiled = sync.OnceValue(wazero.NewCompilationCache)

func engine(t testing.TB) wazero.Runtime {
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall
	config := wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features).WithCompilationCache(compiled())
	rt := wazero.NewRuntimeWithConfig(context.Background(), config)
	t.Cleanup(func() { rt.Close(context.Background()) })
	return rt
}

func rewriteText(t testing.TB, text string, o Options) *Module {
	t.Helper()
	m, err := Rewrite(assemble(t, text), o)
	if err != nil {
		t.Fatalf("rewriting: %v\n%s", err, text)
	}
	return m
}

func assemble(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := wat.Assemble(text)
	if err != nil {
		t.Fatalf("assembling: %v\n%s", err, text)
	}
	return raw
}

// errStackOverflow ends a call whose frames do not fit the call stack.
var errStackOverflow = errors.New("stack overflow")

// conformance runs any module: no Internet Computer rules.
var conformance = Options{Conformance: true}

func start(t testing.TB, m *Module) *guest {
	t.Helper()
	g := &guest{t: t, module: m, slice: 1 << 40}
	rt := engine(t)
	host := rt.NewHostModuleBuilder(ModuleName)
	host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(context.Context, api.Module, []uint64) {
		if StackFull(g.counter.Get()) {
			panic(errStackOverflow)
		}
		g.refills++
		g.granted += g.slice - g.left()
		g.counter.Set(SetInstructions(g.counter.Get(), g.slice))
	}), nil, nil).Export(OutOfInstructions)
	i32 := api.ValueTypeI32
	host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		g.grown = append(g.grown, [2]uint32{uint32(stack[0]), uint32(stack[1])})
	}), []api.ValueType{i32, i32}, []api.ValueType{i32}).Export(GrowCheck)
	host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		g.pieces = append(g.pieces, uint32(stack[0]))
	}), []api.ValueType{i32}, nil).Export(BulkCheck)
	host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		g.huge = append(g.huge, stack[0])
	}), []api.ValueType{api.ValueTypeI64}, nil).Export(HugeCharge)
	g.probes(host)
	if _, err := host.Instantiate(context.Background()); err != nil {
		t.Fatal(err)
	}
	g.points(rt)
	inst, err := rt.InstantiateWithConfig(context.Background(), m.Binary, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		t.Fatalf("instantiating the rewritten module: %v", err)
	}
	g.inst = inst
	g.counter = inst.ExportedGlobal(CounterGlobal).(api.MutableGlobal)
	g.reset(g.slice)
	return g
}

// probes offers the imports of modules with probes.
func (g *guest) probes(host wazero.HostModuleBuilder) {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	executed := func(counter uint64) uint64 {
		if counter != g.counter.Get() {
			g.t.Error("a probe has another counter than the global")
		}
		return uint64(g.granted - Instructions(counter))
	}
	host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		g.depth++
		g.recorder.Enter(profile.Frame{Kind: profile.Function, Index: uint32(stack[0])}, executed(stack[1]))
	}), []api.ValueType{i32, i64}, nil).Export(ProbeEnter)
	host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		g.depth--
		g.recorder.Leave(executed(stack[0]))
	}), []api.ValueType{i64}, nil).Export(ProbeLeave)
	host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(context.Context, api.Module, []uint64) {
		g.depth--
		g.recorder.Withdraw()
	}), nil, nil).Export(ProbeWithdraw)
}

// points offers the imports of the slow meter, which do nothing unless it listens.
func (g *guest) points(rt wazero.Runtime) {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	size := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		if g.onSize != nil {
			g.onSize(int64(stack[0]))
		}
	})
	host := rt.NewHostModuleBuilder("points")
	host.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) {
		if g.onCharge != nil {
			g.onCharge(int64(stack[0]), uint32(stack[1]) != 0)
		}
	}), []api.ValueType{i64, i32}, nil).Export("charge")
	host.NewFunctionBuilder().WithGoModuleFunction(size, []api.ValueType{i32}, []api.ValueType{i32}).Export("size")
	host.NewFunctionBuilder().WithGoModuleFunction(size, []api.ValueType{i64}, []api.ValueType{i64}).Export("size64")
	if _, err := host.Instantiate(context.Background()); err != nil {
		g.t.Fatal(err)
	}
}

func (g *guest) call(name string, args ...uint64) ([]uint64, error) {
	g.t.Helper()
	f := g.inst.ExportedFunction(name)
	if f == nil {
		g.t.Fatalf("no export %q", name)
	}
	g.counter.Set(NewCounter(g.left()))
	results, err := f.Call(context.Background(), args...)
	if used := stackUsed(g.counter.Get()); err == nil && used != 0 {
		g.t.Errorf("%s returns with %d bytes on the call stack, want 0", name, used)
	}
	return results, err
}

// stackUsed returns the number of bytes of the frames on the call stack.
func stackUsed(counter uint64) uint32 {
	return (uint32(counter&(1<<stackBits-1)) - emptyStack) * stackUnit
}

// used is what was charged since the start or the last call of reset.
func (g *guest) used() int64 { return g.slice - g.left() }

// left is what the counter has.
func (g *guest) left() int64 { return Instructions(g.counter.Get()) }

func (g *guest) reset(slice int64) {
	g.slice, g.refills, g.granted, g.depth = slice, 0, slice, 0
	g.recorder = profile.NewRecorder(0)
	g.counter.Set(NewCounter(slice))
}

func count(t testing.TB, body string, args ...uint64) int64 {
	t.Helper()
	g := start(t, rewriteText(t, "(module (memory 1) "+body+")", conformance))
	if _, err := g.call("f", args...); err != nil {
		t.Fatal(err)
	}
	return g.used()
}
