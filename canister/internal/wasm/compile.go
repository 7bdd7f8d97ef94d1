package wasm

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// compilation is a compilation that any number of callers wait for. It is canceled when the last of them gives up.
type compilation struct {
	done   chan struct{}
	err    error // valid when done is closed
	cancel context.CancelFunc

	waiters int // guarded by the code's mu
}

func runtimeConfig(cache wazero.CompilationCache) wazero.RuntimeConfig {
	features := api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall
	// Modules have debug information only if the rewriter has added some (rewrite.Module.Positions).
	return wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features).WithDebugInfoEnabled(true).WithCompilationCache(cache)
}

// CompileInto compiles a rewritten module and writes the compiled form to a folder, for the engine of this program.
func CompileInto(ctx context.Context, dir string, binary []byte, workers int) error {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return fmt.Errorf("open the folder of compiled code: %w", err)
	}
	r := wazero.NewRuntimeWithConfig(ctx, runtimeConfig(cache))
	_, err = r.CompileModule(experimental.WithCompilationWorkers(ctx, workers), binary)
	return errors.Join(err, r.Close(context.WithoutCancel(ctx)), cache.Close(context.WithoutCancel(ctx)))
}

// WaitTurn waits until the client of a context may work on a module that does not take long. The returned function ends
// the turn.
func (e *Engine) WaitTurn(ctx context.Context) (end func(), err error) {
	if err := e.quick.acquire(ctx); err != nil {
		return nil, err
	}
	return func() { e.quick.release(ctx) }, nil
}

// ready returns the compiled form, compiling it if it is missing. If instance is set, it counts an instance on it.
func (c *Code) ready(ctx context.Context, instance bool) (wazero.CompiledModule, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("compile module %x: %w", c.module.Hash[:8], err)
		}
		c.mu.Lock()
		if compiled := c.compiled; compiled != nil {
			if instance {
				c.instances++
			}
			c.mu.Unlock()
			return compiled, nil
		}
		if c.compiling == nil {
			c.compiling = c.start(ctx, c.compile)
		}
		f := c.compiling
		f.waiters++
		c.mu.Unlock()
		if err := c.await(ctx, f); err != nil {
			return nil, fmt.Errorf("compile module %x: %w", c.module.Hash[:8], err)
		}
	}
}

// runInFragments begins the compilation of a code that runs in fragments meanwhile, and reports whether it does. The
// code itself waits for the compilation, so no client ends it. After a failure, the next caller tries again.
func (c *Code) runInFragments(ctx context.Context) bool {
	e := c.engine
	if !e.cuts(c.module) || !c.makeCut() {
		return false
	}
	if e.config.Fragments != FragmentsWhileCompiling {
		return e.config.Fragments == FragmentsAlways
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.compiled == nil && c.compiling == nil {
		e.background.Add(1)
		c.compiling = c.start(ctx, c.compileBehind(c.cut))
		c.compiling.waiters++
	}
	return true
}

// makeCut makes the fragments of a code, and reports whether it has some. A code whose compiled form is there, or in the
// folder, gets none.
func (c *Code) makeCut() bool {
	e := c.engine
	c.mu.Lock()
	has, unneeded := c.cut != nil, c.compiled != nil
	c.mu.Unlock()
	if has {
		return true
	}
	if e.config.Fragments == FragmentsWhileCompiling {
		unneeded = unneeded || e.background.Load() >= maxBackground || e.disk != nil && e.disk.has(c.module.BinaryHash)
		if unneeded {
			return false
		}
	}
	if err := e.openCutting(c.module); err != nil {
		return false
	}
	cut := e.cut(c.module)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut == nil {
		c.cut = cut
	}
	return c.cut != nil
}

// compileBehind returns the compilation of a code that runs in fragments meanwhile.
func (c *Code) compileBehind(cut *fragments) func(context.Context) (wazero.CompiledModule, error) {
	return func(ctx context.Context) (wazero.CompiledModule, error) {
		defer c.engine.background.Add(-1)
		cut.awaitQuiet(ctx)
		return c.compile(ctx)
	}
}

// start begins a compilation for the first caller that waits for it. Needs c.mu.
func (c *Code) start(ctx context.Context, compile func(context.Context) (wazero.CompiledModule, error)) *compilation {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &compilation{done: make(chan struct{}), cancel: cancel}
	stop := context.AfterFunc(c.engine.lifetime, cancel)
	c.engine.working.Go(func() {
		defer cancel()
		defer stop()
		compiled, err := compile(ctx)
		c.finishCompilation(f, compiled, err)
	})
	return f
}

// finishCompilation ends a compilation.
func (c *Code) finishCompilation(f *compilation, compiled wazero.CompiledModule, err error) {
	c.mu.Lock()
	if c.compiling == f {
		c.compiling = nil
	}
	switch {
	case err != nil:
		f.err = err
	case c.compiled == nil:
		c.compiled = compiled
		c.whole.Store(true)
	default: // a later flight was faster
		_ = compiled.Close(context.Background())
	}
	c.mu.Unlock()
	if err == nil {
		c.engine.recordCompiled(c)
		c.engine.leaveFragments(c)
	}
	close(f.done)
}

// await waits for a compilation. If the context ends first and no other caller waits, it cancels the compilation.
func (c *Code) await(ctx context.Context, f *compilation) error {
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiters--; f.waiters == 0 {
		f.cancel()
		if c.compiling == f {
			c.compiling = nil
		}
	}
	return ctx.Err()
}

// recordCompiled adds a code that was dropped and is needed again to the cache, and drops excess codes.
func (e *Engine) recordCompiled(c *Code) {
	e.mu.Lock()
	e.compiled++
	if _, ok := e.codes.byKey[c.key]; !ok {
		e.codes.add(c)
	}
	victims := e.codes.overflow(c)
	e.mu.Unlock()
	for _, v := range victims {
		v.drop()
	}
}

// compile makes the compiled form, or loads it from the cache folder if it is there.
func (c *Code) compile(ctx context.Context) (compiled wazero.CompiledModule, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("the compiler failed by a bug: %v\n%s", bug, debug.Stack())
		}
	}()
	e, hash := c.engine, c.module.BinaryHash
	if e.disk != nil && e.disk.check(hash) {
		if compiled, err := c.load(ctx); err == nil {
			return compiled, nil
		}
	}
	slow := c.module.CompileTime > slowCompileTime
	queue := &e.quick
	if slow {
		queue = &e.slow
	}
	if err := queue.acquire(ctx); err != nil {
		return nil, err
	}
	defer queue.release(ctx)
	if e.disk != nil {
		if err := e.disk.compile(hash, func(dir string) error {
			if err := c.build(ctx, dir, slow); err != nil {
				return err
			}
			return nameBySkeleton(dir, c.module)
		}); err != nil {
			return nil, err
		}
	}
	return c.load(ctx)
}

// build compiles the module into a folder.
func (c *Code) build(ctx context.Context, dir string, slow bool) error {
	e := c.engine
	if slow && e.config.Compiler != nil {
		return e.config.Compiler(ctx, dir, c.module.Binary)
	}
	return CompileInto(ctx, dir, c.module.Binary, e.config.CompileWorkers)
}

// load makes the engine's runtime load the compiled form from its cache, or compile it.
func (c *Code) load(ctx context.Context) (wazero.CompiledModule, error) {
	if err := c.engine.instantiateHosts(&c.engine.whole, c.module); err != nil {
		return nil, err
	}
	if compiled, ok := c.loadBySkeleton(); ok {
		return compiled, nil
	}
	ctx = experimental.WithCompilationWorkers(ctx, c.engine.config.CompileWorkers)
	return c.engine.whole.runtime.CompileModule(ctx, c.module.Binary)
}
