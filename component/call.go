package component

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Call is a call of an exported function that may wait.
type Call struct {
	subtask
	instance *Instance
	entered  []*instanceState
	args     []any
	result   any
}

// ErrCancelled is the result of a call that ended because its caller cancelled it.
var ErrCancelled = errors.New("the call was cancelled")

// ErrBlocked is the error of a wait that only the caller can end: with the other end of a stream or future.
var ErrBlocked = errors.New("the component waits for a stream or future of its host")

// Start begins a call of an exported function and runs it until it returns or waits. Arguments and names are those of
// [Instance.Call].
func (i *Instance) Start(ctx context.Context, name string, args ...any) (*Call, error) {
	f, err := i.function(name)
	if err != nil {
		return nil, err
	}
	if err := checkArguments(name, f.typ, args); err != nil {
		return nil, err
	}
	c := &Call{instance: i, args: args, entered: i.state.around}
	if f.lifted != nil {
		c.entered = f.lifted.instance.around
	}
	c.values = &subValues{call: c}
	err = i.host.run(ctx, func() { f.call(&c.subtask, c.entered) })
	return c, err
}

// Wait runs the instance until the call returns, and gives its result. It waits for functions of the host that finish
// later. If the context ends first, the call is cancelled ([Call.Cancel]) and the error is that of the context, unless the
// call returned a result nevertheless. The error of a call that traps is a [*Trap].
func (c *Call) Wait(ctx context.Context) (result any, err error) {
	err = c.instance.host.runUntil(ctx, c.resolved)
	if err != nil && err == ctx.Err() {
		if fault := c.cancelBriefly(context.WithoutCancel(ctx)); fault != nil {
			return nil, fault
		}
	}
	switch {
	case c.state == subtaskReturned:
		return c.result, nil
	case err != nil:
		return nil, err
	}
	return nil, ErrCancelled
}

// cancelBriefly cancels the call and lets as many threads run as most functions need to end.
func (c *Call) cancelBriefly(ctx context.Context) error {
	err := c.requestCancel(ctx)
	for n, more := 0, true; n < maxCancelSteps && err == nil && more && !c.resolved(); n++ {
		err = c.instance.host.run(ctx, func() { more = c.instance.host.step() })
	}
	return err
}

func (c *Call) requestCancel(ctx context.Context) error {
	if c.resolved() || c.cancelling {
		return nil
	}
	return c.instance.host.run(ctx, func() { c.cancel(c.entered) })
}

// Cancel asks the component to end the call, and runs the instance until nothing of it is ready. A call that waits to start
// ends at once. Others may return, end without a result, or go on.
func (c *Call) Cancel(ctx context.Context) error {
	if err := c.requestCancel(ctx); err != nil {
		return err
	}
	return c.instance.Settle(ctx)
}

// Done says whether the call returned or was cancelled.
func (c *Call) Done() bool { return c.resolved() }

// Settle runs the instance until nothing of it is ready, or the context ends: then each call has returned or waits.
func (i *Instance) Settle(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		more := false
		if err := i.host.run(ctx, func() { more = i.host.step() }); err != nil || !more {
			return err
		}
	}
}

// run calls into the instance, which is dead if that traps.
func (h *host) run(ctx context.Context, call func()) (err error) {
	if h.dead {
		return &Trap{Reason: "cannot enter component instance: a call runs in it, or trapped"}
	}
	h.dead, h.busy, h.ctx = true, true, h.within(ctx)
	defer func() {
		h.busy = false
		if err = h.memory.explain(err); err != nil {
			h.endThreads()
		}
	}()
	defer trapped(&err)
	call()
	h.dead = false
	return nil
}

// apply does something that runs no core code, while the instance runs or not.
func (h *host) apply(do func()) (err error) {
	defer trapped(&err)
	do()
	return nil
}

// runUntil runs the instance until a condition holds.
func (h *host) runUntil(ctx context.Context, done func() bool) error {
	for !done() {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress := false
		err := h.run(ctx, func() {
			progress = h.step()
			if !progress && h.inbox.outstanding == 0 && h.openEnds == 0 {
				trap("deadlock detected: event loop cannot make further progress")
			}
		})
		switch {
		case err != nil:
			return err
		case progress:
			continue
		case h.inbox.outstanding == 0:
			return ErrBlocked
		case h.onIdle != nil && h.onIdle():
			continue
		}
		if err := h.inbox.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// WithIdle makes a wait call a function of the host before it blocks: nothing of the instance is ready, and functions of the
// host have not finished. The function may finish some of them, and says whether it did. A host with a clock of its own
// advances it there.
func WithIdle(idle func() bool) InstanceOption { return func(h *host) { h.onIdle = idle } }

// step does what functions of the host finished, and resumes a thread. It says whether there was something to do.
func (h *host) step() bool {
	finished := h.inbox.takeAll()
	for _, c := range finished {
		c.deliver()
	}
	th := h.pick(nil)
	if th == nil {
		return len(finished) > 0
	}
	around := th.instance().around
	enter(around)
	h.resume(th, false)
	leave(around)
	return true
}

// AsyncFunc is a function that the host supplies to a component, and that may finish later. It must not block: it begins
// what takes time, and its completion may be used then, by any goroutine. The context is cancelled if the component cancels
// the call, and when the instance ends. After that the call may still return its result, or end without one
// ([Completion.Cancelled]).
type AsyncFunc func(ctx context.Context, args []any, completion *Completion)

// Completion ends a call of an [AsyncFunc]. One of its methods must be called once, by any goroutine.
type Completion struct {
	subtask *subtask
	host    *host
	name    string
	typ     *funcType
	bytes   uint64 // of the memory budget, until it is delivered
	cancel  func()
	once    sync.Once
	result  any
	err     error
}

// Return ends the call with its result, a value of its type; nil if it has none.
func (c *Completion) Return(result any) { c.finish(result, nil) }

// Fail ends the call with an error, which traps.
func (c *Completion) Fail(err error) { c.finish(nil, err) }

// Cancelled ends the call without a result, after the component cancelled it.
func (c *Completion) Cancelled() { c.finish(nil, ErrCancelled) }

func (c *Completion) finish(result any, err error) {
	first := false
	c.once.Do(func() { first = true })
	if !first {
		panic(fmt.Errorf("the call of %s was completed twice", c.name))
	}
	c.result, c.err = result, err
	c.host.inbox.add(c)
}

func (c *Completion) requestCancel() { c.cancel() }

// charge counts the call with its arguments, which the host may keep until it ends.
func (c *Completion) charge(arguments uint64) {
	c.bytes = completionBytes + arguments
	c.host.memory.charge(c.bytes, "a call of "+c.name)
}

// deliver resolves the call.
func (c *Completion) deliver() {
	c.cancel()
	c.host.memory.release(c.bytes)
	switch {
	case errors.Is(c.err, ErrCancelled) && c.subtask.cancelling:
		c.subtask.resolveCancelled()
	case c.err != nil:
		panic(&Trap{Reason: reason("%s: %v", c.name, c.err), cause: c.err})
	default:
		checkResult(c.name, c.typ, c.result)
		c.subtask.resolve(c.result)
	}
}

// inbox has the completions of functions of the host, in the order in which they came.
type inbox struct {
	outstanding int        // calls that did not finish
	mutex       sync.Mutex // guards finished
	finished    []*Completion
	arrived     chan struct{}
}

func (b *inbox) add(c *Completion) {
	b.mutex.Lock()
	b.finished = append(b.finished, c)
	b.mutex.Unlock()
	select {
	case b.arrived <- struct{}{}:
	default:
	}
}

func (b *inbox) takeAll() []*Completion {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	finished := b.finished
	b.finished = nil
	b.outstanding -= len(finished)
	return finished
}

// wait waits until a completion came.
func (b *inbox) wait(ctx context.Context) error {
	select {
	case <-b.arrived:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// asyncHostFunction makes a component function of a function of the host that may finish later.
func asyncHostFunction(name string, typ *funcType, f AsyncFunc) *function {
	return &function{typ: typ, host: func(s *subtask) {
		h := s.host()
		ctx, cancel := context.WithCancel(context.WithoutCancel(h.ctx))
		stop := context.AfterFunc(h.life, cancel)
		c := &Completion{subtask: s, host: h, name: name, typ: typ, cancel: func() { stop(); cancel() }}
		s.values.completion = c
		h.inbox.outstanding++
		f(ctx, s.start(), c)
	}}
}

// hostFunction makes a component function of a function of the host.
func hostFunction(name string, typ *funcType, f Func) *function {
	return &function{typ: typ, host: func(s *subtask) {
		result, err := f(s.host().ctx, s.start())
		if err != nil {
			panic(&Trap{Reason: reason("%s: %v", name, err), cause: err})
		}
		checkResult(name, typ, result)
		s.resolve(result)
	}}
}

func checkResult(name string, typ *funcType, result any) {
	fault := ""
	if typ.result != nil {
		fault = mismatchOf(result, typ.result)
	} else if result != nil {
		fault = "the function has no result"
	}
	if fault != "" {
		trap("the result of %s: %s", name, fault)
	}
}

func checkArguments(name string, typ *funcType, args []any) error {
	if len(args) != len(typ.params) {
		return refusal("%s has %d parameters, found %d arguments", name, len(typ.params), len(args))
	}
	for n, p := range typ.params {
		if fault := mismatchOf(args[n], p.typ); fault != "" {
			return refusal("argument %s of %s: %s", p.name, name, fault)
		}
	}
	return nil
}
