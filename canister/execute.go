package canister

import (
	"fmt"

	"github.com/canisterd/canisterd/canister/internal/wasm"
	"github.com/canisterd/canisterd/intercanister"
)

// Execute runs the message as a transaction on c. On success, the Wasm state, Certified, Timer, Balance (accepted,
// attached, prepaid and burned cycles), Consumed, Logs and Version match the outcome. After a failure, only Logs has
// changed. A query method changes only Balance, Version and Logs. After canister_global_timer, the timer is 0 unless
// the function set it.
//
// A canister without a module fails with IC0537, a method that it does not export with IC0536. For a callback, Execute
// runs the reply or reject closure with 95 % of the limit. If that fails, it runs the cleanup closure with the rest.
// One Outcome describes both.
//
// The caller handles the prepayment: it takes it from the balance before Execute, and computes the refund from
// Outcome.Instructions.
func (c *Canister) Execute(sub *Subnet, m *Message) (out Outcome) {
	c.transact(sub, m, false, &out)
	return out
}

// transact runs a message as a transaction, and sets its outcome. It returns false if the message should be short and is
// not.
func (c *Canister) transact(sub *Subnet, m *Message, short bool, out *Outcome) (ended bool) {
	if c.state == nil {
		out.Failure = moduleNotFound().reject(c.ID)
		return true
	}
	if m.Context == GlobalTimer {
		c.Timer = 0
	}
	ended = c.execute(sub, m, short, out)
	r := c.state.runner
	r.long = !ended || out.Instructions > engineSlice
	if ended {
		c.state.module.countCalls(c.ID, sub, m, out)
		out.Runs = r.runs
		r.printKept()
	}
	r.runs = nil
	r.forget()
	return ended
}

// execute sets the outcome of a message, as transact does.
func (c *Canister) execute(sub *Subnet, m *Message, short bool, out *Outcome) (ended bool) {
	if sub.Volatile {
		c.MakeVolatile()
	}
	r := c.state.loadedRunner()
	entry, missing := r.entry(m)
	if missing != nil {
		out.Failure = missing.reject(c.ID)
		return true
	}
	limit := limitOf(&sub.Limits, m.Context)
	a := attempt{
		context: m.Context, entry: entry, limit: limit, report: limit, slice: sub.Limits.Slice,
		tracked: m.Context.Keeps(), short: short, pause: m.Pause, after: sub.Limits.PauseAfter,
	}
	reserve := uint64(0)
	if entry.Export == "" {
		reserve = limit / 100 * CleanupReservePercent
		a.limit -= reserve
		if m.Exhausted != NotExhausted {
			a.limit, a.starved = 1, true
		}
		if m.Exhausted == CleanupExhaustedToo {
			reserve = 0
		}
	}
	res := r.run(c, &c.Logs, sub, m, &a)
	out.Instructions, out.DirtyPages = res.instructions, res.pages
	if out.Failure = c.overdrawn(m, &res); out.Failure != nil {
		out.Logs = c.forget()
		return true
	}
	c.settle(&res)
	switch {
	case res.failure == nil:
		r.report(&res, out)
	case short && (res.failure == notShort || m.Cleanup != nil): // the cleanup closure may not be short
		r.rollback()
		return false
	case entry.Export == "" && m.Cleanup != nil:
		c.cleanup(sub, m, &a, &res, reserve, out)
	default:
		c.fail(&res, out)
	}
	return true
}

// limitOf returns how many instructions a message of this context may use.
func limitOf(l *Limits, context Context) uint64 {
	switch context {
	case ReplicatedQuery, Query, TransformQuery, CompositeQuery, CompositeReply, CompositeReject:
		return l.Query
	case InspectMessage:
		return l.Inspect
	}
	return l.Message
}

// entry returns the function that a message runs.
func (r *runner) entry(m *Message) (wasm.Entry, *failure) {
	var export string
	kind, name := "update", m.Method
	switch m.Context {
	case Update:
		export = r.module.export(UpdateMethod, m.Method)
	case ReplicatedQuery, Query, TransformQuery:
		kind, export = "query", r.module.export(QueryMethod, m.Method)
	case CompositeQuery:
		kind, export = "composite_query", r.module.export(CompositeQueryMethod, m.Method)
	case ReplyCallback, RejectCallback, CompositeReply, CompositeReject:
		return wasm.Entry{Fn: m.Closure.Fn, Env: m.Closure.Env}, nil
	case InspectMessage, Heartbeat, GlobalTimer, LowMemory:
		kind, name, export = "system", m.Context.Entry(), r.module.function(m.Context)
	default:
		panic(fmt.Sprintf("canister: a message of context %s", m.Context))
	}
	if export == "" {
		return wasm.Entry{}, methodNotFound(kind, name)
	}
	return wasm.Entry{Export: export}, nil
}

// Recycle takes back the memory of an outcome of Execute for the next message. Its caller no longer uses the outcome.
func (c *Canister) Recycle(out *Outcome) {
	if c.state != nil && c.state.runner != nil && c.state.runner.x != nil && !c.state.runner.running {
		c.state.runner.x.Recycle(out.Response, out.Calls)
	}
}

// settle commits a message that succeeded. The message fails after all if there is no space for the memories.
func (c *Canister) settle(res *result) {
	if res.failure != nil {
		return
	}
	r := c.state.runner
	x := r.x
	x.Drop()
	if res.counted {
		res.delta = wasm.PageSize * uint64(res.pages+r.stable.Changed())
	}
	if err := c.commit(x.Context); err != nil {
		res.failure = engineFailed(err)
	}
}

// report sets the effects of a message that succeeded.
func (r *runner) report(res *result, out *Outcome) {
	x := r.x
	out.Response, out.Calls = x.Response, x.Calls
	out.Accepted, out.Burned, out.Minted = x.Accepted, x.Burned, x.Minted
	out.Logs, out.HeapDelta = len(x.Logs()), res.delta
}

// commit makes the effects of the execution the canister's state.
func (c *Canister) commit(context Context) error {
	s := c.state
	if context.Keeps() {
		if err := s.commit(); err != nil {
			return err
		}
	} else {
		s.rollback()
	}
	c.adopt(s.runner)
	c.Version++
	c.Logs.add(s.runner.x.Logs(), c.Settings.LogMemoryLimit)
	return nil
}

// commit commits both memories, and returns the size of the heap in bytes. After an error neither is committed, and the
// message is still open.
func (r *runner) commit() (heap uint64, err error) {
	begin := r.module.engine.commitBegins()
	defer r.module.engine.commitEnds(begin)
	if err := r.stable.Prepare(); err != nil {
		return 0, err
	}
	committed, err := r.guest.Commit()
	if err != nil {
		r.stable.Yield()
		return 0, err
	}
	if err := r.stable.Commit(); err != nil {
		panic(fmt.Errorf("canister: the stable memory cannot be committed after the heap was: %w", err))
	}
	return committed.HeapBytes, nil
}

// adopt copies what the execution changed outside the memories.
func (c *Canister) adopt(r *runner) {
	x := r.x
	c.Reserved = x.Reserved
	c.Balance = x.Balance
	c.Consumed.Burned = c.Consumed.Burned.Add(x.Burned)
	c.Consumed.Transmission = c.Consumed.Transmission.Add(x.Sent)
	if x.TimerSet {
		c.Timer = x.Timer
	}
	if x.CertifiedSet {
		c.Certified = x.Certified
	}
}

// fail discards a message that failed, except its logs.
func (c *Canister) fail(res *result, out *Outcome) {
	out.Failure, out.Backtrace, out.Lines = res.failure.reject(c.ID), res.failure.frames(), res.failure.lines
	out.Logs = c.undo(res)
}

// overdrawn returns why a message that was paused is undone although it succeeded: it spent cycles that the canister
// has since come to owe. Callbacks may do so.
func (c *Canister) overdrawn(m *Message, res *result) *intercanister.Reject {
	if m.Debit.IsZero() || res.failure != nil || m.Context == ReplyCallback || m.Context == RejectCallback {
		return nil
	}
	missing, poor := c.state.runner.x.Overdrawn(c.Balance, c.Reserved, m.Debit, c.MessageBytes)
	if !poor {
		return nil
	}
	text := "Canister " + c.ID.String() + " is out of cycles"
	if c.Settings.Controls(m.Caller) {
		text += ": please top up the canister with at least " + missing.Grouped() + " additional cycles"
	}
	return intercanister.Rejectf(intercanister.CanisterOutOfCycles, "%s", text)
}

// forget undoes a message, except its logs.
func (c *Canister) forget() (logs int) {
	s := c.state
	s.runner.x.Drop()
	s.rollback()
	c.Logs.add(s.runner.x.Logs(), c.Settings.LogMemoryLimit)
	return len(s.runner.x.Logs())
}

func (c *Canister) undo(res *result) (logs int) {
	s := c.state
	s.rollback()
	res.failure.log(s.runner.x)
	c.Logs.add(s.runner.x.Logs(), c.Settings.LogMemoryLimit)
	return len(s.runner.x.Logs())
}

// cleanup runs the cleanup closure of a callback that failed, on the state before the callback, with the remaining
// instructions and the reserve.
func (c *Canister) cleanup(sub *Subnet, m *Message, a *attempt, callback *result, reserve uint64, out *Outcome) {
	s := c.state
	logs := c.undo(callback)
	a.context = Cleanup
	a.entry = wasm.Entry{Fn: m.Cleanup.Fn, Env: m.Cleanup.Env}
	a.limit = a.limit - callback.instructions + reserve
	a.starved = m.Exhausted == CleanupExhaustedToo
	res := s.runner.run(c, &c.Logs, sub, m, a)
	out.Instructions, out.DirtyPages = callback.instructions+res.instructions, callback.pages+res.pages
	out.Backtrace, out.Lines = callback.failure.frames(), callback.failure.lines
	c.settle(&res)
	if res.failure != nil {
		out.Logs = logs + c.undo(&res)
		out.Failure = joined(c.ID, callback.failure, res.failure)
		return
	}
	out.HeapDelta = res.delta
	out.Cleaned, out.Burned, out.Logs = true, s.runner.x.Burned, logs+len(s.runner.x.Logs())
	out.Failure = callback.failure.reject(c.ID)
}
