package driver

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/replica"
)

// ErrRestored is the error for callers that wait for the answer to a message, or answer an outcall, that the driver no
// longer knows: it was restored to another state.
var ErrRestored = errors.New("the instance was restored to a state that does not know this request")

// ErrForeign means that a network belongs to another engine than the driver that should run it.
var ErrForeign = errors.New("the network belongs to another engine")

// Snapshot returns a sleeping fork of the driver's network: it costs no goroutine, and no heap until one of the two
// changes it. The caller closes it; it is not safe for concurrent use. The instructions of past queries count in both.
// ctx is checked before the driver's turn, not while waiting for it.
func (d *Driver) Snapshot(ctx context.Context, config replica.ForkConfig) (snapshot *replica.Network, err error) {
	err = d.turnOf(ctx, func(d *Driver) {
		d.countNow()
		snapshot = d.network.Fork(config)
	})
	if err != nil && snapshot != nil {
		snapshot.Close()
		snapshot = nil
	}
	return snapshot, err
}

// turnOf is ask for operations that must not happen after their caller received an error.
func (d *Driver) turnOf(ctx context.Context, do func(*Driver)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := d.ask(context.Background(), do)
	if err != nil {
		<-d.ended
	}
	return err
}

// Fork makes a second driver that continues from the present of this one, with its answers, messages in transit and
// clock. In mode Auto it continues at once, in mode Manual on request. The network of the configuration is ignored.
func (d *Driver) Fork(ctx context.Context, config Config) (*Driver, error) {
	snapshot, err := d.Snapshot(ctx, replica.ForkConfig{})
	if err != nil {
		return nil, err
	}
	return Wake(snapshot, config), nil
}

// Wake makes a driver of a sleeping network, and owns it from then on. The network of the configuration is ignored.
func Wake(network *replica.Network, config Config) *Driver {
	d := prepare(network.Engine(), config)
	d.owner.Lock() // a module may be ready at once
	defer d.owner.Unlock()
	d.network = network
	network.Wake(d.parts())
	d.meterCalls(network)
	d.views.Store(network.Views())
	d.announce()
	if d.busy() {
		d.poke()
	}
	go d.own()
	return d
}

// Restore replaces the driver's network by a fork of a snapshot, which must use the driver's engine and still belongs
// to its owner. The mode stays, the view jumps. Callers that wait for messages which the snapshot does not know get
// ErrRestored. Running queries end on the old state, which is closed after them. Events are numbered from the start, in
// another generation. ctx is as in Snapshot.
func (d *Driver) Restore(ctx context.Context, snapshot *replica.Network) error {
	if snapshot.Engine() != d.engine {
		return fmt.Errorf("restore an instance: %w", ErrForeign)
	}
	next, taken := snapshot.Fork(replica.ForkConfig{}), false
	err := d.turnOf(ctx, func(d *Driver) {
		taken = true
		d.replace(next)
	})
	if !taken {
		next.Close()
	}
	return err
}

// RestoreFrom is Restore to the present of another driver.
func (d *Driver) RestoreFrom(ctx context.Context, other *Driver) error {
	snapshot, err := other.Snapshot(ctx, replica.ForkConfig{})
	if err != nil {
		return err
	}
	defer snapshot.Close()
	return d.Restore(ctx, snapshot)
}

// replace puts another network, which sleeps, in place of the present one.
func (d *Driver) replace(next *replica.Network) {
	old, ended := d.network, d.generation
	d.rebase(next)
	d.compiler.forget()
	next.Wake(d.parts())
	d.recorder.restart()
	if d.profiler != nil {
		next.Profile(d.profiler)
	}
	if d.coverage != nil {
		next.Cover(d.coverage.of)
	}
	d.meterCalls(next)
	d.network, d.generation = next, &generation{number: ended.number + 1}
	if d.config.Restored != nil {
		d.config.Restored(next.Activity().Clock)
	}
	d.outcalls = next.OutcallsMade() + 1 // pending ones are announced in any case
	d.views.Store(next.Views())
	d.show(nil)
	for id := range d.waiters {
		d.keep(id, func(w *waiter) bool { return !d.settleAfterRestore(w) })
	}
	d.retiring.Go(func() {
		ended.queries.Wait()
		d.contained(old.Close)
	})
}

// settleAfterRestore gives a waiting caller the answer that the new network knows. It returns false if the answer is
// still pending.
func (d *Driver) settleAfterRestore(w *waiter) bool {
	switch status, shown := d.network.IngressShown(w.subnet, w.id); {
	case status == 0:
		w.err = fmt.Errorf("request %x: %w", w.id, ErrRestored)
	case !status.Terminal() || !shown:
		return false
	}
	d.signal(w)
	return true
}
