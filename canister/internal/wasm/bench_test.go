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
)

// ratio reports how many times longer took was than n runs of floor.
func ratio(b *testing.B, name string, took time.Duration, n int, floor func()) {
	floor()
	rounds := max(20, min(n, 100_000))
	start := time.Now()
	for range rounds {
		floor()
	}
	b.ReportMetric(float64(took)/float64(n)/(float64(time.Since(start))/float64(rounds)), name)
}

const increment = `(module (memory 1)
	(func (export "canister_update inc") (i64.store (i32.const 8) (i64.add (i64.load (i32.const 8)) (i64.const 1)))))`

// BenchmarkUpdate is the smallest update; the floor is the bare call of the same compiled function.
func BenchmarkUpdate(b *testing.B) {
	for _, kind := range HeapKinds() {
		for _, end := range []string{"none", "commit", "rollback"} {
			b.Run(fmt.Sprintf("%s/%s", kind, end), func(b *testing.B) {
				g := newTestGuest(b, newTestEngine(b, Config{Heaps: kind}), increment)
				entry := method("inc")
				b.ReportAllocs()
				for b.Loop() {
					if err := g.Run(entry, nil, plenty); err != nil {
						b.Fatal(err)
					}
					switch end {
					case "commit":
						_, _ = g.Commit()
					case "rollback":
						g.Rollback()
					}
				}
				took, n := b.Elapsed(), b.N
				g.begin()
				f := g.live.find(entry.Export)
				g.grant(0)
				ratio(b, "x-of-call", took, n, func() {
					g.live.counter.Set(1000)
					_ = f.call.CallWithStack(&g.live.context, g.live.stack[:])
				})
			})
		}
	}
}

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

// BenchmarkCompile compiles a big module; the floor is wazero alone on the same bytes, cold and from its cache. Both take turns.
func BenchmarkCompile(b *testing.B) {
	m := bigModule(b)
	b.Run("cold", func(b *testing.B) {
		var took, floor time.Duration
		for b.Loop() {
			took += timed(b, Config{}, func(e *Engine) {
				if _, err := e.Compile(b.Context(), m); err != nil {
					b.Fatal(err)
				}
			})
			floor += timedFloor(b, wazero.NewCompilationCache(), m.Binary)
		}
		b.ReportMetric(float64(took)/float64(floor), "x-of-wazero")
	})
	b.Run("warm", func(b *testing.B) {
		cfg := Config{CacheDir: b.TempDir()}
		timed(b, cfg, func(e *Engine) {
			e.CacheModule(m.Hash, m)
			if _, err := e.Compile(b.Context(), m); err != nil {
				b.Fatal(err)
			}
		})
		var took, load, floor time.Duration
		for b.Loop() {
			took += timed(b, cfg, func(e *Engine) {
				start := time.Now()
				m, ok := e.CachedModule(m.Hash)
				if !ok {
					b.Fatal("not in the cache")
				}
				load += time.Since(start)
				if _, err := e.Compile(b.Context(), m); err != nil {
					b.Fatal(err)
				}
			})
			cache, err := wazero.NewCompilationCacheWithDir(cfg.CacheDir)
			if err != nil {
				b.Fatal(err)
			}
			floor += timedFloor(b, cache, m.Binary)
		}
		b.ReportMetric(float64(took)/float64(floor), "x-of-wazero")
		b.ReportMetric(float64(load.Microseconds())/float64(b.N), "us-for-the-module")
	})
}

// BenchmarkWake is putting a guest to sleep and waking it; the floor is instantiating.
func BenchmarkWake(b *testing.B) {
	g := newTestGuest(b, newTestEngine(b, Config{}), increment)
	for b.Loop() {
		g.begin()
		g.Rollback()
		g.life.Lock()
		g.sleep()
		g.life.Unlock()
	}
}
