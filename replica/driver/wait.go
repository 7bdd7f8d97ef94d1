package driver

import (
	"context"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica"
)

// waitKey identifies an ingress message of a subnet.
type waitKey = replica.RequestID

// waiter is a caller of Await. Waiters are recycled once the owner has released them, with their channel and function:
// most wait for nothing, or for one round.
type waiter struct {
	subnet principal.Principal
	id     replica.RequestID
	ctx    context.Context       // of the caller; a caller whose context has ended is not listed
	done   chan struct{}         // takes one signal: when the answer is there, or will not come
	err    error                 // valid after done
	reads  bool                  // the caller takes the answer
	answer replica.IngressAnswer // valid after done, or if found is answered, if reads is set and err is nil
	found  found                 // valid after enlist, or after the turn of a submission
	do     func(*Driver)         // enlist
	next   *waiter               // for the same message
}

// found is what the owner knows of a message that a client waits for.
type found uint8

const (
	unknown found = iota
	pending
	answered // and shown
)

// Await returns when the message has its answer and View shows it. If the message was never accepted, or its subnet is
// deleted, it returns at once with ErrUnknown. If the driver is restored to a state that does not know the message, the
// error is ErrRestored.
func (d *Driver) Await(ctx context.Context, subnet principal.Principal, id replica.RequestID) error {
	w := d.recycled.waiter()
	w.subnet, w.id, w.ctx = subnet, id, ctx
	if err := d.askUnsettled(ctx, w.do); err != nil {
		d.strike(w)
		return err
	}
	switch w.found {
	case unknown:
		d.recycled.putWaiter(w)
		return fmt.Errorf("request %x: %w", id, ErrUnknown)
	case answered:
		d.recycled.putWaiter(w)
		return d.settleView(ctx)
	case pending:
	}
	_, err := d.awaitSignal(ctx, w)
	return err
}

// awaitSignal waits for the signal of a waiter that is listed. The waiter must not be used afterwards.
func (d *Driver) awaitSignal(ctx context.Context, w *waiter) (answer replica.IngressAnswer, err error) {
	select {
	case <-w.done: // also if ctx has ended: a caller gets the answer that is there
	default:
		select {
		case <-w.done:
		case <-ctx.Done():
			d.strike(w)
			return answer, ctx.Err()
		case <-d.ended:
			return answer, d.stopped()
		}
	}
	answer, err = w.answer, w.err
	d.recycled.putWaiter(w)
	if err == nil {
		err = d.settleView(ctx)
	}
	return answer, err
}

// enlist makes a waiter wait for an answer, unless the answer is there or the message is unknown.
func (w *waiter) enlist(d *Driver) {
	d.clockOnly = true
	status, shown := d.network.IngressShown(w.subnet, w.id)
	switch {
	case status == 0:
		w.found = unknown
	case status.Terminal() && shown:
		w.found = answered
	default:
		w.found = pending
		w.list(d)
	}
}

// list lists a waiter for its message, unless its caller has left.
func (w *waiter) list(d *Driver) {
	if w.ctx.Err() == nil {
		w.next = d.waiters[w.id]
		d.waiters[w.id] = w
	}
}

// strike ends the wait of a waiter. It does not wait for the owner, who may have it until then: it is not recycled.
func (d *Driver) strike(w *waiter) {
	go d.tell(func(d *Driver) { d.keep(w.id, func(o *waiter) bool { return o != w }) })
}

// keep keeps the waiters of a message for which stay is true, and releases the others.
func (d *Driver) keep(id replica.RequestID, stay func(*waiter) bool) {
	var kept *waiter
	for w := d.waiters[id]; w != nil; {
		next := w.next // the waiter may be recycled after its signal
		if stay(w) {
			w.next, kept = kept, w
		}
		w = next
	}
	if kept == nil {
		delete(d.waiters, id)
	} else {
		d.waiters[id] = kept
	}
}

// releaseUnknown releases the waiters of messages of a deleted subnet.
func (d *Driver) releaseUnknown() {
	for id := range d.waiters {
		d.keep(id, func(w *waiter) bool {
			if d.network.IngressStatus(w.subnet, w.id) != 0 {
				return true
			}
			w.err = fmt.Errorf("request %x: %w", w.id, ErrUnknown)
			d.signal(w)
			return false
		})
	}
}

// signal wakes a waiter, with the answer if its caller takes it. The caller may recycle the waiter from then on.
func (d *Driver) signal(w *waiter) {
	if w.reads && w.err == nil {
		w.answer, _ = d.network.IngressAnswer(w.subnet, w.id)
	}
	w.done <- struct{}{}
}

func (d *Driver) wakeAll(id replica.RequestID) {
	for w := d.waiters[id]; w != nil; {
		next := w.next
		d.signal(w)
		w = next
	}
	delete(d.waiters, id)
}
