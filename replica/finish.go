package replica

import (
	"slices"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/tasks"
	"github.com/canisterd/canisterd/timers"
)

// finish applies the outcome of a job, or parks it if its message has not ended.
func (m *subnet) finish(j *Job) {
	m.executed++
	m.dirtied += j.outcome.DirtyPages
	j.Entry.EndIsolation()
	if j.runs() && !j.over {
		m.park(j)
		return
	}
	if at := slices.Index(m.paused, j); at >= 0 {
		m.paused = slices.Delete(m.paused, at, at+1)
		m.Unpark(at)
	}
	r := j.Entry
	r.Running, r.Mailbox.Blocked = false, false
	r.ApplyDeferred()
	m.tally.record(j)
	m.emitExecution(j)
	m.recordTrap(j)
	if number, ok := j.ingress(); ok {
		m.History.RecordInstructions(number, j.outcome.Instructions)
	}
	switch {
	case j.Install != nil:
		m.finishInstall(j)
	case j.Callback:
		m.finishCallback(j)
	case j.refused != nil:
		m.finishRefused(j)
	case !j.dropped:
		m.finishCall(j)
	}
	m.Change(r, j.outcome.HeapDelta, &m.Limits)
	m.idle(r)
	m.release(j)
}

func (m *subnet) park(j *Job) {
	used := m.net.config.SliceInstructions
	j.Pause()
	if j.waits() {
		used = min(used, j.executed)
		m.sleep(j)
	}
	m.RoundInstructions += used
	known := slices.Contains(m.paused, j)
	if !known {
		m.paused = slices.Insert(m.paused, m.Park(j.Execution), j)
	}
	if m.net.sink != nil && (!known || j.waits()) {
		e := describe(&m.State, j)
		e.Kind, e.Deadline = MessageParked, j.Until
		m.net.emit(e)
	}
}

// finishRefused rejects a message that did not run.
func (m *subnet) finishRefused(j *Job) {
	if j.base {
		charging.Refund(&m.State, j.Execution, j.outcome.Instructions)
	}
	switch j.In.Source {
	case intercanister.SourceIngress:
		m.answerIngress(m.History.At(j.In.Ingress), nil, j.refused)
	case intercanister.SourceRequests:
		m.DeclineRequest(j.Entry, &j.In.Request)
		q := &j.In.Request
		m.respond(j.Entry, q.Sender, q.Call, q.Deadline, intercanister.Response{Reject: j.refused, Refund: q.Cycles})
	}
}

// finishCall applies the outcome of a call or task.
func (m *subnet) finishCall(j *Job) {
	charging.Refund(&m.State, j.Execution, j.outcome.Instructions)
	context := m.Calls.Context(j.Context)
	m.apply(j, context)
}

// finishCallback applies the outcome of a callback. One that did not run, because its caller no longer waits or cannot
// pay, only ends its call.
func (m *subnet) finishCallback(j *Job) {
	if j.runs() {
		charging.Refund(&m.State, j.Execution, j.outcome.Instructions)
	} else {
		charging.RefundCallback(&m.State, j.Execution)
	}
	m.Calls.Release(&j.Entry.Mailbox, j.In.Call)
	context := m.Calls.Context(j.Context)
	context.Busy = false
	if !j.runs() {
		m.conclude(j.Entry, context, j.refused)
		return
	}
	m.apply(j, context)
}

// apply commits the effects of a message outside its canister.
func (m *subnet) apply(j *Job, context *intercanister.Context) {
	out := &j.outcome
	m.RoundInstructions += out.Instructions
	context.Instructions += out.Instructions
	context.Available = context.Available.Sub(out.Accepted)
	m.Totals.Mint(out.Minted)
	for i := range out.Calls {
		m.call(j, context.ID, &out.Calls[i])
	}
	if context = m.Calls.Context(j.Context); out.Response != nil {
		response := *out.Response
		response.Refund = m.Respond(j.Entry, context)
		m.reply(j.Entry, &context.Origin, response)
	}
	m.conclude(j.Entry, context, out.Failure)
}

// call registers a future for an outgoing call and sends the request.
func (m *subnet) call(j *Job, context intercanister.ContextID, c *canister.Call) {
	r := j.Entry
	id, f := m.Calls.Register(&r.Mailbox, &intercanister.Call{
		Context: context, Owner: r.ID(), Callee: c.Request.Receiver, Method: c.Request.Method,
		Reply: c.Reply, Reject: c.Reject, Cleanup: c.Cleanup, Cycles: c.Request.Cycles,
		Execution: c.Execution, Transmission: c.Transmission, Deadline: c.Request.Deadline,
	})
	if c.Request.Deadline != 0 {
		f.Expiry = m.Deadlines.Add(timers.Deadline{At: state.Expiry(c.Request.Deadline), Kind: timers.CallExpiry, Number: uint64(id)})
	}
	if c.Request.Deadline == 0 {
		m.ReserveMemory(r, 0, intercanister.ResponseReservation)
		m.Shared.Promised += intercanister.ResponseReservation
	}
	c.Request.Call, c.Request.Sender = id, r.ID()
	m.noteCall(&c.Request, context)
	// The canister's version was increased when its message was committed.
	if reject := m.unsendable(&c.Request, r.Canister.Version-1); reject != nil {
		m.answer(&c.Request, reject)
		return
	}
	m.send(&c.Request)
}

// conclude answers a context that nothing else can answer, and closes it if it has ended.
func (m *subnet) conclude(r *state.Entry, context *intercanister.Context, failure *intercanister.Reject) {
	if context.Starved() {
		reject := failure
		if reject == nil {
			reject = rejectNoReply(context)
		}
		m.reply(r, &context.Origin, intercanister.Response{Reject: reject, Refund: m.Respond(r, context)})
	}
	m.Calls.Close(&r.Mailbox, context)
}

// idle is called whenever a canister has finished a message: it runs what waited for that.
func (m *subnet) idle(r *state.Entry) {
	m.RearmTimer(r)
	m.TouchIfCertified(r)
	m.Recount(r)
	tasks.WatchMemory(m.net.executor, r)
	m.requeue(r.Waiting)
	r.Waiting = nil
	m.finishStopping(r)
	m.Ready.Add(&r.Mailbox)
}
