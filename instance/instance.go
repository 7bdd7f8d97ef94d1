package instance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/canisterd/canisterd/internal/budget"
	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/internal/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/driver"
)

// Instance is one network with its driver, its clock and its pacer. It is safe for concurrent use. Methods of a deleted
// instance return driver.ErrClosed.
type Instance struct {
	name      string
	about     About
	engine    *engine
	driver    *driver.Driver
	backend   *Backend
	front     Front // nil without a host
	pacer     pacer
	clock     clock
	log       *slog.Logger
	memory    *budget.Budget
	persister *persister // nil if the instance is not kept on disk
	keys      *replica.Keys

	ctx      context.Context // ends with the instance
	end      context.CancelFunc
	running  sync.WaitGroup
	complete chan struct{} // closed when others may find the instance
	making   sync.Once     // starts the outcalls of the host

	changing sync.Mutex // held while the pacing changes, which waits for the owner of the network
	mu       sync.Mutex // guards pacing, which the owner reads: never held during a wait
	pacing   Pacing

	snapshots snapshots
	lineage   lineage
}

// Name returns the name of the instance.
func (i *Instance) Name() string { return i.name }

// About returns the description of the instance.
func (i *Instance) About() About { return i.about }

// Driver returns the owner of the network, for test controls and for reading the network.
func (i *Instance) Driver() *driver.Driver { return i.driver }

// Backend returns the view of the instance for front ends: it takes what users send, and applies the wall clock.
func (i *Instance) Backend() *Backend { return i.backend }

// Memory returns the memory budget of the instance, nil without a limit.
func (i *Instance) Memory() *budget.Budget { return i.memory }

// StateUsage returns the usage of the state directory and the budgets of its history, and false if the instance is not
// kept on disk.
func (i *Instance) StateUsage() (use journal.Usage, limit journal.Retention, kept bool) {
	if i.persister == nil {
		return use, limit, false
	}
	return i.persister.journal.Usage(), i.persister.journal.Retention(), true
}

// Pacing returns when rounds happen. During a change, it is the old pacing.
func (i *Instance) Pacing() Pacing {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.pacing
}

// Offset returns how far the instance's time is ahead of the wall clock. It has no meaning if the wall clock does not
// move the time.
func (i *Instance) Offset() time.Duration { return time.Duration(i.clock.offset.Load()) }

// PutAhead raises the offset to a minimum. The owner of the network calls it, and moves the network's own time in the
// same turn.
func (i *Instance) PutAhead(offset time.Duration) { i.clock.putAhead(offset) }

// SetPacing changes when rounds happen. Once it returns, the old pacing has no further effect.
func (i *Instance) SetPacing(ctx context.Context, pacing Pacing) error {
	pacing, err := pacing.decided()
	if err != nil {
		return err
	}
	i.changing.Lock()
	defer i.changing.Unlock()
	before := i.Pacing()
	i.startPacing(Pacing{Mode: Manual})
	err = i.pacer.quiet(ctx)
	if err == nil && !before.TimeByWallClock() {
		err = i.catchUp(ctx, 0)
	}
	if err == nil {
		err = i.driver.SetMode(ctx, pacing.driverMode(), !pacing.TimeByWallClock())
	}
	if err != nil {
		i.startPacing(before)
		return fmt.Errorf("changing the pacing: %w", err)
	}
	if i.persister != nil {
		if err := i.persister.change(func(k *kept) { k.Pacing = pacing }); err != nil {
			return err
		}
	}
	// Waiters for another pacing look again after a turn of the owner.
	return i.driver.Do(i.ctx, func(*replica.Network) { i.pace(pacing) })
}

// pace changes the pacing. The caller sets the driver's mode.
func (i *Instance) pace(pacing Pacing) {
	i.mu.Lock()
	i.pacing = pacing
	i.mu.Unlock()
	i.startPacing(pacing)
}

// startPacing changes how the wall clock drives the network.
func (i *Instance) startPacing(pacing Pacing) {
	i.backend.pacing.Store(&pacing)
	i.pacer.set(pacing)
}

// Front returns the front ends of the instance, nil without a host.
func (i *Instance) Front() Front { return i.front }

// Go runs a function until the instance ends. Its ctx ends then, and closing the instance waits for it to return. A
// panic in it stops the instance, as a bug or as damage of its state directory.
func (i *Instance) Go(do func(ctx context.Context)) {
	i.running.Go(func() { contain.Do(func() { do(i.ctx) }, i.driver.Fail) })
}

// close ends the instance and frees everything except its reference to the engine.
func (i *Instance) close() error {
	i.end()
	var err error
	if i.front != nil {
		err = i.front.Close()
	}
	i.pacer.end()
	if i.persister != nil && i.persister.complete() {
		err = errors.Join(err, i.persister.checkpointLast(i.driver))
	}
	bug := i.driver.Bug()
	if closed := i.driver.Close(); bug == nil { // a bug was logged when it happened
		err = errors.Join(err, closed)
	}
	i.running.Wait()
	i.snapshots.close()
	if i.persister != nil {
		err = errors.Join(err, i.persister.close())
	}
	i.memory.Close()
	return err
}
