package wasm

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// Code is a compiled module, shared by all guests that run it. Its compiled form may be dropped while it has no
// instance, and is made again when needed.
type Code struct {
	engine *Engine
	module *rewrite.Module
	key    [32]byte // codeKey of the module
	layout globalLayout
	ran    []atomic.Uint64 // bits of blocks that ran in any guest, see Config.Ran; may be nil
	common commonPages

	whole     atomic.Bool // compiled is there
	mu        sync.Mutex  // guards everything below; never held while compiling
	compiled  wazero.CompiledModule
	compiling *compilation // the compilation in progress, or nil
	cut       *fragments   // nil if the code does not run in fragments
	instances int          // instances
	ofCut     int          // those in fragments
}

// Module returns the module that the code was compiled from.
func (c *Code) Module() *rewrite.Module { return c.module }

// codeCache keeps codes by codeKey. It drops codes without an instance, least recently used first.
type codeCache struct {
	byKey map[[32]byte]*list.Element
	order *list.List // of *Code, most recently used first
	bytes int
	most  int
}

// codeKey returns the key of a module's code. Modules whose binaries and data segments are the same share their code: they
// differ in what does not matter when they run, such as metadata. The data segments are not in the binary. With coverage,
// each has a code of its own, which collects what ran of it.
func codeKey(m *rewrite.Module) [32]byte {
	digest := sha256.New()
	digest.Write(m.BinaryHash[:])
	if m.Coverage {
		digest.Write(m.Hash[:])
	}
	for _, d := range m.Data {
		var head [16]byte
		binary.LittleEndian.PutUint64(head[:8], d.Offset)
		binary.LittleEndian.PutUint64(head[8:], uint64(len(d.Bytes)))
		digest.Write(head[:])
		digest.Write(d.Bytes)
	}
	return [32]byte(digest.Sum(nil))
}

func newCodeCache() codeCache {
	return codeCache{byKey: map[[32]byte]*list.Element{}, order: list.New(), most: maxCompiled}
}

// Compile makes a rewritten module runnable; two calls with the same module compile once. The error comes from the
// engine, which should accept every module that the rewriter accepted, or from the context.
func (e *Engine) Compile(ctx context.Context, m *rewrite.Module) (*Code, error) {
	c := e.code(m)
	if c.runInFragments(ctx) {
		return c, nil
	}
	if _, err := c.ready(ctx, false); err != nil {
		return nil, err
	}
	return c, nil
}

// code finds or makes the Code of a module, and marks it as most recently used.
func (e *Engine) code(m *rewrite.Module) *Code {
	key := codeKey(m)
	e.mu.Lock()
	defer e.mu.Unlock()
	if at, ok := e.codes.byKey[key]; ok {
		e.codes.order.MoveToFront(at)
		return at.Value.(*Code)
	}
	c := &Code{engine: e, module: m, key: key, layout: newGlobalLayout(m.Globals)}
	if m.Coverage && e.config.Ran != nil {
		c.ran = e.config.Ran(m)
	}
	e.codes.add(c)
	return c
}

func (cc *codeCache) add(c *Code) {
	cc.byKey[c.key] = cc.order.PushFront(c)
	cc.bytes += len(c.module.Binary)
}

// overflow removes excess codes from the cache, except keep. Needs the engine's lock.
func (cc *codeCache) overflow(keep *Code) []*Code {
	var victims []*Code
	for at := cc.order.Back(); at != nil && (cc.order.Len() > cc.most || cc.bytes > maxCompiledBytes); {
		c := at.Value.(*Code)
		before := at.Prev()
		if c != keep {
			cc.order.Remove(at)
			delete(cc.byKey, c.key)
			cc.bytes -= len(c.module.Binary)
			victims = append(victims, c)
		}
		at = before
	}
	return victims
}

// drop closes the compiled form unless something runs on it or is about to; the last release closes it then.
func (c *Code) drop() {
	if !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	c.dropIdle()
}

func (c *Code) dropIdle() {
	if c.instances > 0 {
		return
	}
	if c.compiled != nil {
		_ = c.compiled.Close(context.Background())
		c.compiled = nil
		c.whole.Store(false)
	}
	c.dropCut()
}

// dropCut closes the fragments, if there are any and no instance runs in them. Needs c.mu.
func (c *Code) dropCut() {
	if c.cut != nil && c.ofCut == 0 {
		c.cut.close()
		c.cut = nil
	}
}

// acquire returns the compiled form for one instance, or the fragments of a code without one; release ends the use.
func (c *Code) acquire() (wazero.CompiledModule, *fragments, error) {
	if cut := c.acquireCut(); cut != nil {
		return nil, cut, nil
	}
	compiled, err := c.ready(context.Background(), true)
	return compiled, nil, err
}

// acquireCut returns the fragments for one instance, nil if it should have the compiled form.
func (c *Code) acquireCut() *fragments {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut == nil || c.compiled != nil && !c.engine.prefersCut() {
		return nil
	}
	c.instances++
	c.ofCut++
	return c.cut
}

// release ends the use of the compiled form, or of the fragments, by one instance.
func (c *Code) release(cut *fragments) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cut != nil {
		c.ofCut--
	}
	if c.compiled != nil && c.engine.config.Fragments == FragmentsWhileCompiling {
		c.dropCut()
	}
	c.instances--
	if c.instances > 0 {
		return
	}
	e := c.engine
	e.mu.Lock()
	at, ok := e.codes.byKey[c.key]
	kept := ok && at.Value.(*Code) == c
	e.mu.Unlock()
	if !kept {
		c.dropIdle()
	}
}
