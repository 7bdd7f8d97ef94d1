package driver

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/replica"
)

// Journal keeps the records of a network. The owner of the network calls Record and Rebase, any goroutine Position and
// Sync.
type Journal interface {
	replica.Journal
	// Position returns the number of records.
	Position() uint64
	// Sync returns when the records before a position are on disk, or with ctx's error. After any other error the
	// journal keeps no more records.
	Sync(ctx context.Context, position uint64) error
	// Rebase keeps a network from which the next records continue. It is on disk when Rebase returns.
	Rebase(network *replica.Network) error
}

// Settle returns when everything that happened before the call is on disk, at once if the driver has no journal. If its
// journal fails, a driver stops: its later changes could be lost.
func (d *Driver) Settle(ctx context.Context) error {
	if d.config.Journal == nil {
		return nil
	}
	position := d.config.Journal.Position()
	err := d.sync(ctx, position)
	if err == nil {
		raise(&d.told, position)
	}
	return err
}

// sync returns when the records before a position are on disk.
func (d *Driver) sync(ctx context.Context, position uint64) error {
	err := d.config.Journal.Sync(ctx, position)
	if err != nil && ctx.Err() == nil {
		d.halt(err)
		return d.stopped()
	}
	return err
}

// halt stops the driver because its journal fails.
func (d *Driver) halt(failure error) {
	err := fmt.Errorf("%w, because its journal fails: %w", ErrClosed, failure)
	if d.bug.CompareAndSwap(nil, &err) && d.config.Failed != nil {
		d.config.Failed(err)
	}
	d.close()
}

// rebase keeps the network that replaces the present one.
func (d *Driver) rebase(next *replica.Network) {
	if d.config.Journal == nil {
		return
	}
	if err := d.config.Journal.Rebase(next); err != nil {
		d.halt(err)
	}
}
