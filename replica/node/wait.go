package node

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// enlist makes a waiter wait for an answer, or wakes it where the answer is
// there. It is false where the message is unknown.
func (n *Node) enlist(ctx context.Context, subnet principal.Principal, id replica.RequestID, w *waiter) bool {
	status := n.network.IngressStatus(subnet, id)
	switch {
	case status == 0:
		return false
	case status.Terminal() && n.network.Shown(subnet, id):
		close(w.done)
	case ctx.Err() == nil:
		n.waiters[id] = append(n.waiters[id], w)
	}
	return true
}

// strike makes a waiter wait no longer. It does not wait for the owner.
func (n *Node) strike(id replica.RequestID, w *waiter) {
	go n.tell(func(n *Node) {
		rest := slices.DeleteFunc(n.waiters[id], func(o *waiter) bool { return o == w })
		if len(rest) == 0 {
			delete(n.waiters, id)
		} else {
			n.waiters[id] = rest
		}
	})
}

func (n *Node) wakeAll(id replica.RequestID) {
	for _, w := range n.waiters[id] {
		close(w.done)
	}
	delete(n.waiters, id)
}

// Subscription is somebody who watches what happens.
type Subscription struct {
	Events  <-chan replica.Event
	Dropped func() uint64 // events a slow watcher has lost
	Cancel  func()
}

type watcher struct {
	events  chan replica.Event
	dropped atomic.Uint64
}

// watchers is the event sink of a node: it copies events to everyone who
// watches and never waits for them.
type watchers struct{ list []*watcher }

// Event passes an event on.
func (w *watchers) Event(e *replica.Event) {
	for _, to := range w.list {
		select {
		case to.events <- *e:
		default:
			to.dropped.Add(1)
		}
	}
}

func (w *watchers) close() {
	for _, to := range w.list {
		close(to.events)
	}
	w.list = nil
}

// Subscribe watches everything that happens from now on. The channel is closed
// when the node closes or the subscription is cancelled.
func (n *Node) Subscribe(ctx context.Context) (*Subscription, error) {
	w := &watcher{events: make(chan replica.Event, MaxEvents)}
	err := n.ask(ctx, func(n *Node) {
		n.watchers.list = append(n.watchers.list, w)
		n.network.Listen(&n.watchers)
	})
	if err != nil {
		n.unsubscribe(w)
		return nil, err
	}
	return &Subscription{Events: w.events, Dropped: w.dropped.Load, Cancel: func() { n.unsubscribe(w) }}, nil
}

func (n *Node) unsubscribe(w *watcher) {
	go n.tell(func(n *Node) {
		if i := slices.Index(n.watchers.list, w); i >= 0 {
			close(w.events)
			n.watchers.list = slices.Delete(n.watchers.list, i, i+1)
		}
		if len(n.watchers.list) == 0 {
			n.network.Listen(nil)
		}
	})
}
