package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica"
)

// request is work that the owner does for another goroutine.
type request struct {
	do   func(*Node)
	done chan struct{}
}

// own is the node's goroutine. It owns the network while there is work that callers do not do inline: requests in the
// inbox, and consecutive rounds.
func (n *Node) own() {
	held := false
	defer close(n.ended)
	defer n.contained(n.pool.Close)
	defer n.retiring.Wait()
	defer n.contained(func() { n.network.Close() })
	defer func() { n.generation.queries.Wait() }() // they read canisters' memories
	defer n.compiler.running.Wait()
	defer func() {
		n.fail(recover())
		if !held {
			n.owner.Lock() // never unlocked: from here on the network cannot be owned
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

// contained runs a function that frees something. A panic in it stops the node, if nothing has before.
func (n *Node) contained(do func()) { contain.Do(do, n.Fail) }

// fail stops the node with what a panic was about, nil for none.
func (n *Node) fail(panicked any) {
	if err := contain.Recovered(panicked); err != nil {
		n.Fail(err)
	}
	n.close()
}

// Fail stops the node with the error of package contain, a bug or a damaged page file, of a goroutine that worked for it.
// The node keeps the first such error.
func (n *Node) Fail(cause error) {
	err := fmt.Errorf("%w: %w", ErrClosed, cause)
	if damaged := contain.DamageIn(cause); damaged != nil {
		err = fmt.Errorf("%w, because its state directory %q is damaged: %s: %w; stop the daemon, then canisterd state repair", ErrClosed, damaged.Folder, damaged.File, damaged.Err)
	} else if bug, ok := errors.AsType[*contain.Bug](cause); ok {
		err = fmt.Errorf("%w by a bug: %v\n%s", ErrClosed, bug.Panic, bug.Stack)
	}
	if n.bug.CompareAndSwap(nil, &err) && n.config.Failed != nil {
		n.config.Failed(err)
	}
	n.close()
}

// work handles the requests in the inbox and runs rounds until there is nothing to do. It returns false when the node
// closes.
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
func (n *Node) busy() bool {
	return n.mode == Auto && n.ready() && (n.compiler.delaying() || n.network.Activity().HasRunnableWork)
}

// serve handles the requests in the inbox, at most MaxBatch. It returns false when the node closes.
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

// answer handles a request, and wakes its caller.
func (n *Node) answer(r *request) {
	r.do(n)
	n.happened()
	r.done <- struct{}{}
}

// inline runs a function on the caller's goroutine, and the following round, if the network is idle and the inbox
// empty: handing it to another goroutine and back costs more than most messages. The node's goroutine runs further
// rounds. done is false if the caller must send a request.
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

// poke wakes the node's goroutine.
func (n *Node) poke() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// waiting returns the inbox. It is nil, which blocks forever, until the first request has to wait.
func (n *Node) waiting() chan *request {
	if box := n.inbox.Load(); box != nil {
		return *box
	}
	return nil
}

// box returns the inbox for a request that has to wait. It is half of the memory of an idle instance, so the first such
// request makes it, and wakes the node's goroutine to receive from it.
func (n *Node) box() chan *request {
	if box := n.waiting(); box != nil {
		return box
	}
	if box := make(chan *request, MaxInbox); n.inbox.CompareAndSwap(nil, &box) {
		n.poke()
	}
	return n.waiting()
}

// Do runs a function that owns the network during the call, and then returns. If ctx ends before the function begins,
// it may run later or never, so it must not use what its caller then frees.
func (n *Node) Do(ctx context.Context, do func(*replica.Network)) error {
	return n.ask(ctx, func(n *Node) { do(n.network) })
}

// Ask is Do for a function with a result.
func Ask[T any](ctx context.Context, n *Node, do func(*replica.Network) T) (T, error) {
	result := make(chan T, 1)
	if err := n.Do(ctx, func(network *replica.Network) { result <- do(network) }); err != nil {
		var none T
		return none, err
	}
	return <-result, nil
}

// ask runs a function as the owner, and returns when its effects are settled.
func (n *Node) ask(ctx context.Context, do func(*Node)) error {
	if err := n.askUnsettled(ctx, do); err != nil {
		return err
	}
	return n.Settle(ctx)
}

// askUnsettled is ask for effects that are not reported to a client: a crash may undo them.
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

// tell runs a function whose caller is gone. It ignores the error of a closed node: then there is nothing to do.
func (n *Node) tell(do func(*Node)) { _ = n.askUnsettled(context.Background(), do) }

// send puts a request into the inbox. After an error it is not there.
func (n *Node) send(ctx context.Context, do func(*Node)) (*request, error) {
	r := n.recycled.request()
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

// wait waits for the end of a request.
func (n *Node) wait(ctx context.Context, r *request) error {
	select {
	case <-r.done:
		n.recycled.putRequest(r)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-n.closing:
		return n.stopped()
	}
}

// stopped returns the reason why the node is closed.
func (n *Node) stopped() error {
	if bug := n.failure(); bug != nil {
		return bug
	}
	return ErrClosed
}
