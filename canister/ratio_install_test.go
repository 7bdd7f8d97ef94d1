package canister_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/canister/canistertest"
	"github.com/canisterd/canisterd/daemon/bench/ratio"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// large is a module of about 300 kB as compilers write them: functions of several
// kinds with loops, calls, tables, memory and locals, and data. The engine below
// can compile it as it is.
func large(b *testing.B) []byte {
	b.Helper()
	var text strings.Builder
	text.WriteString(`(module (type $binary (func (param i32 i64) (result i64)))
		(import "ic0" "msg_reply" (func $reply)) (memory 17) (global $stack (mut i32) (i32.const 1048576))
		(func (export "canister_update run") (drop (call $work0 (i32.const 3) (i64.const 5))) (call $reply))`)
	const groups = 300
	for i := range groups {
		fmt.Fprintf(&text, `
		(func $work%[1]d (type $binary) (local i32 i64 i32)
			(global.set $stack (local.tee 4 (i32.sub (global.get $stack) (i32.const 48))))
			(block (br_if 0 (i32.eqz (local.get 0)))
				(loop
					(i64.store offset=%[4]d (i32.and (local.get 2) (i32.const 65528)) (local.get 3))
					(local.set 3 (i64.add (local.get 3) (i64.load offset=%[3]d (i32.and (i32.shl (local.get 2) (i32.const 3)) (i32.const 65528)))))
					(if (i64.gt_u (local.get 3) (i64.const %[1]d000)) (then
						(local.set 3 (i64.sub (local.get 3) (call $fold%[2]d (i32.wrap_i64 (local.get 3)) (local.get 1)))))
						(else (i32.store8 offset=7 (local.get 4) (i32.const %[1]d))))
					(br_if 0 (i32.lt_u (local.tee 2 (i32.add (local.get 2) (i32.const 1))) (local.get 0)))))
			(global.set $stack (i32.add (local.get 4) (i32.const 48)))
			(local.get 3))
		(func $fold%[1]d (type $binary) (local i32 i64)
			(block (block (block (block (br_table 0 1 2 3 (i32.rem_u (local.get 0) (i32.const 4))))
				(return (i64.mul (local.get 1) (i64.const %[4]d))))
				(local.set 1 (i64.rotl (local.get 1) (i64.const 13))))
				(i32.store offset=16 (i32.const %[3]d) (i32.add (local.get 0) (i32.load offset=20 (i32.const %[4]d)))))
			(if (i32.lt_s (local.get 0) (i32.const 0)) (then unreachable))
			(local.set 2 (i32.load16_u offset=2 (i32.and (local.get 0) (i32.const 65520))))
			(local.set 3 (i64.xor (i64.extend_i32_u (local.get 2)) (local.get 1)))
			(call_indirect (type $binary) (i32.const 1) (i64.shr_u (local.get 3) (i64.const 7)) (i32.and (local.get 2) (i32.const 255))))
		(func $move%[1]d (param i32 i32 i32) (result i32) (local i32 i32 f64)
			(if (i32.le_u (local.get 2) (i32.const 15)) (then
				(loop (br_if 0 (i32.ge_u (local.get 3) (local.get 2)))
					(i32.store8 (i32.add (local.get 0) (local.get 3)) (i32.load8_u (i32.add (local.get 1) (local.get 3))))
					(br_if 0 (i32.lt_u (local.tee 3 (i32.add (local.get 3) (i32.const 1))) (local.get 2)))))
				(else (memory.copy (local.get 0) (local.get 1) (local.get 2))))
			(local.set 5 (f64.mul (f64.convert_i32_u (local.get 2)) (f64.load offset=8 (local.get 0))))
			(f64.store offset=%[4]d (local.get 1) (f64.sqrt (f64.add (local.get 5) (f64.const %[1]d.5))))
			(local.set 4 (select (local.get 0) (local.get 1) (i32.gt_s (local.get 0) (local.get 1))))
			(i32.add (call $work%[2]d_small (local.get 4)) (local.get 3)))
		(func $work%[1]d_small (param i32) (result i32)
			(i32.xor (i32.shl (local.get 0) (i32.const %[5]d)) (i32.load offset=%[4]d (local.get 0))))`,
			i, (i*7+1)%groups, i*24, i*8, i%31)
	}
	fmt.Fprintf(&text, "(table 256 funcref) (elem (i32.const 0) %s)", names(256))
	fmt.Fprintf(&text, "(data (i32.const 1024) %q))", strings.Repeat("Internet Computer ", 4000))
	return assembled(b, text.String())
}

func names(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, " $fold%d", i)
	}
	return all.String()
}

// installed is how long a new engine takes to install a module in a new canister.
func installed(b *testing.B, cfg canister.EngineConfig, module []byte) time.Duration {
	b.Helper()
	e, err := canister.NewEngine(cfg)
	if err != nil {
		b.Fatal(err)
	}
	sub := canister.Subnet{RootKey: make([]byte, 133), Fees: cycles.Application(13), Limits: canister.ApplicationLimits(), Time: canistertest.Start}
	c := canister.New(principal.Canister(1), sub.Time, canister.DefaultSettings(canistertest.Controller))
	c.Balance = cycles.Of(canistertest.Balance)
	start := time.Now()
	m, reject := e.Prepare(context.Background(), module)
	if reject != nil {
		b.Fatal(reject)
	}
	if out := c.Install(&sub, &canister.Install{Module: m, Caller: canistertest.Controller}); out.Failure != nil {
		b.Fatal(out.Failure)
	}
	took := time.Since(start)
	c.Close()
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	return took
}

// compiled is how long the engine below takes alone, with as many workers.
func compiled(b *testing.B, dir string, module []byte) time.Duration {
	b.Helper()
	ctx := context.Background()
	cache := wazero.NewCompilationCache()
	if dir != "" {
		var err error
		if cache, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			b.Fatal(err)
		}
	}
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall
	r := wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features).WithDebugInfoEnabled(false).WithCompilationCache(cache))
	start := time.Now()
	if _, err := r.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.NumCPU()), module); err != nil {
		b.Fatal(err)
	}
	took := time.Since(start)
	if err := errors.Join(r.Close(ctx), cache.Close(ctx)); err != nil {
		b.Fatal(err)
	}
	return took
}

// BenchmarkRatioColdInstall installs a module nobody has seen; the floor is the
// engine below compiling the same bytes, unmetered.
func BenchmarkRatioColdInstall(b *testing.B) {
	module := large(b)
	ratio.CompareTimed(b, 1.5,
		func() time.Duration { return installed(b, canister.EngineConfig{}, module) },
		func() time.Duration { return compiled(b, "", module) })
}

// BenchmarkRatioWarmInstall installs a module that an earlier process has compiled;
// the floor is the engine below loading the same bytes, unmetered, from its own
// folder.
func BenchmarkRatioWarmInstall(b *testing.B) {
	module := large(b)
	cfg, dir := canister.EngineConfig{CacheDir: b.TempDir()}, b.TempDir()
	installed(b, cfg, module)
	compiled(b, dir, module)
	ratio.CompareTimed(b, 2,
		func() time.Duration { return installed(b, cfg, module) },
		func() time.Duration { return compiled(b, dir, module) })
}
