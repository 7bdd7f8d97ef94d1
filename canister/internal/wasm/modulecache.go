package wasm

import (
	"container/list"

	"github.com/canisterd/canisterd/canister/internal/rewrite"
)

// moduleCache keeps rewritten modules in memory, and drops the least recently used first.
type moduleCache struct {
	byHash map[[32]byte]*list.Element
	order  *list.List // of moduleEntry
	bytes  int
}

type moduleEntry struct {
	key    [32]byte
	module *rewrite.Module
}

func newModuleCache() moduleCache {
	return moduleCache{byHash: map[[32]byte]*list.Element{}, order: list.New()}
}

func (mc *moduleCache) add(key [32]byte, m *rewrite.Module) {
	if at, ok := mc.byHash[key]; ok {
		mc.order.MoveToFront(at)
		return
	}
	mc.byHash[key] = mc.order.PushFront(moduleEntry{key, m})
	mc.bytes += len(m.Binary)
	for mc.order.Len() > 1 && (mc.order.Len() > maxModules || mc.bytes > maxModuleBytes) {
		last := mc.order.Remove(mc.order.Back()).(moduleEntry)
		delete(mc.byHash, last.key)
		mc.bytes -= len(last.module.Binary)
	}
}

// CachedModule finds the rewritten form of a module by a key, which the caller derives from the uploaded bytes and
// everything else the rewriter depends on; the version of this program is already part of it.
func (e *Engine) CachedModule(key [32]byte) (*rewrite.Module, bool) {
	e.mu.Lock()
	at, ok := e.modules.byHash[key]
	if ok {
		e.modules.order.MoveToFront(at)
	}
	e.mu.Unlock()
	if ok {
		return at.Value.(moduleEntry).module, true
	}
	if e.disk == nil {
		return nil, false
	}
	m, err := e.disk.load(key)
	if err != nil {
		return nil, false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.modules.add(key, m)
	return m, true
}

// CacheModule keeps the rewritten form of a module for CachedModule. A failure to write it to disk is not an error,
// because it is only a cache.
func (e *Engine) CacheModule(key [32]byte, m *rewrite.Module) {
	e.mu.Lock()
	e.modules.add(key, m)
	e.mu.Unlock()
	if e.disk != nil {
		_ = e.disk.save(key, m)
	}
}

// HasCompiled reports whether the compiled form of a module was on disk when the module was last used.
func (e *Engine) HasCompiled(m *rewrite.Module) bool {
	return e.disk != nil && e.disk.has(m.BinaryHash)
}
