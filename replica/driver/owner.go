package driver

import (
	"context"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/internal/contain"
	"github.com/canisterd/canisterd/replica"
)

// request is work that the owner does for another goroutine.
type request struct {
	do, then func(*Driver) // then as that of inline
	done     chan struct{}
}

// own is the driver's goroutine. It owns the network while there is work that callers do not do inline: requests in the
// inbox, and consecutive rounds. While it waits, its stack should fit the 2 KiB that a goroutine begins with: an idle
// instance has little else.
func (d *Driver) own() {
	held := false
	defer func() {
		d.fail(recover())
		d.end(held)
	}()
	for {
		first, open := d.awaitWork()
		if !open {
			return
		}
		d.owner.Lock()
		held = true
		if !d.work(first) {
			return
		}
		held = false
		d.owner.Unlock()
	}
}

// awaitWork returns when there is work, with its first request if there is one. It returns false when the driver closes.
func (d *Driver) awaitWork() (first *request, open bool) {
	select {
	case <-d.closing:
		return nil, false
	case first = <-d.waiting():
		return first, true
	case <-d.wake:
		return nil, true
	}
}

// end frees everything when the driver's goroutine ends. held says whether it owns the network.
func (d *Driver) end(held bool) {
	if !held {
		d.owner.Lock() // never unlocked: from here on the network cannot be owned
	}
	d.recorder.close()
	d.compiler.running.Wait()
	d.generation.queries.Wait() // they read canisters' memories
	d.contained(d.network.Close)
	d.retiring.Wait()
	d.contained(d.pool.Close)
	close(d.ended)
}

// contained runs a function that frees something. A panic in it stops the driver, if nothing has before.
func (d *Driver) contained(do func()) { contain.Do(do, d.Fail) }

// fail stops the driver with what a panic was about, nil for none.
func (d *Driver) fail(panicked any) {
	if err := contain.Recovered(panicked); err != nil {
		d.Fail(err)
	}
	d.close()
}

// Fail stops the driver with the error of package contain, a bug or a damaged page file, of a goroutine that worked for
// it. The driver keeps the first such error.
func (d *Driver) Fail(cause error) {
	err := fmt.Errorf("%w: %w", ErrClosed, cause)
	if damaged := contain.DamageIn(cause); damaged != nil {
		err = fmt.Errorf("%w, because its state directory %q is damaged: %s: %w; stop the daemon, then canisterd state repair", ErrClosed, damaged.Folder, damaged.File, damaged.Err)
	} else if bug, ok := errors.AsType[*contain.Bug](cause); ok {
		err = fmt.Errorf("%w by a bug: %v\n%s", ErrClosed, bug.Panic, bug.Stack)
	}
	if d.bug.CompareAndSwap(nil, &err) && d.config.Failed != nil {
		d.config.Failed(err)
	}
	d.close()
}

// work handles the requests in the inbox and runs rounds until there is nothing to do. It returns false when the driver
// closes.
func (d *Driver) work(first *request) bool {
	if first != nil {
		d.answer(first)
	}
	for {
		if !d.serve() {
			return false
		}
		if d.pressing = d.busy(); !d.pressing {
			return true
		}
		d.round()
	}
}

// busy reports whether the next round is due.
func (d *Driver) busy() bool {
	return d.mode == Auto && d.ready() && (d.compiler.delaying() || d.network.HasRunnableWork())
}

// serve handles the requests in the inbox, at most MaxBatch. It returns false when the driver closes.
func (d *Driver) serve() bool {
	for range MaxBatch {
		select {
		case <-d.closing:
			return false
		case r := <-d.waiting():
			d.answer(r)
		default:
			return true
		}
	}
	return true
}

// answer handles a request, and wakes its caller.
func (d *Driver) answer(r *request) {
	d.turns++
	d.handOvers++
	r.do(d)
	d.happened()
	if r.then != nil {
		r.then(d)
	}
	r.done <- struct{}{}
}

// inline runs a function on the caller's goroutine, and the following round, if the network is idle and the inbox
// empty: handing it to another goroutine and back costs more than most messages. At the end of the turn it runs then,
// which changes nothing of the network, unless it is nil. The driver's goroutine runs further rounds. done is false if
// the caller must send a request.
func (d *Driver) inline(do, then func(*Driver)) (done bool, err error) {
	if len(d.waiting()) > 0 || !d.owner.TryLock() {
		return false, nil
	}
	defer func() {
		if r := recover(); r != nil {
			d.fail(r)
			done, err = true, d.stopped()
		}
		d.owner.Unlock()
	}()
	select {
	case <-d.closing:
		return false, nil
	default:
	}
	d.turns++
	do(d)
	d.happened()
	busy := d.busy()
	if busy && !d.pressing {
		d.round()
		busy = d.busy()
	}
	if then != nil {
		then(d)
	}
	if d.pressing = busy; busy {
		d.poke()
	}
	return true, nil
}

// poke wakes the driver's goroutine.
func (d *Driver) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// waiting returns the inbox. It is nil, which blocks forever, until the first request has to wait.
func (d *Driver) waiting() chan *request {
	if box := d.inbox.Load(); box != nil {
		return *box
	}
	return nil
}

// box returns the inbox for a request that has to wait. It is half of the memory of an idle instance, so the first such
// request makes it, and wakes the driver's goroutine to receive from it.
func (d *Driver) box() chan *request {
	if box := d.waiting(); box != nil {
		return box
	}
	if box := make(chan *request, MaxInbox); d.inbox.CompareAndSwap(nil, &box) {
		d.poke()
	}
	return d.waiting()
}

// Do runs a function that owns the network during the call, and then returns. If ctx ends before the function begins,
// it may run later or never, so it must not use what its caller then frees.
func (d *Driver) Do(ctx context.Context, do func(*replica.Network)) error {
	return d.ask(ctx, func(d *Driver) { do(d.network) })
}

// Ask is Do for a function with a result.
func Ask[T any](ctx context.Context, d *Driver, do func(*replica.Network) T) (T, error) {
	return resultOf(ctx, d.Do, do)
}

// resultOf runs a function as Do or Read does, and returns its result.
func resultOf[T any](ctx context.Context, run func(context.Context, func(*replica.Network)) error, do func(*replica.Network) T) (T, error) {
	result := make(chan T, 1)
	if err := run(ctx, func(network *replica.Network) { result <- do(network) }); err != nil {
		var none T
		return none, err
	}
	return <-result, nil
}

// ask runs a function as the owner, and returns when its effects are settled.
func (d *Driver) ask(ctx context.Context, do func(*Driver)) error {
	if err := d.askUnsettled(ctx, do); err != nil {
		return err
	}
	return d.Settle(ctx)
}

// askUnsettled is ask for effects that are not reported to a client: a crash may undo them.
func (d *Driver) askUnsettled(ctx context.Context, do func(*Driver)) error {
	if done, err := d.inline(do, nil); done {
		return err
	}
	r, err := d.send(ctx, do)
	if err != nil {
		return err
	}
	return d.wait(ctx, r)
}

// tell runs a function whose caller is gone. It ignores the error of a closed driver: then there is nothing to do.
func (d *Driver) tell(do func(*Driver)) { _ = d.askUnsettled(context.Background(), do) }

// send puts a request into the inbox. After an error it is not there.
func (d *Driver) send(ctx context.Context, do func(*Driver)) (*request, error) {
	r := d.recycled.request()
	r.do = do
	select {
	case d.box() <- r:
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-d.closing:
		return nil, d.stopped()
	}
}

// wait waits for the end of a request.
func (d *Driver) wait(ctx context.Context, r *request) error {
	select {
	case <-r.done:
		d.recycled.putRequest(r)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-d.closing:
		return d.stopped()
	}
}

// stopped returns the reason why the driver is closed.
func (d *Driver) stopped() error {
	if bug := d.failure(); bug != nil {
		return bug
	}
	return ErrClosed
}
