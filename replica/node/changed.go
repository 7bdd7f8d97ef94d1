package node

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
func (n *Node) askReadOnly(ctx context.Context, do func(*Node)) error {
	if err := n.readUnsettled(ctx, do); err != nil {
		return err
	}
	return n.Settle(ctx)
}

// readUnsettled is askReadOnly for callers that report nothing to a client.
func (n *Node) readUnsettled(ctx context.Context, do func(*Node)) error {
	return n.askUnsettled(ctx, func(n *Node) {
		n.readOnly = true
		do(n)
	})
}

// happened wakes the waiters, unless the last request was read-only.
func (n *Node) happened() {
	n.recorder.wake()
	if n.readOnly {
		n.readOnly = false
		return
	}
	if n.config.Journal != nil && !n.clockOnly {
		n.network.RecordClock()
	}
	n.clockOnly = false
	n.changed.send()
	n.reportActivity()
}

// Until returns when seen is true. seen is called at once and after everything that happens, and owns the network
// during the call; it must not change the network. The error is ctx's, or ErrClosed; then seen may be called again, and
// its results must not be read.
func (n *Node) Until(ctx context.Context, seen func(*replica.Network) bool) error {
	for {
		waits := make(chan (<-chan struct{}), 1) // nil if it was seen
		err := n.readUnsettled(ctx, func(n *Node) {
			if seen(n.network) {
				waits <- nil
			} else {
				waits <- n.changed.wait()
			}
		})
		if err != nil {
			return err
		}
		happened := <-waits
		if happened == nil {
			return n.Settle(ctx)
		}
		if err := n.await(ctx, happened); err != nil {
			return err
		}
	}
}

// Await is Until for a function with a result, which it returns with true.
func Await[T any](ctx context.Context, n *Node, seen func(*replica.Network) (T, bool)) (T, error) {
	result := make(chan T, 1)
	err := n.Until(ctx, func(network *replica.Network) bool {
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

func (n *Node) await(ctx context.Context, happened <-chan struct{}) error {
	select {
	case <-happened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-n.ended:
		return n.stopped()
	}
}
