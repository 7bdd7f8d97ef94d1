package wasm

import (
	"container/list"
	"context"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// Code is a compiled module, shared by all guests that run it. Its compiled form may be dropped while nothing is live on it and is made
// again when needed.
type Code struct {
	engine *Engine
	module *rewrite.Module
	layout globalLayout

	mu       sync.Mutex // held while compiling
	compiled wazero.CompiledModule
	lives    int // instances; changed under mu
}

// Module is what the code was compiled from.
func (c *Code) Module() *rewrite.Module { return c.module }

// codeCache keeps codes by the hash of their binary; those without a live instance are dropped, least recently used first.
type codeCache struct {
	byHash map[[32]byte]*list.Element
	order  *list.List // of *Code, most recently used first
	bytes  int
	most   int
}

func newCodeCache() codeCache {
	return codeCache{byHash: map[[32]byte]*list.Element{}, order: list.New(), most: maxCompiled}
}

// Compile makes a rewritten module runnable; two calls with the same module compile once. The error is the engine's, which should not have
// any for a module that the rewriter accepted, or that of a cancelled context.
func (e *Engine) Compile(ctx context.Context, m *rewrite.Module) (*Code, error) {
	c := e.code(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.compile(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// code finds or makes the Code of a module and counts the use.
func (e *Engine) code(m *rewrite.Module) *Code {
	e.mu.Lock()
	defer e.mu.Unlock()
	if at, ok := e.codes.byHash[m.BinaryHash]; ok {
		e.codes.order.MoveToFront(at)
		return at.Value.(*Code)
	}
	c := &Code{engine: e, module: m, layout: newGlobalLayout(m.Globals)}
	e.codes.add(c)
	return c
}

func (cc *codeCache) add(c *Code) {
	cc.byHash[c.module.BinaryHash] = cc.order.PushFront(c)
	cc.bytes += len(c.module.Binary)
}

// compile makes the compiled form if it is missing. Needs c.mu.
func (c *Code) compile(ctx context.Context) error {
	if c.compiled != nil {
		return nil
	}
	e := c.engine
	ctx = experimental.WithCompilationWorkers(ctx, e.config.CompileWorkers)
	var compiled wazero.CompiledModule
	run := func() (err error) {
		if err = ctx.Err(); err == nil {
			compiled, err = e.runtime.CompileModule(ctx, c.module.Binary)
		}
		return err
	}
	var err error
	if e.disk != nil {
		err = e.disk.compile(ctx, c.module.BinaryHash, run)
	} else {
		err = run()
	}
	if err != nil {
		return fmt.Errorf("compile module %x: %w", c.module.Hash[:8], err)
	}
	c.compiled = compiled
	e.mu.Lock()
	e.compiled++
	if _, ok := e.codes.byHash[c.module.BinaryHash]; !ok {
		e.codes.add(c) // dropped before, needed again
	}
	victims := e.codes.overflow(c)
	e.mu.Unlock()
	for _, v := range victims {
		v.drop()
	}
	return nil
}

// overflow removes the codes that are too many from the cache, except keep. Needs the engine's lock.
func (cc *codeCache) overflow(keep *Code) []*Code {
	var victims []*Code
	for at := cc.order.Back(); at != nil && (cc.order.Len() > cc.most || cc.bytes > maxCompiledBytes); {
		c := at.Value.(*Code)
		before := at.Prev()
		if c != keep {
			cc.order.Remove(at)
			delete(cc.byHash, c.module.BinaryHash)
			cc.bytes -= len(c.module.Binary)
			victims = append(victims, c)
		}
		at = before
	}
	return victims
}

// drop gives the compiled form back unless something runs on it or is about to; then the last instance does.
func (c *Code) drop() {
	if !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	c.dropIdle()
}

func (c *Code) dropIdle() {
	if c.lives == 0 && c.compiled != nil {
		_ = c.compiled.Close(context.Background())
		c.compiled = nil
	}
}

// acquire returns the compiled form for one instance, which release gives back.
func (c *Code) acquire() (wazero.CompiledModule, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.compile(context.Background()); err != nil {
		return nil, err
	}
	c.lives++
	return c.compiled, nil
}

func (c *Code) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lives--
	if c.lives > 0 {
		return
	}
	e := c.engine
	e.mu.Lock()
	at, ok := e.codes.byHash[c.module.BinaryHash]
	kept := ok && at.Value.(*Code) == c
	e.mu.Unlock()
	if !kept {
		c.dropIdle()
	}
}
