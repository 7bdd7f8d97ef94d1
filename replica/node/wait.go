package node

import (
	"context"
	"fmt"
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// waitKey is an ingress message of a subnet.
type waitKey = replica.RequestID

// waiter is a caller of Await. Waiters are recycled once the owner has released them, with their channel and function:
// most wait for nothing, or for one round.
type waiter struct {
	subnet principal.Principal
	id     replica.RequestID
	ctx    context.Context // of the caller: one that is over is not listed
	done   chan struct{}   // takes one signal: when the answer is there, or will not come
	err    error           // good when it is done
	found  found           // good when the owner has enlisted it
	do     func(*Node)     // enlist
	next   *waiter         // for the same message
}

// found is what the owner knows of a message that a client is to wait for.
type found uint8

const (
	unknown found = iota
	pending
	answered // and shown
)

var waiters = sync.Pool{New: func() any {
	w := &waiter{done: make(chan struct{}, 1)}
	w.do = w.enlist
	return w
}}

// recycle gives back a waiter that no other goroutine has, and whose signal was taken.
func (w *waiter) recycle() {
	*w = waiter{done: w.done, do: w.do}
	waiters.Put(w)
}

// Await returns when the message has its answer and View shows it, or never
// was accepted: then at once, with ErrUnknown, as when its subnet is deleted. Where the node is restored to a state that
// does not know the message, the error is ErrRestored.
func (n *Node) Await(ctx context.Context, subnet principal.Principal, id replica.RequestID) error {
	w := waiters.Get().(*waiter)
	w.subnet, w.id, w.ctx = subnet, id, ctx
	if err := n.askUnsettled(ctx, w.do); err != nil {
		n.strike(w)
		return err
	}
	switch w.found {
	case unknown:
		w.recycle()
		return fmt.Errorf("request %x: %w", id, ErrUnknown)
	case answered:
		w.recycle()
		return n.settleView(ctx)
	case pending:
	}
	select {
	case <-w.done:
		err := w.err
		w.recycle()
		if err == nil {
			err = n.settleView(ctx)
		}
		return err
	case <-ctx.Done():
		n.strike(w)
		return ctx.Err()
	case <-n.ended:
		return n.stopped()
	}
}

// enlist makes a waiter wait for an answer, unless the answer is there or the message is
// unknown.
func (w *waiter) enlist(n *Node) {
	n.winding = true
	status, shown := n.network.IngressShown(w.subnet, w.id)
	switch {
	case status == 0:
		w.found = unknown
	case status.Terminal() && shown:
		w.found = answered
	default:
		w.found = pending
		if w.ctx.Err() == nil {
			w.next = n.waiters[w.id]
			n.waiters[w.id] = w
		}
	}
}

// strike makes a waiter wait no longer. It does not wait for the owner, who may have it until
// then: it is not recycled.
func (n *Node) strike(w *waiter) {
	go n.tell(func(n *Node) { n.keep(w.id, func(o *waiter) bool { return o != w }) })
}

// keep keeps the waiters of a message for which stay is true, and releases the others.
func (n *Node) keep(id replica.RequestID, stay func(*waiter) bool) {
	var kept *waiter
	for w := n.waiters[id]; w != nil; {
		next := w.next // the waiter may recycle it once told
		if stay(w) {
			w.next, kept = kept, w
		}
		w = next
	}
	if kept == nil {
		delete(n.waiters, id)
	} else {
		n.waiters[id] = kept
	}
}

// releaseUnknown releases the waiters of messages of a subnet that was deleted.
func (n *Node) releaseUnknown() {
	for id := range n.waiters {
		n.keep(id, func(w *waiter) bool {
			if n.network.IngressStatus(w.subnet, w.id) != 0 {
				return true
			}
			w.err = fmt.Errorf("request %x: %w", w.id, ErrUnknown)
			w.tell()
			return false
		})
	}
}

// tell tells a waiter that its time has come. Its caller may recycle it from then on.
func (w *waiter) tell() { w.done <- struct{}{} }

func (n *Node) wakeAll(id replica.RequestID) {
	for w := n.waiters[id]; w != nil; {
		next := w.next
		w.tell()
		w = next
	}
	delete(n.waiters, id)
}
