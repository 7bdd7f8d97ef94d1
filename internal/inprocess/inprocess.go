package inprocess

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
	"github.com/canisterd/canisterd/internal/coverage/coverdir"
)

// Instance is an instance in this process.
type Instance struct {
	*instance.Instance
	shared  *shared
	closing sync.Once
	closed  error
}

// process has what the instances of this process share, and the instances.
var process struct {
	mu        sync.Mutex         // guards all below
	shared    map[string]*shared // by the folder for compiled modules
	instances map[string]*Instance
	made      int // names given to instances
}

// shared is an engine, which remembers compiled modules as long as the process lives and has no goroutine, and a
// registry, which exists while it has users.
type shared struct {
	cache string

	mu       sync.Mutex // guards all below
	engine   *canister.Engine
	registry *instance.Registry
	fronts   *fronts
	users    int              // instances
	coverage *coverdir.Writer // nil: what runs is not measured
}

// Start makes an instance that uses a folder for compiled modules ("": none) and has a front: create makes it with the
// name that it is given. The caller closes it.
func Start(cache string, front instance.Front, create func(r *instance.Registry, name string) (*instance.Instance, error)) (*Instance, error) {
	s, name := join(cache)
	if err := s.enter(); err != nil {
		return nil, err
	}
	s.fronts.put(name, front)
	created, err := create(s.registry, name)
	if err != nil {
		s.fronts.remove(name)
		return nil, errors.Join(err, s.leave())
	}
	i := &Instance{Instance: created, shared: s}
	process.mu.Lock()
	defer process.mu.Unlock()
	process.instances[name] = i
	return i, nil
}

// Find returns the running instance with a name, nil if there is none.
func Find(name string) *Instance {
	process.mu.Lock()
	defer process.mu.Unlock()
	return process.instances[name]
}

// Cache returns the folder for compiled modules.
func (i *Instance) Cache() string { return i.shared.cache }

// Close ends the instance.
func (i *Instance) Close() error {
	i.closing.Do(func() {
		process.mu.Lock()
		delete(process.instances, i.Name())
		process.mu.Unlock()
		i.closed = i.shared.registry.Delete(i.Name())
		i.shared.fronts.remove(i.Name())
		i.closed = errors.Join(i.closed, i.shared.leave())
	})
	return i.closed
}

// join returns what instances with a folder for compiled modules share, and a new name.
func join(cache string) (s *shared, name string) {
	process.mu.Lock()
	defer process.mu.Unlock()
	if process.shared == nil {
		process.shared, process.instances = map[string]*shared{}, map[string]*Instance{}
	}
	if process.shared[cache] == nil {
		process.shared[cache] = &shared{cache: cache}
	}
	process.made++
	return process.shared[cache], fmt.Sprintf("network-%d", process.made)
}

// enter adds a user.
func (s *shared) enter() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine == nil {
		config := canister.EngineConfig{CacheDir: s.cache}
		if dir := os.Getenv(coverdir.Variable); dir != "" {
			if s.coverage, err = coverdir.Open(dir); err != nil {
				return err
			}
			config.Coverage = s.coverage.Coverage
		}
		if s.engine, err = canister.NewEngine(config); err != nil {
			return fmt.Errorf("starting the engine: %w", err)
		}
	}
	if s.users == 0 {
		s.fronts = &fronts{byName: map[string]instance.Front{}}
		s.registry = instance.NewRegistry(instance.Config{Host: s.fronts, Wall: time.Now, Engine: s.engine})
	}
	s.users++
	return nil
}

// leave removes a user; the last one closes the registry.
func (s *shared) leave() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return nil
	}
	err := s.registry.Close()
	if s.coverage != nil { // tests end without a word: this may be the last network
		err = errors.Join(err, s.coverage.Write())
	}
	return err
}

// fronts gives each instance its front.
type fronts struct {
	mu     sync.Mutex // guards byName
	byName map[string]instance.Front
}

func (f *fronts) put(name string, front instance.Front) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byName[name] = front
}

func (f *fronts) remove(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byName, name)
}

// Attach returns the front of an instance.
func (f *fronts) Attach(name string, _ *instance.About) (instance.Front, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.byName[name], nil
}
