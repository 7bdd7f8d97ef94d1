package canisterd

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/instance"
)

// processes holds what the networks of this process share, by the folder for compiled modules.
var processes struct {
	mu      sync.Mutex // guards byCache
	byCache map[string]*shared
}

// shared is an engine, which remembers compiled modules as long as the process lives and has no goroutine, and a
// registry, which exists while there is a network.
type shared struct {
	mu       sync.Mutex // guards all below
	engine   *canister.Engine
	registry *instance.Registry
	host     *host
	users    int // networks
	made     int
}

// sharedFor returns what networks with a folder for compiled modules share; "" for none.
func sharedFor(cache string) *shared {
	processes.mu.Lock()
	defer processes.mu.Unlock()
	if processes.byCache == nil {
		processes.byCache = map[string]*shared{}
	}
	if processes.byCache[cache] == nil {
		processes.byCache[cache] = &shared{}
	}
	return processes.byCache[cache]
}

// add adds a user, and returns the name of its network.
func (s *shared) add(cache string) (name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine == nil {
		if s.engine, err = canister.NewEngine(canister.EngineConfig{CacheDir: cache}); err != nil {
			return "", fmt.Errorf("starting the engine: %w", err)
		}
	}
	if s.users == 0 {
		s.host = newHost()
		s.registry = instance.NewRegistry(instance.Config{Host: s.host, Wall: time.Now, Engine: s.engine})
	}
	s.users++
	s.made++
	return fmt.Sprintf("network-%d", s.made), nil
}

// leave removes a user; the last one closes the registry.
func (s *shared) leave() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return nil
	}
	return s.registry.Close()
}

// start makes an instance that uses the shared parts until it ends.
func start(cache string, how outcalls, create func(r *instance.Registry, name string) (*instance.Instance, error)) (*running, error) {
	s := sharedFor(cache)
	name, err := s.add(cache)
	if err != nil {
		return nil, err
	}
	s.host.expect(name, how)
	made, err := create(s.registry, name)
	if err != nil {
		s.host.forget(name)
		return nil, errors.Join(err, s.leave())
	}
	return &running{Instance: made, shared: s, cache: cache}, nil
}

// running is an instance that uses the shared parts.
type running struct {
	*instance.Instance
	shared  *shared
	cache   string
	closing sync.Once
	closed  error
}

// close ends the instance and its use of them.
func (r *running) close() error {
	r.closing.Do(func() {
		r.closed = r.shared.registry.Delete(r.Name())
		r.shared.host.forget(r.Name())
		r.closed = errors.Join(r.closed, r.shared.leave())
	})
	return r.closed
}
