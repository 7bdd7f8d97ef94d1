package instance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/canisterd/canisterd/canister"
)

// engine is an engine with the number of its users.
type engine struct {
	*canister.Engine
	users int
}

// engines are the engines of a registry.
type engines struct {
	cacheDir string
	compiler func(ctx context.Context, dir string, module []byte) error
	mu       sync.Mutex // guards memory, and users of each engine
	memory   *engine    // its first use is the registry's own; nil until it is needed
}

// given is the engine of instances in memory that a registry was made with, nil for none.
func given(shared *canister.Engine) *engine {
	if shared == nil {
		return nil
	}
	return &engine{shared, 2} // the registry's use and its owner's, which never ends here
}

// open makes an engine that keeps memories in a folder, with one use.
func (e *engines) open(dir string) (*engine, error) {
	made, err := canister.NewEngine(canister.EngineConfig{CacheDir: e.cacheDir, HeapDir: dir, Compiler: e.compiler})
	if err != nil {
		return nil, fmt.Errorf("starting the engine: %w", err)
	}
	return &engine{made, 1}, nil
}

// in is an engine for an instance that keeps its memories in a folder, "" for
// memory, with one use more.
func (e *engines) in(dir string) (*engine, error) {
	if dir == "" {
		return e.inMemory()
	}
	if !filepath.IsAbs(dir) {
		return nil, BadField.Refuse("state_dir", fmt.Sprintf("%q", dir), "take an absolute path, or nothing for memory")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, BadFolder.Refuse(dir, err)
	}
	made, err := e.open(dir)
	if err != nil {
		return nil, BadFolder.Refuse(dir, err)
	}
	return made, nil
}

// inMemory is the engine of all instances in memory, with one use more.
func (e *engines) inMemory() (_ *engine, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.memory == nil {
		if e.memory, err = e.open(""); err != nil {
			return nil, err
		}
	}
	e.memory.users++
	return e.memory, nil
}

// close gives back the registry's own use.
func (e *engines) close() error {
	if e.memory == nil {
		return nil
	}
	return e.leave(e.memory)
}

// share is one use more.
func (e *engines) share(shared *engine) *engine {
	e.mu.Lock()
	defer e.mu.Unlock()
	shared.users++
	return shared
}

// leave gives a use back; the last closes the engine.
func (e *engines) leave(used *engine) error {
	e.mu.Lock()
	used.users--
	last := used.users == 0
	e.mu.Unlock()
	if last {
		return used.Close()
	}
	return nil
}
