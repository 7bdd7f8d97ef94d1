package instance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/canisterd/canisterd/canister"
)

// engine is an engine with the number of its users.
type engine struct {
	*canister.Engine
	users int
}

// engines holds the engines of a registry.
type engines struct {
	cacheDir string
	compiler func(ctx context.Context, dir string, module []byte) error
	coverage *canister.Coverage
	mu       sync.Mutex // guards what follows, and users of each engine
	memory   *engine    // the registry is its first user; nil until it is needed
	all      map[*engine]struct{}
	closed   canister.EngineStatistics // counts of closed engines
}

// given wraps the engine for instances in memory that a registry was given; nil for none.
func given(shared *canister.Engine) *engine {
	if shared == nil {
		return nil
	}
	return &engine{shared, 2} // users: the registry, and the engine's owner, who never leaves
}

// open makes an engine with one user that keeps memories in a folder.
func (e *engines) open(dir string) (*engine, error) {
	made, err := canister.NewEngine(canister.EngineConfig{
		CacheDir: e.cacheDir, HeapDir: dir, Compiler: e.compiler, Stopwatch: stopwatch(), Coverage: e.coverage,
	})
	switch {
	case errors.Is(err, syscall.EMFILE):
		return nil, fmt.Errorf("starting the engine: %w: raise the limit (ulimit -n), then start again", err)
	case err != nil:
		return nil, fmt.Errorf("starting the engine: %w", err)
	}
	return &engine{made, 1}, nil
}

// statistics returns the sum of all engines; closed ones have nothing resident.
func (e *engines) statistics() canister.EngineStatistics {
	e.mu.Lock()
	sum, open := e.closed, slices.Collect(maps.Keys(e.all))
	e.mu.Unlock()
	for _, used := range open {
		now := used.Statistics()
		sum.Resident += now.Resident
		sum.MaxResident += now.MaxResident
		sum.InUse += now.InUse
		sum.AddCounts(&now)
	}
	return sum
}

// evictIdle evicts the canisters of all engines that ran nothing since the call before, and returns their number.
func (e *engines) evictIdle() (evicted int) {
	e.mu.Lock()
	open := slices.Collect(maps.Keys(e.all))
	e.mu.Unlock()
	for _, used := range open {
		evicted += used.EvictIdle()
	}
	return evicted
}

// uploaded returns the bytes of a module that a canister or a snapshot of any engine has, nil if none has it
// ([canister.Engine.Uploaded]).
func (e *engines) uploaded(hash [32]byte, reserve func(bytes int64) error) (module []byte, err error) {
	for _, used := range e.use() {
		if module == nil && err == nil {
			module, err = used.Uploaded(hash, reserve)
		}
		if left := e.leave(used); left != nil {
			err = errors.Join(err, left)
		}
	}
	return module, err
}

// use makes the caller a user of all engines. An engine without users is about to be closed.
func (e *engines) use() (open []*engine) {
	e.mu.Lock()
	defer e.mu.Unlock()
	open = slices.Collect(maps.Keys(e.all))
	if e.memory != nil && !slices.Contains(open, e.memory) { // it was given
		open = append(open, e.memory)
	}
	open = slices.DeleteFunc(open, func(one *engine) bool { return one.users == 0 })
	for _, one := range open {
		one.users++
	}
	return open
}

// list adds an opened engine. Needs mu.
func (e *engines) list(made *engine) {
	if e.all == nil {
		e.all = make(map[*engine]struct{})
	}
	e.all[made] = struct{}{}
}

// retire removes an engine that is about to be closed, and keeps its counts.
func (e *engines) retire(used *engine) {
	last := used.Statistics()
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.all, used)
	e.closed.AddCounts(&last)
}

// in returns an engine for an instance that keeps its memories in a folder, "" for memory. The caller becomes a user.
func (e *engines) in(dir string) (*engine, error) {
	if dir == "" {
		return e.inMemory()
	}
	if !filepath.IsAbs(dir) {
		return nil, BadField.Refuse("state_dir", fmt.Sprintf("%q", dir), "expected an absolute path, or nothing for memory")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, BadFolder.Refuse(dir, err)
	}
	made, err := e.open(dir)
	if err != nil {
		return nil, BadFolder.Refuse(dir, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list(made)
	return made, nil
}

// inMemory returns the engine of all instances in memory. The caller becomes a user.
func (e *engines) inMemory() (_ *engine, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.memory == nil {
		if e.memory, err = e.open(""); err != nil {
			return nil, err
		}
		e.list(e.memory)
	}
	e.memory.users++
	return e.memory, nil
}

// close ends the registry's own use.
func (e *engines) close() error {
	if e.memory == nil {
		return nil
	}
	return e.leave(e.memory)
}

// share adds a user.
func (e *engines) share(shared *engine) *engine {
	e.mu.Lock()
	defer e.mu.Unlock()
	shared.users++
	return shared
}

// leave removes a user; the last one closes the engine.
func (e *engines) leave(used *engine) error {
	e.mu.Lock()
	used.users--
	last := used.users == 0
	e.mu.Unlock()
	if last {
		e.retire(used)
		return used.Close()
	}
	return nil
}
