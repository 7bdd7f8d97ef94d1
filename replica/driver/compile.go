package driver

import (
	"context"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica"
)

// compiler prepares the modules that calls of canisters install, each on its own goroutine. The engine schedules them
// fairly with the modules of other instances.
//
// How long that takes depends on the computer. Where the wall clock moves the time, a network hears of a module as soon
// as it is ready, and rounds go on until then. Elsewhere nothing may depend on it: a round waits for all modules that
// were requested before it, and the network hears of them, in the order of the requests, when the round begins.
type compiler struct {
	driver  *Driver
	running sync.WaitGroup
	// The owner of the network has the rest.
	awaited bool           // by rounds
	jobs    []*compilation // that the network has not heard of, in the order of the requests
	unready int            // of the jobs
}

// compilation is a module that the network has requested.
type compilation struct {
	job      replica.Compilation
	prepared *replica.ModulePrepared // nil until it is ready
}

// Compile begins to prepare a module.
func (c *compiler) Compile(job replica.Compilation) {
	requested := &compilation{job: job}
	c.jobs = append(c.jobs, requested)
	c.unready++
	c.running.Go(func() { contain.Do(func() { c.prepare(requested) }, c.driver.Fail) })
}

// prepare prepares a module and informs the owner of the network, unless the driver closes first.
func (c *compiler) prepare(requested *compilation) {
	prepared := requested.job.Prepare(canister.CompileFor(c.driver.open, c.driver, c), c.driver.engine)
	if c.driver.config.Compiled != nil {
		c.driver.config.Compiled()
	}
	if c.driver.open.Err() == nil {
		c.driver.tell(func(*Driver) { c.finish(requested, prepared) })
	}
}

// finish notes that a module is ready. Modules of a network that was replaced are not wanted any more.
func (c *compiler) finish(requested *compilation, prepared *replica.ModulePrepared) {
	if !slices.Contains(c.jobs, requested) {
		return
	}
	requested.prepared = prepared
	c.unready--
	if !c.awaited {
		c.deliver()
	}
}

// deliver informs the network of the modules that are ready.
func (c *compiler) deliver() {
	jobs := c.jobs
	c.jobs = nil
	for _, requested := range jobs {
		if requested.prepared == nil {
			c.jobs = append(c.jobs, requested)
		} else {
			c.driver.network.Apply(requested.prepared)
		}
	}
}

// await sets whether rounds wait for modules.
func (c *compiler) await(awaited bool) {
	c.awaited = awaited
	if !awaited {
		c.deliver()
	}
}

// forget drops what the network has requested: it is replaced.
func (c *compiler) forget() { c.jobs, c.unready = nil, 0 }

// delaying reports whether the next round waits, or has waited, for modules.
func (c *compiler) delaying() bool { return c.awaited && len(c.jobs) > 0 }

// ready reports whether a round may begin now, or the open one go on.
func (d *Driver) ready() bool {
	return !d.compiler.awaited || d.compiler.unready == 0 || d.network.Activity().RoundOpen
}

// whenReady is ask for a function that may begin a round: it waits for the modules that the round needs.
func (d *Driver) whenReady(ctx context.Context, do func(*Driver)) error {
	for {
		waits := make(chan (<-chan struct{}), 1) // nil if it was done
		err := d.ask(ctx, func(d *Driver) {
			if d.ready() {
				d.deliverModules()
				do(d)
				waits <- nil
				return
			}
			d.readOnly = true
			waits <- d.changed.wait()
		})
		if err != nil {
			return err
		}
		happened := <-waits
		if happened == nil {
			return nil
		}
		if err := d.await(ctx, happened); err != nil {
			return err
		}
	}
}

// deliverModules informs the network of the modules for which its next round has waited.
func (d *Driver) deliverModules() {
	if d.compiler.delaying() && !d.network.Activity().RoundOpen {
		d.compiler.deliver()
	}
}
