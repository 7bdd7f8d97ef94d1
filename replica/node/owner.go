package node

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica"
)

// request is work that the owner does for another goroutine.
type request struct {
	do   func(*Node)
	done chan struct{}
}

var requests = sync.Pool{New: func() any { return &request{done: make(chan struct{}, 1)} }}

// own is the node's goroutine. It owns the network whenever there is work that
// no caller did at once (inline): what waits in the inbox, and rounds that
// follow one another.
func (n *Node) own() {
	held := false
	defer close(n.ended)
	defer n.pool.Close()
	defer n.retiring.Wait()
	defer func() { n.network.Close() }()
	defer func() { n.generation.queries.Wait() }() // they read canisters' memories
	defer n.compiler.running.Wait()
	defer func() {
		n.fail(recover())
		if !held {
			n.owner.Lock() // for good: from here on the network cannot be owned
		}
		n.recorder.close()
	}()
	for {
		var first *request
		select {
		case <-n.closing:
			return
		case first = <-n.waiting():
		case <-n.wake:
		}
		n.owner.Lock()
		held = true
		if !n.work(first) {
			return
		}
		held = false
		n.owner.Unlock()
	}
}

// fail stops the node; where a bug or a damaged page file is the reason, it is kept.
func (n *Node) fail(bug any) {
	if bug != nil {
		err := damage(bug)
		if err == nil {
			err = fmt.Errorf("%w by a bug: %v\n%s", ErrClosed, bug, debug.Stack())
		}
		if n.bug.CompareAndSwap(nil, &err) && n.config.Failed != nil {
			n.config.Failed(err)
		}
	}
	n.close()
}

// damage is the error of a panic for a page file that is damaged, nil for a bug.
func damage(panicked any) error {
	err, _ := panicked.(error)
	if damaged, ok := errors.AsType[*canister.DamagedPages](err); ok {
		return fmt.Errorf("%w, because its state directory %q is damaged: %s: %w; stop the daemon, then canisterd state repair", ErrClosed, damaged.Folder, damaged.File, damaged.Err)
	}
	return nil
}

// work takes what waits and runs rounds until there is nothing to do. It is
// false when the node closes.
func (n *Node) work(first *request) bool {
	if first != nil {
		n.answer(first)
	}
	for {
		if !n.serve() {
			return false
		}
		if n.pressing = n.busy(); !n.pressing {
			return true
		}
		n.round()
	}
}

// busy reports whether the next round is due.
func (n *Node) busy() bool { return n.mode == Auto && n.network.Activity().Pressing }

// serve takes what waits in the inbox, at most a batch. It is false when the
// node closes.
func (n *Node) serve() bool {
	for range MaxBatch {
		select {
		case <-n.closing:
			return false
		case r := <-n.waiting():
			n.answer(r)
		default:
			return true
		}
	}
	return true
}

func (n *Node) answer(r *request) {
	r.do(n)
	n.happened()
	r.done <- struct{}{}
}

// inline does something on the caller's goroutine, with the round that follows from it, if the network is idle and has
// no waiters: handing it to another goroutine and back costs more than most messages. The node's goroutine does what is
// left after one round. done is false if the caller must ask.
func (n *Node) inline(do func(*Node)) (done bool, err error) {
	if len(n.waiting()) > 0 || !n.owner.TryLock() {
		return false, nil
	}
	defer func() {
		if r := recover(); r != nil {
			n.fail(r)
			done, err = true, n.stopped()
		}
		n.owner.Unlock()
	}()
	select {
	case <-n.closing:
		return false, nil
	default:
	}
	do(n)
	n.happened()
	busy := n.busy()
	if busy && !n.pressing {
		n.round()
		busy = n.busy()
	}
	if n.pressing = busy; busy {
		n.poke()
	}
	return true, nil
}

// poke makes the node's goroutine look.
func (n *Node) poke() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// waiting is the inbox: requests that wait for the owner. It is nil, which blocks for ever, until the first request had
// to wait.
func (n *Node) waiting() chan *request {
	if box := n.inbox.Load(); box != nil {
		return *box
	}
	return nil
}

// box is the inbox for a request that has to wait. It takes half of the memory of an idle instance, so the first such
// request makes it, and tells the node's goroutine.
func (n *Node) box() chan *request {
	if box := n.waiting(); box != nil {
		return box
	}
	if box := make(chan *request, MaxInbox); n.inbox.CompareAndSwap(nil, &box) {
		n.poke()
	}
	return n.waiting()
}

// Do runs a function that owns the network meanwhile, and returns when it has
// run. Where ctx ends before it began, it may run later or never; the function
// must not touch what its caller gave up then.
func (n *Node) Do(ctx context.Context, do func(*replica.Network)) error {
	return n.ask(ctx, func(n *Node) { do(n.network) })
}

// ask has the owner do something, and returns when what it did is settled.
func (n *Node) ask(ctx context.Context, do func(*Node)) error {
	if err := n.askUnsettled(ctx, do); err != nil {
		return err
	}
	return n.Settle(ctx)
}

// askUnsettled is ask for those who tell no caller what was done: a crash may undo it.
func (n *Node) askUnsettled(ctx context.Context, do func(*Node)) error {
	if done, err := n.inline(do); done {
		return err
	}
	r, err := n.send(ctx, do)
	if err != nil {
		return err
	}
	return n.wait(ctx, r)
}

// tell asks for something whose caller has gone: where the node is closed by
// then there is nothing left to do it to.
func (n *Node) tell(do func(*Node)) { _ = n.askUnsettled(context.Background(), do) }

// send puts a request into the inbox. After an error it is not there.
func (n *Node) send(ctx context.Context, do func(*Node)) (*request, error) {
	r := requests.Get().(*request)
	r.do = do
	select {
	case n.box() <- r:
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-n.closing:
		return nil, n.stopped()
	}
}

func (n *Node) wait(ctx context.Context, r *request) error {
	select {
	case <-r.done:
		r.do = nil
		requests.Put(r)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-n.closing:
		return n.stopped()
	}
}

func (n *Node) stopped() error {
	if bug := n.failure(); bug != nil {
		return bug
	}
	return ErrClosed
}
