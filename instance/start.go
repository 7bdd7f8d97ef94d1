package instance

import (
	"context"
	"errors"
	"time"

	"github.com/canisterd/canisterd/internal/callbudget"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/systemcanisters"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// startConfig configures the start of an instance.
type startConfig struct {
	name   string
	about  About
	pacing Pacing
	ahead  time.Duration // minimum lead of its time over the wall clock, if that moves the time
	engine *engine       // the instance takes over the reference
	// ancestors are the networks that it continues, the oldest first.
	ancestors []Ancestor
	listen    string // address of a public interface of its own, "" for none
	// system are the system canisters to install, and modules is the source of their modules.
	system  []systemcanisters.Name
	modules systemcanisters.Modules
	// budgets count the instructions of its calls, with those of the instance that it is a fork of; nil: none.
	budgets *callbudget.Budgets
	// persister keeps it in its state directory; nil for none. resumed says that the directory already held it.
	keeper  *persister
	resumed bool
	// start makes the driver.
	start func(driver.Config) (*driver.Driver, error)
}

// start makes and runs an instance.
func (r *Registry) start(ctx context.Context, f *startConfig) (_ *Instance, err error) {
	i := &Instance{name: f.name, about: f.about, engine: f.engine, persister: f.keeper, keys: &r.keys, log: r.config.Log.With("instance", f.name), complete: make(chan struct{})}
	f.modules = systemcanisters.Modules{Folder: r.config.SystemModules}
	if name, err := f.modules.Check(f.system); err != nil {
		return nil, BadField.Refuse("system_canisters", name, err)
	}
	if r.config.Host != nil {
		if i.front, err = r.config.Host.Attach(f.name, &i.about); err != nil {
			return nil, err
		}
	}
	if r.config.Memory != nil {
		i.memory = r.config.Memory(f.name)
	}
	i.about.Created = r.config.Wall()
	i.lineage.begin(f.ancestors)
	if f.resumed {
		if err := i.resume(f.keeper); err != nil {
			return nil, err
		}
	}
	i.ctx, i.end = context.WithCancel(context.Background())
	i.clock.wall = r.config.Wall
	i.pacer = pacer{clock: &i.clock, schedule: r.schedule}
	// The instance exists before its driver, whose goroutine calls it.
	err = contain.Run(func() (err error) {
		config := r.nodeConfig(i, f.pacing)
		config.Budgets = f.budgets
		i.driver, err = f.start(config)
		return err
	})
	if err != nil {
		i.end()
		i.memory.Close()
		return nil, err
	}
	i.backend = newBackend(i.driver, &i.clock)
	i.backend.pacing.Store(&Pacing{Mode: Manual}) // until it is paced
	i.pacing = f.pacing
	if err := contain.Run(func() error { return i.begin(ctx, f) }); err != nil {
		return nil, errors.Join(err, i.close())
	}
	close(i.complete)
	if i.persister != nil {
		i.Go(func(ctx context.Context) { i.persister.runCheckpoints(ctx, i.driver) })
		i.Go(func(ctx context.Context) { i.persister.hashAll(ctx, i.driver) })
	}
	i.pacer.start(i.ctx, i.driver)
	i.pace(f.pacing)
	return i, nil
}

// nodeConfig returns the configuration of the driver of an instance, without its network.
func (r *Registry) nodeConfig(i *Instance, pacing Pacing) driver.Config {
	config := driver.Config{
		Mode: pacing.driverMode(), AwaitModules: !pacing.TimeByWallClock(), Compiled: r.config.Compiled, Workers: r.config.Workers, Queries: r.queries, Processors: r.processors, Memory: i.memory,
		Active: i.pacer.wake, Called: i.outcallMade, Restored: i.clock.catchUp, Failed: i.failed,
		Record: true, EventMemory: r.events, Generation: firstGeneration(), Stopwatch: stopwatch(), Printed: r.config.Printed,
	}
	if r.config.TimedEvents {
		config.Clock = func() int64 { return r.config.Wall().UnixNano() }
	}
	if i.persister != nil {
		config.Journal = i.persister
	}
	if i.memory != nil {
		config.EventBytes = int(min(driver.MaxEventBytes, i.memory.Limit()/eventShare))
	}
	return config
}

// begin completes an instance whose driver runs, so that others may find it.
func (i *Instance) begin(ctx context.Context, f *startConfig) error {
	if i.driver.Height() == 0 {
		// The first round certifies the state before anything happens.
		if _, err := i.driver.Round(ctx); err != nil {
			return err
		}
	}
	if err := i.installSystemCanisters(ctx, f); err != nil {
		return err
	}
	if err := i.catchUp(ctx, f.ahead); err != nil {
		return err
	}
	if err := i.recordStart(ctx, f.listen); err != nil || i.front == nil {
		return err
	}
	urls, err := i.front.Serve(i.ctx, i, f.listen)
	if bad, ok := errors.AsType[*Refusal](err); ok && f.resumed && bad.Reason == BadAddress {
		i.log.Warn("the instance goes on without an address of its own", "error", err)
		urls, err = i.front.Serve(i.ctx, i, "")
	}
	i.about.URLs = urls
	return err
}

// catchUp sets the instance's clock to the time of its network.
func (i *Instance) catchUp(ctx context.Context, ahead time.Duration) error {
	return i.driver.Do(ctx, func(n *replica.Network) {
		i.clock.catchUp(n.Activity().Clock)
		i.clock.putAhead(ahead)
	})
}

// outcallMade is called by the network's owner when canisters have made outcalls. On the first call it starts the
// host's client.
func (i *Instance) outcallMade() {
	if i.about.Outcalls.byClients() || i.front == nil {
		return
	}
	i.making.Do(func() {
		i.Go(func(ctx context.Context) {
			select {
			case <-i.complete:
				i.front.MakeOutcalls(ctx, i)
			case <-ctx.Done():
			}
		})
	})
}

// failed is called with the bug that has stopped the network.
func (i *Instance) failed(bug error) {
	i.log.Error("the instance has failed; the others go on", "error", bug)
}
