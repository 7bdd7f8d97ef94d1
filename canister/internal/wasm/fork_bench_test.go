package wasm

import (
	"fmt"
	"testing"
	"time"

	"github.com/canisterd/canisterd/test/bench/ratio"
)

// written is a guest whose heap is written all over; its message writes the first word.
func written(b *testing.B, mebibytes int) *Guest {
	b.Helper()
	g := newTestGuest(b, newTestEngine(b, Config{}), fmt.Sprintf(`(module (memory %d)
		(func (export "canister_update all") (memory.fill (i32.const 0) (i32.const 1) (i32.const %d)))
		(func (export "canister_update inc") (i64.store (i32.const 8) (i64.add (i64.load (i32.const 8)) (i64.const 1)))))`,
		mebibytes<<20/WasmPageSize, mebibytes<<20))
	run(b, g, "all")
	commit(b, g)
	return g
}

func inc(b *testing.B, g *Guest) {
	if err := g.Run(method("inc"), nil, plenty); err != nil {
		b.Fatal(err)
	}
	if _, err := g.Commit(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRatioFork forks a heap of 1 GiB that is written all over and gives the fork back;
// the floor is the same with a heap of 1 MiB.
func BenchmarkRatioFork(b *testing.B) {
	forked := func(g *Guest) ratio.Work { return ratio.Each(func() { forkOf(g).Close() }) }
	ratio.Compare(b, 3, forked(written(b, 1024)), forked(written(b, 1)))
}

// BenchmarkRatioMessageAfterFork is the first message of a resident guest after it was forked;
// the floor is a message without a fork before it.
func BenchmarkRatioMessageAfterFork(b *testing.B) {
	g, alone := written(b, 1), written(b, 1)
	timed := func(g *Guest) time.Duration {
		start := time.Now()
		inc(b, g)
		return time.Since(start)
	}
	ratio.CompareTimed(b, 7, func() time.Duration {
		f := forkOf(g)
		d := timed(g)
		f.Close()
		inc(b, g)
		return d
	}, func() time.Duration { return timed(alone) })
}

// BenchmarkRatioMessageOfFork makes a fork resident and runs its first message; the floor is
// the same for its source.
func BenchmarkRatioMessageOfFork(b *testing.B) {
	g := written(b, 1)
	ratio.CompareTimed(b, 1.3, func() time.Duration {
		f := forkOf(g)
		defer f.Close()
		start := time.Now()
		inc(b, f)
		return time.Since(start)
	}, func() time.Duration {
		g.residency.Lock()
		g.evict()
		g.residency.Unlock()
		start := time.Now()
		inc(b, g)
		return time.Since(start)
	})
}
