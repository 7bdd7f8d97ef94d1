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
func (s *subnet) finish(j *Job) {
	s.executed++
	s.dirtied += j.outcome.DirtyPages
	j.Entry.EndIsolation()
	if j.runs() && !j.over {
		s.park(j)
		return
	}
	if at := slices.Index(s.paused, j); at >= 0 {
		s.paused = slices.Delete(s.paused, at, at+1)
		s.Unpark(at)
	}
	r := j.Entry
	r.Running, r.Mailbox.Blocked = false, false
	r.ApplyDeferred()
	s.tally.record(j)
	s.emitExecution(j)
	s.recordTrap(j)
	if number, ok := j.ingress(); ok {
		s.History.RecordInstructions(number, j.outcome.Instructions)
	}
	profile := s.beginProfile(j)
	switch {
	case j.Install != nil:
		s.finishInstall(j)
	case j.Callback:
		s.finishCallback(j)
	case j.refused != nil:
		s.finishRefused(j)
	case !j.dropped:
		s.finishCall(j)
	}
	s.endProfile(j, profile)
	s.Change(r, j.outcome.HeapDelta, &s.Limits)
	s.idle(r)
	r.Canister.Recycle(&j.outcome)
	s.release(j)
}

func (s *subnet) park(j *Job) {
	used := s.net.config.SliceInstructions
	j.Pause()
	if j.waits() {
		used = min(used, j.executed)
		s.sleep(j)
	}
	s.RoundInstructions += used
	known := slices.Contains(s.paused, j)
	if !known {
		s.paused = slices.Insert(s.paused, s.Park(j.Execution), j)
	}
	if s.net.sink != nil && (!known || j.waits()) {
		e := describe(&s.State, j)
		e.Kind, e.Deadline = MessageParked, j.Until
		s.net.emit(e)
	}
}

// finishRefused rejects a message that did not run.
func (s *subnet) finishRefused(j *Job) {
	if j.base {
		charging.Refund(&s.State, j.Execution, j.outcome.Instructions)
	}
	switch j.In.Source {
	case intercanister.SourceIngress:
		s.answerIngress(s.History.At(j.In.Ingress), nil, j.refused)
	case intercanister.SourceRequests:
		s.DeclineRequest(j.Entry, &j.In.Request)
		q := &j.In.Request
		s.respond(j.Entry, q.Sender, q.Call, q.Deadline, intercanister.Response{Reject: j.refused, Refund: q.Cycles})
	}
}

// finishCall applies the outcome of a call or task.
func (s *subnet) finishCall(j *Job) {
	charging.Refund(&s.State, j.Execution, j.outcome.Instructions)
	context := s.Calls.Context(j.Context)
	s.apply(j, context)
}

// finishCallback applies the outcome of a callback. One that did not run, because its caller no longer waits or cannot
// pay, only ends its call.
func (s *subnet) finishCallback(j *Job) {
	if j.runs() {
		charging.Refund(&s.State, j.Execution, j.outcome.Instructions)
	} else {
		charging.RefundCallback(&s.State, j.Execution)
	}
	s.Calls.Release(&j.Entry.Mailbox, j.In.Call)
	context := s.Calls.Context(j.Context)
	context.Busy = false
	if !j.runs() {
		s.conclude(j.Entry, context, j.refused)
		return
	}
	s.apply(j, context)
}

// apply commits the effects of a message outside its canister.
func (s *subnet) apply(j *Job, context *intercanister.Context) {
	out := &j.outcome
	s.RoundInstructions += out.Instructions
	context.Instructions += out.Instructions
	s.measure(j, context)
	context.Available = context.Available.Sub(out.Accepted)
	s.Totals.Mint(out.Minted)
	for i := range out.Calls {
		s.call(j, context.ID, &out.Calls[i])
	}
	if context = s.Calls.Context(j.Context); out.Response != nil {
		response := *out.Response
		response.Refund = s.Respond(j.Entry, context)
		s.reply(j.Entry, &context.Origin, response)
	}
	s.conclude(j.Entry, context, out.Failure)
}

// call registers a future for an outgoing call and sends the request.
func (s *subnet) call(j *Job, context intercanister.ContextID, c *canister.Call) {
	r := j.Entry
	id, f := s.Calls.Register(&r.Mailbox, &intercanister.Call{
		Context: context, Owner: r.ID(), Callee: c.Request.Receiver, Method: c.Request.Method,
		Reply: c.Reply, Reject: c.Reject, Cleanup: c.Cleanup, Cycles: c.Request.Cycles,
		Execution: c.Execution, Transmission: c.Transmission, Deadline: c.Request.Deadline,
	})
	if c.Request.Deadline != 0 {
		f.Expiry = s.Deadlines.Add(timers.Deadline{At: state.Expiry(c.Request.Deadline), Kind: timers.CallExpiry, Number: uint64(id)})
	}
	if c.Request.Deadline == 0 {
		s.ReserveMemory(r, 0, intercanister.ResponseReservation)
		s.Shared.Promised += intercanister.ResponseReservation
	}
	c.Request.Call, c.Request.Sender = id, r.ID()
	if len(j.outcome.Runs) > 0 {
		j.calls = append(j.calls, ProfiledCall{CallRef{s.ID, id}, c.Request.Receiver, c.Request.Method})
	}
	s.noteCall(&c.Request, context)
	// The canister's version was increased when its message was committed.
	if reject := s.unsendable(&c.Request, r.Canister.Version-1); reject != nil {
		s.answer(&c.Request, reject)
		return
	}
	s.send(&c.Request)
}

// conclude answers a context that nothing else can answer, and closes it if it has ended.
func (s *subnet) conclude(r *state.Entry, context *intercanister.Context, failure *intercanister.Reject) {
	if context.Starved() {
		reject := failure
		if reject == nil {
			reject = rejectNoReply(context)
		}
		s.reply(r, &context.Origin, intercanister.Response{Reject: reject, Refund: s.Respond(r, context)})
	}
	s.Calls.Close(&r.Mailbox, context)
}

// idle is called whenever a canister has finished a message: it runs what waited for that.
func (s *subnet) idle(r *state.Entry) {
	s.RearmTimer(r)
	s.TouchIfCertified(r)
	s.Recount(r)
	tasks.WatchMemory(s.net.executor, r)
	s.requeue(r.Waiting)
	r.Waiting = nil
	s.finishStopping(r)
	s.Ready.Add(&r.Mailbox)
}
