package wasm

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
	"github.com/canisterd/canisterd/test/bench/ratio"
)

const increment = `(module (memory 1)
	(func (export "canister_update inc") (i64.store (i32.const 8) (i64.add (i64.load (i32.const 8)) (i64.const 1)))))`

// BenchmarkPages dirties 16 or 1000 pages all over heaps of several sizes; the ratio is to the smallest heap.
func BenchmarkPages(b *testing.B) {
	for _, kind := range HeapKinds() {
		for _, end := range []string{"commit", "rollback"} {
			for _, pages := range []int{16, 1000} {
				var small float64
				for _, size := range []int{16, 1024, 16384} { // pages of 64 KiB
					if kind == HeapCopy && size > 1024 || pages > size*16 {
						continue
					}
					b.Run(fmt.Sprintf("%s/%s%d/%dMiB", kind, end, pages, size/16), func(b *testing.B) {
						g := newTestGuest(b, newTestEngine(b, Config{Heaps: kind}), fmt.Sprintf(`(module (memory %d) (global $n (mut i32) (i32.const 0))
							(func (export "canister_update touch") (local $i i32)
								(global.set $n (i32.add (global.get $n) (i32.const 1)))
								(loop
									(i32.store (i32.mul (local.get $i) (i32.const %d)) (i32.add (global.get $n) (i32.const 1)))
									(br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const %d))))))`,
							size, size*WasmPageSize/pages, pages))
						entry := method("touch")
						for b.Loop() {
							if err := g.Run(entry, nil, plenty); err != nil {
								b.Fatal(err)
							}
							if end == "commit" {
								_, _ = g.Commit()
							} else {
								g.Rollback()
							}
						}
						each := float64(b.Elapsed()) / float64(b.N)
						if small == 0 {
							small = each
						}
						b.ReportMetric(each/small, "x-of-smallest")
					})
				}
			}
		}
	}
}

// bigModule is many functions of a realistic kind.
func bigModule(b *testing.B) *rewrite.Module {
	b.Helper()
	var text strings.Builder
	text.WriteString(`(module (memory 1) (global $n (mut i64) (i64.const 0))`)
	for i := range 3000 {
		fmt.Fprintf(&text, `(func $f%d (param i32 i64) (result i64) (local i32 i64)
			(loop (local.set 3 (i64.add (local.get 3) (i64.load offset=%d (i32.and (local.get 0) (i32.const 1023)))))
				(i64.store (local.get 2) (i64.xor (local.get 3) (local.get 1)))
				(if (i64.gt_u (local.get 3) (global.get $n)) (then (global.set $n (call $f%d (local.get 2) (local.get 3)))))
				(br_if 0 (i32.lt_u (local.tee 2 (i32.add (local.get 2) (i32.const 1))) (local.get 0))))
			(local.get 3))`, i, i, (i*7+1)%3000)
	}
	text.WriteString(`)`)
	return rewritten(b, text.String())
}

func plainRuntime(b *testing.B, cache wazero.CompilationCache) wazero.Runtime {
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall
	return wazero.NewRuntimeWithConfig(b.Context(),
		wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features).WithDebugInfoEnabled(false).WithCompilationCache(cache))
}

// timed runs a step of an engine of its own and says how long the step took.
func timed(b *testing.B, cfg Config, step func(e *Engine)) time.Duration {
	b.Helper()
	e, err := NewEngine(cfg)
	if err != nil {
		b.Fatal(err)
	}
	if err := e.Link(testAPI()); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	step(e)
	took := time.Since(start)
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	return took
}

// timedFloor is the engine below alone.
func timedFloor(b *testing.B, cache wazero.CompilationCache, binary []byte) time.Duration {
	b.Helper()
	r := plainRuntime(b, cache)
	defer cache.Close(b.Context())
	defer r.Close(b.Context())
	start := time.Now()
	if _, err := r.CompileModule(experimental.WithCompilationWorkers(b.Context(), runtime.NumCPU()), binary); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// BenchmarkRatioCompile compiles a big module that was rewritten; the floor is the
// engine below alone on the same bytes.
func BenchmarkRatioCompile(b *testing.B) {
	m := bigModule(b)
	ratio.CompareLeast(b, 1.5, func() time.Duration {
		return timed(b, Config{}, func(e *Engine) {
			if _, err := e.Compile(b.Context(), m); err != nil {
				b.Fatal(err)
			}
		})
	}, func() time.Duration { return timedFloor(b, wazero.NewCompilationCache(), m.Binary) })
}

// BenchmarkRatioLoad finds a big module and its compiled form on disk; the floor is
// the engine below alone, loading the same bytes from the same folder.
func BenchmarkRatioLoad(b *testing.B) {
	m := bigModule(b)
	cfg := Config{CacheDir: b.TempDir()}
	timed(b, cfg, func(e *Engine) {
		e.CacheModule(m.Hash, m)
		if _, err := e.Compile(b.Context(), m); err != nil {
			b.Fatal(err)
		}
	})
	ratio.CompareLeast(b, 1.7, func() time.Duration {
		return timed(b, cfg, func(e *Engine) {
			m, ok := e.CachedModule(m.Hash)
			if !ok {
				b.Fatal("not in the cache")
			}
			if _, err := e.Compile(b.Context(), m); err != nil {
				b.Fatal(err)
			}
		})
	}, func() time.Duration {
		cache, err := wazero.NewCompilationCacheWithDir(cfg.CacheDir)
		if err != nil {
			b.Fatal(err)
		}
		return timedFloor(b, cache, m.Binary)
	})
}

// touching is a guest whose first closure writes to 16 pages, spread all over its heap; its
// argument says which.
func touching(b *testing.B, mebibytes int) *Guest {
	b.Helper()
	size := mebibytes << 20 / WasmPageSize
	g := newTestGuest(b, newTestEngine(b, Config{}), fmt.Sprintf(`(module (memory %d) (global $n (mut i32) (i32.const 0))
		(table 1 funcref) (elem (i32.const 0) $touch)
		(func $touch (param i32) (local $i i32)
			(global.set $n (i32.add (global.get $n) (i32.const 1)))
			(loop
				(i32.store (i32.add (local.get 0) (i32.mul (local.get $i) (i32.const %d))) (i32.add (global.get $n) (i32.const 1)))
				(br_if 0 (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 16))))))`,
		size, size*WasmPageSize/16))
	touch(b, g, 0)
	if n := g.DirtyPages(); n != 16 {
		b.Fatalf("the message dirtied %d pages", n)
	}
	g.Rollback()
	return g
}

func touch(b *testing.B, g *Guest, offset uint64) {
	if err := g.Run(Entry{Env: offset}, nil, plenty); err != nil {
		b.Fatal(err)
	}
}

// turning are offsets of the pages of a slice of a heap, one after the other.
func turning(g *Guest) func() uint64 {
	at, slice := uint64(0), g.MemorySize()/16
	return func() uint64 {
		at = (at + PageSize) % slice
		return at
	}
}

func same() uint64 { return 0 }

// rolledBack is how long undoing a message takes.
func rolledBack(b *testing.B, g *Guest, offset func() uint64) func() time.Duration {
	return func() time.Duration {
		touch(b, g, offset())
		start := time.Now()
		g.Rollback()
		return time.Since(start)
	}
}

// BenchmarkRatioRollback undoes a message that wrote to 16 pages of a heap of 1 GiB;
// the floor is the same in a heap of 1 MiB. The pages are those of the message before.
func BenchmarkRatioRollback(b *testing.B) {
	ratio.CompareTimed(b, 3, rolledBack(b, touching(b, 1024), same), rolledBack(b, touching(b, 1), same))
}

// BenchmarkRatioRollbackOfOtherPages is the same where every message writes to other
// pages than the one before. The kernel walks 16 page tables of 512 entries, one for each
// page, where that of the small heap has 256: this takes longer, whatever the size of the heap. The limit was 3 before
// large heaps dropped their page tables after 16 walks. The frozen floor is the small heap's time of that day, 4.7 µs.
func BenchmarkRatioRollbackOfOtherPages(b *testing.B) {
	large, small := touching(b, 1024), touching(b, 1)
	measured := ratio.CompareTimed(b, 6, rolledBack(b, large, turning(large)), rolledBack(b, small, turning(small)))
	ratio.ReportFrozen(b, 3500, measured)
}

// BenchmarkRatioCommit keeps what a message did to 16 pages of a heap of 1 GiB, others
// than the message before; the floor is the same in a heap of 1 MiB. All pages of both have been committed before: the
// first commit of a page also takes space in the file. More than half of the time the kernel walks the 16 page tables of
// the pages, of 512 entries each, where the small heap has half of one. This is the bound: it takes three times the floor.
// The mean is above the quartile, and the 99th percentile is 0.2 to 0.3 ms, since every 16th commit drops the page tables
// (walksCost), for the sake of the other 15. The collector has no part in it.
func BenchmarkRatioCommit(b *testing.B) {
	committed := func(g *Guest) func() time.Duration {
		offset := turning(g)
		once := func() time.Duration {
			touch(b, g, offset())
			start := time.Now()
			if _, err := g.Commit(); err != nil {
				b.Fatal(err)
			}
			return time.Since(start)
		}
		for range g.MemorySize() / 16 / PageSize {
			once()
		}
		return once
	}
	ratio.CompareTimed(b, 6, committed(touching(b, 1024)), committed(touching(b, 1)))
}

// BenchmarkRatioSmallestMessage runs and commits a message that writes one word; the
// floor is the bare call of the same compiled function. Three quarters of what is measured are the two system calls that
// count the page faults of the thread, 0.35 µs each, which are cheaper than a list of private pages (0.95 µs for 16 pages);
// the rest is to compare and copy the page.
func BenchmarkRatioSmallestMessage(b *testing.B) {
	g := newTestGuest(b, newTestEngine(b, Config{}), increment)
	bare := newTestGuest(b, newTestEngine(b, Config{}), increment)
	entry := method("inc")
	bare.begin()
	f := bare.resident.find(entry.Export)
	bare.grant(0)
	ratio.Compare(b, 55, ratio.Each(func() {
		if err := g.Run(entry, nil, plenty); err != nil {
			b.Fatal(err)
		}
		_, _ = g.Commit()
	}), ratio.Each(func() {
		bare.resident.counter.Set(rewrite.NewCounter(1000))
		_ = f.call.CallWithStack(&bare.resident.context, bare.resident.stack[:])
	}))
}

// BenchmarkRatioMakeResident evicts a guest and makes it resident again; the floor is running and
// committing the smallest message.
func BenchmarkRatioMakeResident(b *testing.B) {
	g := newTestGuest(b, newTestEngine(b, Config{}), increment)
	resident := newTestGuest(b, newTestEngine(b, Config{}), increment)
	entry := method("inc")
	ratio.Compare(b, 16, ratio.Each(func() {
		g.begin()
		g.Rollback()
		g.residency.Lock()
		g.evict()
		g.residency.Unlock()
	}), ratio.Each(func() {
		if err := resident.Run(entry, nil, plenty); err != nil {
			b.Fatal(err)
		}
		_, _ = resident.Commit()
	}))
}
