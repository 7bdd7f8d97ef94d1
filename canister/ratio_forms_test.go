package canister_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/test/bench/ratio"
	"github.com/canisterd/canisterd/test/canistertest"
)

// call is a message of a fixture.
type call struct {
	method string
	arg    []byte
	query  bool
}

// ofNat is a call with a natural number.
func ofNat(b *testing.B, method string, n uint64) call {
	b.Helper()
	arg, err := candid.EncodeValues(candid.NatOf(n))
	if err != nil {
		b.Fatal(err)
	}
	return call{method: method, arg: arg}
}

// benchActor is the Motoko actor for benchmarks.
func benchActor(b *testing.B) []byte {
	b.Helper()
	module, err := os.ReadFile(filepath.Join("..", "test", "canistertest", "fixtures", "bench", "bench.wasm"))
	if err != nil {
		b.Fatal(err)
	}
	return module
}

// motokoCalls are the methods of the Motoko actor for benchmarks, rustCalls those of a bank in Rust that compute.
func motokoCalls(b *testing.B) []call {
	b.Helper()
	return []call{ofNat(b, "fib", 20), ofNat(b, "list", 2_000), ofNat(b, "text", 200), ofNat(b, "mix", 20_000), ofNat(b, "apply", 20_000)}
}

func rustCalls(*testing.B) []call {
	unsorted := make([]byte, 4096)
	for i, x := 0, uint32(1); i < len(unsorted); i++ {
		x = x*1664525 + 1013904223
		unsorted[i] = byte(x >> 24)
	}
	return []call{
		{method: "credit", arg: binary.LittleEndian.AppendUint64(nil, 1)},
		{method: "balance", query: true},
		{method: "sort", arg: unsorted, query: true},
	}
}

// alignments is at how many places the code of a benchmark is measured.
const alignments = 4

// compareForms measures the messages of a module in a form of its code. The floor is the same messages in the form
// that canisters usually run. Geometric means over the methods, and over places where the code may lie.
func compareForms(b *testing.B, limit float64, module []byte, calls []call, measured, floor *canistertest.Place) {
	b.Helper()
	timed := func(p *canistertest.Place, c *canister.Canister, m call) func() time.Duration {
		run := p.Update
		if m.query {
			run = p.Query
		}
		return func() time.Duration {
			run(c, m.method, m.arg) // what ran last was another canister: caches are cold
			start := time.Now()
			out := run(c, m.method, m.arg)
			took := time.Since(start)
			if out.Failure != nil {
				b.Fatal(out.Failure)
			}
			return took
		}
	}
	var pairs []ratio.Pair
	for n := range alignments {
		moved := canistertest.Shifted(b, module, n)
		one, other := measured.Canister(measured.Module(moved), nil), floor.Canister(floor.Module(moved), nil)
		for _, m := range calls {
			pairs = append(pairs, ratio.Pair{Name: m.method, Measured: timed(measured, one, m), Floor: timed(floor, other, m)})
		}
	}
	ratio.CompareMeans(b, limit, pairs)
}

// profiled is a place whose canisters run in the form with probes, each message with a profile.
func profiled(b *testing.B) *canistertest.Place {
	b.Helper()
	p := canistertest.NewPlace(b)
	p.Subnet.Profiled = func(principal.Principal) bool { return true }
	return p
}

// BenchmarkRatioCoverageMotoko is what coverage costs the messages of a Motoko actor.
func BenchmarkRatioCoverageMotoko(b *testing.B) {
	compareForms(b, 1.15, benchActor(b), motokoCalls(b), coveredPlace(b, canister.NewCoverage()), canistertest.NewPlace(b))
}

// BenchmarkRatioCoverageRust is what coverage costs the messages of a canister in Rust.
func BenchmarkRatioCoverageRust(b *testing.B) {
	compareForms(b, 1.15, canistertest.Fixture("bank"), rustCalls(b), coveredPlace(b, canister.NewCoverage()), canistertest.NewPlace(b))
}

// BenchmarkRatioProfiledMotoko is what a profile costs the messages of a Motoko actor.
func BenchmarkRatioProfiledMotoko(b *testing.B) {
	compareForms(b, 18, benchActor(b), motokoCalls(b), profiled(b), canistertest.NewPlace(b))
}

// BenchmarkRatioProfiledRust is what a profile costs the messages of a canister in Rust.
func BenchmarkRatioProfiledRust(b *testing.B) {
	compareForms(b, 2.5, canistertest.Fixture("bank"), rustCalls(b), profiled(b), canistertest.NewPlace(b))
}
