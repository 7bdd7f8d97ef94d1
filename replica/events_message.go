package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// emitExecution emits the outcome of a job.
func (s *subnet) emitExecution(j *Job) {
	if s.net.sink == nil {
		return
	}
	e := describe(&s.State, j)
	e.Kind, e.Reject = MessageExecuted, j.outcome.Failure
	switch {
	case !j.runs():
		e.Kind, e.Reject = MessageDropped, j.refused
		s.net.emit(e)
		return
	case j.Install != nil:
		e.Kind = CodeInstalled
	}
	out, usage := &j.outcome, j.Entry.Canister.MemoryUsage()
	e.Instructions, e.Cycles = out.Instructions, j.Prepaid.Sub(charging.Unused(&s.State, j.Execution, out.Instructions))
	e.DirtyPages, e.Heap, e.Stable = out.DirtyPages, usage.Heap, usage.Stable
	e.CleanupRan, e.Logs, e.Wall = out.Cleaned, out.Logs, j.wall
	s.net.emit(e)
	s.noteLogs(j, &e)
	if out.Failure != nil {
		e.Kind, e.Text, e.Lines, e.Callers = Trapped, out.Backtrace, out.Lines, s.callers(j.Context)
		s.net.emit(e)
	}
}

// noteLogs emits the lines that a message has logged, as far as the log has room for them.
func (s *subnet) noteLogs(j *Job, of *Event) {
	log := &j.Entry.Canister.Logs
	for i := max(0, log.Len()-of.Logs); i < log.Len(); i++ {
		record := log.At(i)
		s.net.emit(Event{
			Kind: Logged, Subnet: s.ID, Canister: of.Canister, Request: of.Request, Context: of.Context, Origin: of.Origin,
			Method: of.Method, Number: record.Index, Text: string(record.Content),
		})
	}
}

// describe returns an event that describes the message of a job.
func describe(s *state.State, j *Job) Event {
	e := Event{
		Subnet: s.ID, Canister: j.Entry.ID(), Source: j.In.Source, Task: j.In.Task, Entry: j.Message.Context,
		Context: j.Context, Call: j.In.Call, Method: j.Message.Method, Began: j.Began,
	}
	describeContext(s, &e)
	switch {
	case j.Install != nil:
		describeInstall(s, &e, j.Install.Call)
	case j.In.Source == intercanister.SourceIngress:
		record := s.History.At(j.In.Ingress)
		e.Request, e.Method = record.ID, record.Method
	case j.In.Source == intercanister.SourceRequests:
		q := &j.In.Request
		e.Peer, e.Method, e.Call = q.Sender, q.Method, q.Call
	case j.In.Source == intercanister.SourceResponses:
		if f := s.Calls.Future(j.In.Call); f != nil {
			e.Peer = f.Callee
		}
	}
	return e
}

// describeInstall adds the caller of an installation.
func describeInstall(s *state.State, e *Event, c *state.ManagementCall) {
	e.Entry, e.Method = canister.Init, c.Method
	e.Origin = Origin{Kind: c.Origin.Kind, Caller: c.Caller, Call: c.Origin.Call}
	switch c.Origin.Kind {
	case intercanister.FromIngress:
		e.Source, e.Request = intercanister.SourceIngress, s.History.At(c.Origin.Ingress).ID
	case intercanister.FromCanister:
		e.Source, e.Peer, e.Call = intercanister.SourceRequests, c.Caller, c.Origin.Call
	}
}

// describeContext adds a context: its caller and the method that was called.
func describeContext(s *state.State, e *Event) {
	context := s.Calls.Context(e.Context)
	if context == nil {
		return
	}
	e.Origin = Origin{Kind: context.Origin.Kind, Caller: context.Origin.Caller, Call: context.Origin.Call}
	if e.Method == "" {
		e.Method = context.Method
	}
	if e.Task == intercanister.NoTask {
		e.Task = context.Origin.Task
	}
	e.Request = openedBy(s, context)
}

// openedBy returns the ingress message that opened a context. Another message may have its number after its answer was
// pruned.
func openedBy(s *state.State, context *intercanister.Context) (id RequestID) {
	if context.Origin.Kind != intercanister.FromIngress || context.Responded && s.Time >= context.Opened+state.KeepAnswer {
		return id
	}
	return s.History.At(context.Origin.Ingress).ID
}

// noteCall emits a call that a message has made.
func (s *subnet) noteCall(q *intercanister.Request, context intercanister.ContextID) {
	if s.net.sink == nil {
		return
	}
	e := Event{
		Kind: CallRegistered, Subnet: s.ID, Canister: q.Sender, Peer: q.Receiver, Context: context, Call: q.Call,
		Method: q.Method, Reentrant: s.reenters(context, q.Receiver), Cycles: q.Cycles, Deadline: q.Deadline, Bytes: len(q.Payload), Payload: q.Payload,
	}
	describeContext(&s.State, &e)
	s.net.emit(e)
}

// noteSettled emits the answer to a call.
func (s *subnet) noteSettled(call intercanister.CallID, f *intercanister.Future, response *intercanister.Response) {
	if s.net.sink == nil {
		return
	}
	e := Event{
		Kind: CallSettled, Subnet: s.ID, Canister: f.Owner, Peer: f.Callee, Context: f.Context, Call: call,
		Reject: response.Reject, Cycles: response.Refund, Deadline: f.Deadline, Bytes: response.PayloadBytes(), Payload: response.Reply,
	}
	describeContext(&s.State, &e)
	s.net.emit(e)
}

// noteLate emits a response that came after its caller stopped waiting.
func (s *subnet) noteLate(owner principal.Principal, call intercanister.CallID, response *intercanister.Response) {
	if s.net.sink == nil {
		return
	}
	s.net.emit(Event{
		Kind: ResponseLate, Subnet: s.ID, Canister: owner, Call: call,
		Reject: response.Reject, Cycles: response.Refund, Bytes: response.PayloadBytes(), Payload: response.Reply,
	})
}
