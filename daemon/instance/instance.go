package instance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/canisterd/canisterd/daemon/journal"
	"github.com/canisterd/canisterd/replica"
	"github.com/canisterd/canisterd/replica/budget"
	"github.com/canisterd/canisterd/replica/node"
)

// Instance is one network with what drives it: its node, its clock and its pacer. It is safe for
// concurrent use. One that was deleted meanwhile answers node.ErrClosed.
type Instance struct {
	name    string
	about   About
	engine  *engine
	node    *node.Node
	backend *Backend
	front   Front // nil without a host
	pacer   pacer
	clock   clock
	log     *slog.Logger
	memory  *budget.Budget
	keeper  *keeper // nil where nothing survives the process
	keys    *replica.Keys

	ctx      context.Context // ends with the instance
	end      context.CancelFunc
	running  sync.WaitGroup
	complete chan struct{} // closed when others may find the instance
	making   sync.Once     // the host makes the outcalls

	changing sync.Mutex // held while the pacing changes, which waits for the owner of the network
	mu       sync.Mutex // guards pacing, which the owner reads: never held while something is waited for
	pacing   Pacing

	snapshots snapshots
	lineage   lineage
}

// Name is the instance's name.
func (i *Instance) Name() string { return i.name }

// About is what is known beside the network.
func (i *Instance) About() About { return i.about }

// Node owns the network: it is for test controls, and for looking at the network.
func (i *Instance) Node() *node.Node { return i.node }

// Backend is the instance as front ends see it: it brings the wall clock in, and is for what
// users send.
func (i *Instance) Backend() *Backend { return i.backend }

// Memory is the budget of the instance, nil without a limit.
func (i *Instance) Memory() *budget.Budget { return i.memory }

// StateUsage is what the state directory of the instance takes, and the budgets of its history; false where nothing
// survives the process.
func (i *Instance) StateUsage() (use journal.Usage, limit journal.Retention, kept bool) {
	if i.keeper == nil {
		return use, limit, false
	}
	return i.keeper.journal.Usage(), i.keeper.journal.Retention(), true
}

// Pacing says when rounds happen. While that changes, it is the pacing before.
func (i *Instance) Pacing() Pacing {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.pacing
}

// Offset is how far the instance's time is ahead of the wall clock's; it says nothing where that
// does not move it.
func (i *Instance) Offset() time.Duration { return time.Duration(i.clock.offset.Load()) }

// PutAhead makes the offset at least so much. The owner of the network calls it, and moves the network's own time in
// the same turn.
func (i *Instance) PutAhead(offset time.Duration) { i.clock.putAhead(offset) }

// SetPacing changes when rounds happen. Once it returns, the pacing before has no further effect.
func (i *Instance) SetPacing(ctx context.Context, pacing Pacing) error {
	pacing, err := pacing.decided()
	if err != nil {
		return err
	}
	i.changing.Lock()
	defer i.changing.Unlock()
	before := i.Pacing()
	i.driveBy(Pacing{Mode: Manual})
	err = i.pacer.quiet(ctx)
	if err == nil && !before.TimeByWallClock() {
		err = i.catchUp(ctx, 0)
	}
	if err == nil {
		err = i.node.SetMode(ctx, pacing.nodeMode())
	}
	if err != nil {
		i.driveBy(before)
		return fmt.Errorf("changing the pacing: %w", err)
	}
	if i.keeper != nil {
		if err := i.keeper.change(func(k *kept) { k.Pacing = pacing }); err != nil {
			return err
		}
	}
	// Waiters for another pacing look again after a turn of the owner.
	return i.node.Do(i.ctx, func(*replica.Network) { i.pace(pacing) })
}

// pace changes the pacing. The node's mode is the caller's to set.
func (i *Instance) pace(pacing Pacing) {
	i.mu.Lock()
	i.pacing = pacing
	i.mu.Unlock()
	i.driveBy(pacing)
}

// driveBy makes the wall clock drive the network in another way.
func (i *Instance) driveBy(pacing Pacing) {
	i.backend.pacing.Store(&pacing)
	i.pacer.set(pacing)
}

// Front is what the host has for the instance, nil without a host.
func (i *Instance) Front() Front { return i.front }

// Go runs a part of the host's front until the instance ends: ctx ends then, and the end waits
// until do returns.
func (i *Instance) Go(do func(ctx context.Context)) {
	i.running.Go(func() { do(i.ctx) })
}

// close ends the instance and frees everything it took, but its use of the engine.
func (i *Instance) close() error {
	i.end()
	var err error
	if i.front != nil {
		err = i.front.Close()
	}
	i.pacer.end()
	if i.keeper != nil && i.keeper.complete() {
		err = errors.Join(err, i.keeper.keepLast(i.node))
	}
	bug := i.node.Bug()
	if closed := i.node.Close(); bug == nil { // a bug was said when it happened
		err = errors.Join(err, closed)
	}
	i.running.Wait()
	i.snapshots.close()
	if i.keeper != nil {
		err = errors.Join(err, i.keeper.close())
	}
	i.memory.Close()
	return err
}
