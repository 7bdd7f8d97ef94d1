package driver

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/canisterd/canisterd/replica"
)

// broadcast wakes every waiter. It costs the owner one load if there are none.
type broadcast struct {
	waited atomic.Bool
	mu     sync.Mutex    // guards next
	next   chan struct{} // closed when something happens; nil without waiters
}

func (b *broadcast) send() {
	if !b.waited.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waited.Store(false)
	close(b.next)
	b.next = nil
}

// wait returns the channel that the next send closes. The owner calls it, so that nothing happens between its look at
// the state and the wait.
func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
		b.waited.Store(true)
	}
	return b.next
}

// askReadOnly is ask for a function that changes nothing: it wakes no waiters.
func (d *Driver) askReadOnly(ctx context.Context, do func(*Driver)) error {
	if err := d.readUnsettled(ctx, do); err != nil {
		return err
	}
	return d.Settle(ctx)
}

// readUnsettled is askReadOnly for callers that report nothing to a client.
func (d *Driver) readUnsettled(ctx context.Context, do func(*Driver)) error {
	return d.askUnsettled(ctx, func(d *Driver) {
		d.readOnly = true
		do(d)
	})
}

// happened wakes the waiters, unless the last request was read-only.
func (d *Driver) happened() {
	d.recorder.wake()
	if d.readOnly {
		d.readOnly = false
		return
	}
	if d.config.Journal != nil && !d.clockOnly {
		d.network.RecordClock()
	}
	d.clockOnly = false
	d.changed.send()
	d.reportActivity()
}

// Until returns when seen is true. seen is called at once and after everything that happens, and owns the network
// during the call; it must not change the network. The error is ctx's, or ErrClosed; then seen may be called again, and
// its results must not be read.
func (d *Driver) Until(ctx context.Context, seen func(*replica.Network) bool) error {
	for {
		waits := make(chan (<-chan struct{}), 1) // nil if it was seen
		err := d.readUnsettled(ctx, func(d *Driver) {
			if seen(d.network) {
				waits <- nil
			} else {
				waits <- d.changed.wait()
			}
		})
		if err != nil {
			return err
		}
		happened := <-waits
		if happened == nil {
			return d.Settle(ctx)
		}
		if err := d.await(ctx, happened); err != nil {
			return err
		}
	}
}

// Await is Until for a function with a result, which it returns with true.
func Await[T any](ctx context.Context, d *Driver, seen func(*replica.Network) (T, bool)) (T, error) {
	result := make(chan T, 1)
	err := d.Until(ctx, func(network *replica.Network) bool {
		found, ok := seen(network)
		if ok {
			result <- found
		}
		return ok
	})
	if err != nil {
		var none T
		return none, err
	}
	return <-result, nil
}

func (d *Driver) await(ctx context.Context, happened <-chan struct{}) error {
	select {
	case <-happened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-d.ended:
		return d.stopped()
	}
}
