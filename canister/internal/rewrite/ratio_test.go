package rewrite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/canister/internal/ic0"
	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest"
)

// actor is a Motoko actor on the engine alone, with a System API that knows nothing
// but the argument.
type actor struct {
	b     *testing.B
	guest *wasm.Guest
	arg   []byte
}

func newActor(b *testing.B, binary []byte, change func(rewrite.Options) rewrite.Options) *actor {
	b.Helper()
	a := &actor{b: b, arg: []byte("DIDL\x00\x00")}
	e, err := wasm.NewEngine(wasm.Config{Heaps: wasm.HeapCopy})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	})
	modules := ic0.Modules()
	for _, m := range modules {
		for i := range m.Functions {
			m.Functions[i].Call = a.function(m.Functions[i].Name)
		}
	}
	if err := e.Link(modules...); err != nil {
		b.Fatal(err)
	}
	signatures := ic0.Signatures(true)
	m, err := rewrite.Rewrite(binary, change(rewrite.Options{SystemAPI: func(name string, _ bool) (params, results []byte, ok bool) {
		s, ok := signatures[name]
		return s.Params, s.Results, ok
	}}))
	if err != nil {
		b.Fatal(err)
	}
	code, err := e.Compile(context.Background(), m)
	if err != nil {
		b.Fatal(err)
	}
	if a.guest, err = e.NewGuest(code); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(a.guest.Close)
	if m.Start != "" {
		a.run(m.Start)
	}
	a.run("canister_init")
	a.commit()
	return a
}

func (a *actor) function(name string) func(g *wasm.Guest, stack []uint64) {
	switch name {
	case "msg_arg_data_size":
		return func(_ *wasm.Guest, stack []uint64) { stack[0] = uint64(len(a.arg)) }
	case "msg_arg_data_copy":
		return func(g *wasm.Guest, stack []uint64) {
			bytes, ok := g.View(stack[0], stack[2])
			if !ok {
				a.b.Fatal("the actor copies its argument out of bounds")
			}
			copy(bytes, a.arg[stack[1]:])
		}
	case "trap":
		return func(g *wasm.Guest, stack []uint64) {
			text, _ := g.View(stack[0], stack[1])
			a.b.Fatalf("the actor traps: %s", text)
		}
	}
	return func(_ *wasm.Guest, stack []uint64) {
		if len(stack) > 0 {
			stack[0] = 0
		}
	}
}

func (a *actor) run(export string) {
	if err := a.guest.Run(wasm.Entry{Export: export}, nil, wasm.Budget{Limit: 1 << 50, Slice: wasm.MaxSlice}); err != nil {
		a.b.Fatalf("%s: %v", export, err)
	}
}

func (a *actor) commit() {
	if _, err := a.guest.Commit(); err != nil {
		a.b.Fatal(err)
	}
}

// method is a call of a method, without what follows it, since only the code is of interest.
func (a *actor) method(name string, arg []byte) func() time.Duration {
	return func() time.Duration {
		a.arg = arg
		a.run("canister_update " + name) // caches are cold after a rollback
		start := time.Now()
		a.run("canister_update " + name)
		took := time.Since(start)
		a.guest.Rollback()
		return took
	}
}

// alignments is at how many places the code of a benchmark is measured.
const alignments = 4

// BenchmarkRatioMeteringMotoko is what metering costs the code of a Motoko actor
// (test/canistertest/fixtures/bench); the floor is the same module, lowered to
// 32 bits all the same but not metered. Geometric means over its methods, and over
// places where the code may lie.
func BenchmarkRatioMeteringMotoko(b *testing.B) {
	binary, err := os.ReadFile(filepath.Join("..", "..", "..", "test", "canistertest", "fixtures", "bench", "bench.wasm"))
	if err != nil {
		b.Fatal(err)
	}
	var pairs []ratio.Pair
	for n := range alignments {
		pairs = append(pairs, meteringOfActor(b, canistertest.Shifted(b, binary, n))...)
	}
	ratio.CompareMeans(b, 1.15, pairs)
}

func meteringOfActor(b *testing.B, binary []byte) (pairs []ratio.Pair) {
	b.Helper()
	metered := newActor(b, binary, func(o rewrite.Options) rewrite.Options { return o })
	bare := newActor(b, binary, rewrite.Unmetered)
	for _, m := range []struct {
		name string
		n    uint64
	}{{"fib", 20}, {"list", 2_000}, {"text", 200}, {"mix", 20_000}, {"apply", 20_000}} {
		arg, err := candid.EncodeValues(candid.NatOf(m.n))
		if err != nil {
			b.Fatal(err)
		}
		for _, a := range []*actor{metered, bare} { // a heap that grows is another one after a rollback
			a.arg = arg
			a.run("canister_update " + m.name)
			a.commit()
		}
		pairs = append(pairs, ratio.Pair{Name: m.name, Measured: metered.method(m.name, arg), Floor: bare.method(m.name, arg)})
	}
	return pairs
}
