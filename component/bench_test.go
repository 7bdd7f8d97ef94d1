package component

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// A million calls that wait for events of their callback take at most 204 bytes each, with the subtask of the caller.
func BenchmarkRatioBytesOfATaskThatWaits(b *testing.B) {
	for b.Loop() {
		ratio.ReportBytes(b, 1, bytesOfATask(b, 1_000_000), maxTaskBytes)
	}
}

// An asynchronous call from one component to another takes at most three times as long as what the engine does for it: core
// code calls the host, which calls core code, which calls the host again, for its result.
func BenchmarkRatioAnAsynchronousCall(b *testing.B) {
	i := started(b, "parked", nil)
	floor := transitions(b)
	ratio.Compare(b, 3, func(n int) { i.returns(b, nil, "naps", uint32(n)) }, floor)
}

// transitions calls core code from the host, from core code, n times, without a component.
func transitions(b *testing.B) ratio.Work {
	ctx := context.Background()
	engine := wazero.NewRuntime(ctx)
	b.Cleanup(func() { _ = engine.Close(ctx) })
	var nap api.Function
	_, err := engine.NewHostModuleBuilder("host").
		NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
		results := [1]uint64{}
		if err := nap.CallWithStack(ctx, results[:]); err != nil {
			panic(err)
		}
		stack[0] = 2
	}), nil, []api.ValueType{api.ValueTypeI32}).Export("nap").
		NewFunctionBuilder().WithGoFunction(api.GoFunc(func(context.Context, []uint64) {}), nil, nil).Export("return").
		Instantiate(ctx)
	if err != nil {
		b.Fatal(err)
	}
	nap = coreProgram(b, engine, "return", "\x00\x10\x00\x41\x00\x0b").ExportedFunction("return")
	naps := coreProgram(b, engine, "nap", "\x00\x03\x40\x20\x00\x04\x40\x10\x00\x1a\x20\x00\x41\x01\x6b\x21\x00\x0c\x01\x0b\x0b\x0b").ExportedFunction("nap")
	return func(n int) {
		if _, err := naps.Call(ctx, uint64(n)); err != nil {
			b.Fatal(err)
		}
	}
}

// coreProgram makes a core module that imports a function of the host, and exports one of the same name with a body.
func coreProgram(b *testing.B, engine wazero.Runtime, name, body string) api.Module {
	imported, exported := "\x60\x00\x01\x7f", "\x60\x01\x7f\x00" // nap: () to i32, and (i32)
	if name == "return" {
		imported, exported = "\x60\x00\x00", "\x60\x00\x01\x7f"
	}
	core := emptyCore + section(1, vector(imported, exported)) + section(2, vector(text("host")+text(name)+"\x00\x00")) +
		section(3, vector("\x01")) + section(7, vector(text(name)+"\x00\x01")) + section(10, vector(text(body)))
	module, err := engine.InstantiateWithConfig(b.Context(), []byte(core), wazero.NewModuleConfig().WithName(""))
	if err != nil {
		b.Fatal(err)
	}
	return module
}

// A read of a stream copies a mebibyte from the memory of the component that writes to that of the one that reads.
func BenchmarkRatioAStreamOfAMebibyte(b *testing.B) {
	const size = 1 << 20
	from, to := newSide(b, optionUTF8), newSide(b, optionUTF8)
	u8 := primitiveTypes[primU8]
	r := &rendezvous{}
	ratio.Compare(b, 1.5, ratio.Each(func() {
		var reader, writer hostCopy
		r.copy(&reader, to.guestBuffer(u8, 0, size), true)
		r.copy(&writer, from.guestBuffer(u8, 0, size), false)
		r.reset()
		if !reader.partial || !writer.ended {
			b.Fatal("nothing was copied")
		}
	}), ratio.Each(func() { copy(to.bytes(0, size), from.bytes(0, size)) }))
}

// BenchmarkRatioInstantiate makes an instance of a component; the floor is what the engine takes for instances of its core
// modules. The programs are those that wit-bindgen and wasm-tools make of Rust, one of them with functions that wait. The limit
// of 2 is what a host may cost above its engine: it measures 1.2 to 1.5, and measured 6 when it compiled what links the modules.
func BenchmarkRatioInstantiate(b *testing.B) {
	var components, floors []func()
	for name, imports := range map[string]Imports{
		"orders": {"example:orders/prices": Imports{"price": Func(nil)}},
		"desk":   {"example:desk/market": Imports{"price": AsyncFunc(nil)}},
	} {
		i := started(b, name, imports)
		components = append(components, func() {
			other, err := i.host.component.Instantiate(b.Context(), imports)
			if err != nil {
				b.Fatal(err)
			}
			if err := other.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
		floors = append(floors, func() { instantiateCores(b, i.state) })
	}
	all := func(each []func()) ratio.Work {
		return ratio.Each(func() {
			for _, do := range each {
				do()
			}
		})
	}
	ratio.Compare(b, 2, all(components), all(floors))
}

// instantiateCores makes the core instances of an instance again. They import from those that it has.
func instantiateCores(b *testing.B, s *instanceState) {
	ctx := b.Context()
	var made []api.Module
	for _, d := range s.scope.definitions {
		core, ok := d.body.(coreInstance)
		if !ok {
			continue
		}
		e, ok := core.expression.(coreInstantiate)
		if !ok {
			continue
		}
		resolve := func(name string) api.Module {
			for _, arg := range e.args {
				if importPrefix+arg.name == name {
					return s.coreInstances[arg.item.index].module
				}
			}
			return nil
		}
		module, err := s.host.component.engine.InstantiateModule(experimental.WithImportResolver(ctx, resolve),
			s.items[sortCoreModule][e.module].module.code.main.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
		if err != nil {
			b.Fatal(err)
		}
		made = append(made, module)
	}
	for _, module := range made {
		if err := module.Close(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
