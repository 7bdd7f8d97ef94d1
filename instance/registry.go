package instance

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Host provides what this package must not know: the front ends that serve instances, and the client for their
// outcalls.
type Host interface {
	// Attach is called before an instance is made. If it returns an error, the instance is not made.
	Attach(name string, about *About) (Front, error)
}

// Front is the part of a host for one instance.
type Front interface {
	// Serve starts to serve a complete instance, also on an address of its own unless listen is empty, and returns the
	// URLs. ctx ends with the instance, and so does everything that Serve starts (Instance.Go).
	Serve(ctx context.Context, i *Instance, listen string) (urls []string, err error)
	// MakeOutcalls makes the outcalls of the instance until ctx ends. It is called in its own goroutine after the first
	// outcall of a canister, unless clients answer outcalls.
	MakeOutcalls(ctx context.Context, i *Instance)
	// Close ends everything that Serve has started.
	Close() error
}

// Config configures a registry.
type Config struct {
	Host   Host                                 // nil: instances are not served
	Log    *slog.Logger                         // nil: nothing is logged
	Wall   func() time.Time                     // the wall clock
	Limit  int                                  // instances; 0: MaxInstances
	Kept   int                                  // instances on disk; 0: MaxKept
	Seed   []byte                               // of instances that are made without one; empty: random
	Memory func(instance string) *budget.Budget // of an instance; nil: without a limit
	// EventMemory bounds the events that all instances remember together, in bytes; 0: no bound besides that of each.
	EventMemory int64
	// CacheDir keeps compiled modules, Compiler compiles slow ones; as in canister.EngineConfig.
	CacheDir string
	Compiler func(ctx context.Context, dir string, module []byte) error
	// Coverage collects which code of canisters runs; nil: nothing does.
	Coverage *canister.Coverage
	// Compiled is called when a module that a canister installs is compiled, before its network hears of it, on a
	// goroutine for it; nil: no listener.
	Compiled func()
	// Engine is for instances in memory, and its owner closes it; nil: the registry makes one with CacheDir and
	// Compiler.
	Engine *canister.Engine
	// StateDir is the absolute path of the directory in which instances are kept: the default one there, the others in
	// subfolders. Empty: only instances that name a directory are kept.
	StateDir string
	// Journal configures how state directories are opened.
	Journal journal.Options
	// CheckpointBytes is how many bytes of records make a checkpoint of a durable instance due; 0: 64 MiB.
	CheckpointBytes int64
	// SystemModules is the folder of published modules of system canisters (systemcanisters.Modules); "" for none.
	SystemModules string
	Version       string            // of the program, which networks report
	Printed       replica.PrintSink // gets what canisters print; may be nil
	// Workers is how many workers execute the messages of a batch; 0: one per processor, and one in a replay. The
	// outcome does not depend on it.
	Workers int
	// TimedEvents makes instances record when each event happened by the wall clock (driver.Recorded.At).
	TimedEvents bool

	// Defaults for instances.
	RateLimits bool
	Outcalls   OutcallMode
	Reach      OutcallReach
}

// Registry makes, finds and deletes the instances of a daemon. All its methods are safe for concurrent use. Their
// errors are refusals, context errors, or unexpected.
type Registry struct {
	config    Config
	directory directory
	journals  journal.Statistics // of all instances that are kept
	engines   engines
	seeds     *seeds
	schedule  *schedule
	keys      replica.Keys
	// All instances share these.
	queries    *driver.QuerySlots
	processors *driver.Processors
	events     *driver.EventMemory // nil: no bound

	cancel  context.CancelFunc
	running sync.WaitGroup
}

// NewRegistry makes a registry without instances. It runs until Close.
func NewRegistry(config Config) *Registry {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	r := &Registry{
		config: config, directory: newDirectory(config.Limit, config.Kept), engines: engines{cacheDir: config.CacheDir, compiler: config.Compiler, coverage: config.Coverage, memory: given(config.Engine)},
		seeds: newSeeds(config.Seed), schedule: newSchedule(config.Wall),
		queries: driver.NewQuerySlots(runtime.NumCPU()), processors: driver.NewProcessors(runtime.NumCPU(), stopwatch()),
	}
	if config.EventMemory != 0 {
		r.events = driver.NewEventMemory(config.EventMemory)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.running.Go(func() { r.schedule.run(ctx) })
	return r
}

// Close ends all instances and frees everything they hold. No instance can be made after it.
func (r *Registry) Close() error {
	r.cancel()
	r.running.Wait()
	var errs []error
	for _, i := range r.directory.shut() {
		errs = append(errs, r.end(i))
	}
	return errors.Join(append(errs, r.engines.close())...)
}

// Instance returns the instance with a name, the default one for "". The error is a refusal
// (UnknownInstance, DamagedInstance).
func (r *Registry) Instance(name string) (*Instance, error) {
	if i := r.directory.get(name); i != nil {
		return i, nil
	}
	if err := r.directory.leftOut(name); err != nil {
		return nil, err
	}
	return nil, UnknownInstance.Refuse(cmp.Or(name, Default))
}

// Instances returns all instances, ordered by name.
func (r *Registry) Instances() []*Instance { return r.directory.all() }

// EvictIdle releases the Wasm instances of canisters that ran nothing since the call before, and returns their number.
func (r *Registry) EvictIdle() int { return r.engines.evictIdle() }

// ModuleByHash returns the bytes of a module as uploaded that a canister or a snapshot of any instance has; nil: none has it.
// Its bytes are reserved before they are read.
func (r *Registry) ModuleByHash(hash [32]byte, reserve func(bytes int64) error) ([]byte, error) {
	return r.engines.uploaded(hash, reserve)
}

// EngineStatistics returns the sum of the statistics of all engines, including closed ones.
func (r *Registry) EngineStatistics() canister.EngineStatistics { return r.engines.statistics() }

// Delete ends an instance and removes its state. If the instance could not be started, Delete removes its directory.
func (r *Registry) Delete(name string) error {
	i := r.directory.take(name)
	if i == nil && r.directory.discard(name) {
		return journal.Remove(KeptIn(r.config.StateDir, name), r.config.Journal)
	}
	if i == nil {
		return UnknownInstance.Refuse(cmp.Or(name, Default))
	}
	r.config.Log.Debug("deleted", "instance", i.name)
	var err error
	if i.persister != nil {
		err = i.persister.forget()
	}
	err = errors.Join(err, r.end(i))
	// The directory of the default instance contains those of the others.
	if dir := i.about.Journal; err == nil && dir != "" && dir != r.config.StateDir {
		err = journal.Remove(dir, r.config.Journal)
	}
	return err
}

// Lease creates a lease. end deletes the instances that are bound to it.
func (r *Registry) Lease() (id string, end func()) {
	id = r.directory.lease()
	return id, func() {
		for _, i := range r.directory.expire(id) {
			r.config.Log.Info("deleted with its lease", "instance", i.name)
			if err := r.end(i); err != nil {
				i.log.Error("deleting the instance", "error", err)
			}
		}
	}
}

// admit reserves a name, makes the instance with it and adds it.
func (r *Registry) admit(ctx context.Context, to *Placement, make func(name string) (*startConfig, error)) (*Instance, error) {
	name, err := r.directory.reserve(to, r.keptIn(to, to.Name) != "")
	if err != nil {
		return nil, err
	}
	var f *startConfig
	err = contain.Run(func() (err error) {
		f, err = make(name)
		return err
	})
	if err != nil {
		r.directory.release(name)
		return nil, err
	}
	f.name, f.listen, f.about.Lease = name, cmp.Or(to.Listen, f.listen), to.Lease
	i, err := r.start(ctx, f)
	if err != nil {
		r.directory.release(name)
		if f.keeper != nil {
			err = errors.Join(err, f.keeper.journal.Close())
		}
		return nil, errors.Join(err, r.engines.leave(f.engine))
	}
	if err := r.directory.put(i); err != nil {
		return nil, errors.Join(err, r.end(i))
	}
	return i, nil
}

// end closes an instance that was removed from the directory.
func (r *Registry) end(i *Instance) error {
	return errors.Join(contain.Run(i.close), r.engines.leave(i.engine))
}

// JournalStatistics returns the counts of the journals of all instances.
func (r *Registry) JournalStatistics() journal.Counts { return r.journals.Read() }
