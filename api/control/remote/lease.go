package remote

import (
	"context"

	controlv1 "github.com/canisterd/canisterd/proto/control/v1"
)

// Lease binds instances to this process: they are deleted when it is released, when the connection breaks, and when the
// process dies.
type Lease struct {
	id     string
	cancel context.CancelFunc
	lost   chan struct{}
}

// HoldLease takes a lease, which lasts until ctx ends or it is released.
func (d *Daemon) HoldLease(ctx context.Context) (*Lease, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := d.Instances.HoldLease(ctx, &controlv1.HoldLeaseRequest{})
	if err != nil {
		cancel()
		return nil, err
	}
	first, err := stream.Recv()
	if err != nil {
		cancel()
		return nil, err
	}
	l := &Lease{id: first.GetLease(), cancel: cancel, lost: make(chan struct{})}
	go func() {
		defer close(l.lost)
		for {
			if _, err := stream.Recv(); err != nil {
				return
			}
		}
	}()
	return l, nil
}

// ID returns the lease for the fields "lease" of requests.
func (l *Lease) ID() string { return l.id }

// Lost returns a channel that is closed when the lease has ended.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Release ends the lease. It returns when the stream has ended; the daemon deletes the instances then.
func (l *Lease) Release() {
	l.cancel()
	<-l.lost
}
