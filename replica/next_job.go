package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/tasks"
)

// nextJob dequeues the next message of a canister (or a chosen one) and makes a job from it: checked, prepaid, with an
// open call context. It changes nothing outside the canister, so that all messages of a batch may be taken before any
// of them has run. A canister with a parked message continues it.
func (s *subnet) nextJob(box *intercanister.Mailbox, choice *intercanister.Choice) *Job {
	r := s.Canisters.Get(box.Owner)
	if box.Resume {
		box.Resume = false
		return s.unpark(r)
	}
	j := s.job(r)
	if choice == nil {
		box.Pop(&j.In)
	} else {
		box.PopChoice(*choice, &j.In)
	}
	r.Running, box.Blocked = true, true
	s.Isolate(r)
	switch j.In.Source {
	case intercanister.SourceTasks:
		s.setUpTask(j)
	case intercanister.SourceIngress:
		s.setUpIngress(j)
	case intercanister.SourceRequests:
		s.setUpRequest(j)
	case intercanister.SourceResponses:
		s.setUpCallback(j)
	}
	j.Begin()
	return j
}

func (s *subnet) job(r *state.Entry) *Job {
	var j *Job
	if n := len(s.spare); n > 0 {
		j, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		j = newJob()
	}
	j.subnet, j.Entry, j.Environment, j.Began = s, r, s.Environment, Moment{Height: s.Height, Time: s.Time}
	j.Memory64 = s.net.executor.Memory64(r.Canister)
	return j
}

func newJob() *Job {
	j := &Job{Execution: new(state.Execution)}
	j.room = func(callee principal.Principal) int { return j.Entry.Mailbox.Room(callee) }
	return j
}

// calling sets the limits for calls of a job's message.
func (s *subnet) calling(j *Job) {
	j.Message.Room, j.Message.Callbacks, j.Message.MessageRoom = j.room, s.callbacks(j.Entry), s.messageRoom()
}

// release clears a job and keeps it for the next message.
func (s *subnet) release(j *Job) {
	execution, room := j.Execution, j.room
	*execution = state.Execution{}
	*j = Job{}
	j.Execution, j.room = execution, room
	s.spare = append(s.spare, j)
}

func (s *subnet) unpark(r *state.Entry) *Job {
	for _, j := range s.paused {
		if j.Entry == r {
			j.Message.Debit = r.Debit
			j.Continue()
			return j
		}
	}
	panic("replica: canister " + r.ID().String() + " has no parked message")
}

func (s *subnet) setUpTask(j *Job) {
	r := j.Entry
	if j.In.Task == intercanister.LowMemory {
		r.Hook = state.Executed
	}
	if !tasks.Runs(&s.State, s.net.executor, r, j.In.Task) {
		j.dropped = true
		return
	}
	if charging.Prepay(&s.State, j.Execution, &s.longest, principal.Management) != nil {
		j.dropped = true
		tasks.Retry(&s.State, r, j.In.Task)
		return
	}
	if j.In.Task == intercanister.GlobalTimer {
		s.DisarmTimer(r)
	}
	j.Context = s.Calls.Open(&r.Mailbox, intercanister.Origin{Kind: intercanister.FromSystem, Task: j.In.Task}, cycles.Amount{}, s.Time).ID
	j.Message.Context = tasks.Context(j.In.Task)
	j.Message.Caller = principal.Management
	j.Message.Responded = true
	s.calling(j)
}

func (s *subnet) setUpIngress(j *Job) {
	in := s.History.At(j.In.Ingress)
	s.Show(in)
	info := in.Info
	j.Message.Payload = s.History.Begin(in)
	j.Message.CallerInfo, j.Message.Signer = info.Parts()
	s.open(j, in.Method, intercanister.Origin{Kind: intercanister.FromIngress, Caller: in.Sender, Ingress: in.Number, Info: info}, cycles.Amount{})
}

func (s *subnet) setUpRequest(j *Job) {
	q := &j.In.Request
	s.ReleaseRequest(j.Entry, q)
	c := j.Entry.Canister
	if minimum := c.Settings.MinimumIncoming; q.Sender != c.ID && q.Cycles.Less(minimum) {
		j.refused = rejectTooFewCycles(c, q.Cycles, minimum)
		return
	}
	j.Message.Payload = q.Payload
	j.Message.Deadline = q.Deadline
	s.open(j, q.Method, intercanister.Origin{
		Kind: intercanister.FromCanister, Caller: q.Sender, Call: q.Call, Deadline: q.Deadline,
	}, q.Cycles)
}

// open charges for a call in advance, checks it and opens its context. As on the replica, a call that fails the checks
// has paid the base fee of an execution.
func (s *subnet) open(j *Job, method string, origin intercanister.Origin, attached cycles.Amount) {
	r, c, x := j.Entry, j.Entry.Canister, s.net.executor
	kind := canister.NoMethod
	if !x.Empty(c) {
		kind = x.Method(c, method)
	}
	if kind == canister.QueryMethod || kind == canister.CompositeQueryMethod {
		j.Limit = s.Limits.Query
	}
	if j.refused = charging.Prepay(&s.State, j.Execution, &s.longest, origin.Caller); j.refused != nil {
		return
	}
	if j.refused = inadmissible(x, c, kind, method); j.refused != nil {
		j.base = true
		return
	}
	j.Message.Context = canister.ReplicatedQuery
	if kind == canister.UpdateMethod {
		j.Message.Context = canister.Update
		s.calling(j)
	}
	context := s.Calls.Open(&r.Mailbox, origin, attached, s.Time)
	context.Method = method
	j.Context = context.ID
	j.Message.Method, j.Message.Caller, j.Message.Available = method, origin.Caller, attached
}

// inadmissible returns why a call that was paid for cannot be executed, nil if it can.
func inadmissible(x state.Executor, c *canister.Canister, kind canister.MethodKind, method string) *intercanister.Reject {
	if reject := rejectNotRunning(c); reject != nil {
		return reject
	}
	if x.Empty(c) {
		return rejectEmpty(c.ID)
	}
	switch kind {
	case canister.UpdateMethod:
		return c.HeapOverLimit()
	case canister.CompositeQueryMethod:
		return rejectComposite()
	case canister.NoMethod:
		return rejectNoMethod(c.ID, "update", method)
	}
	return nil
}

// setUpCallback accounts for a response and sets up its callback as the job.
func (s *subnet) setUpCallback(j *Job) {
	c := j.Entry.Canister
	f, context := s.Calls.Begin(&j.Entry.Mailbox, j.In.Call)
	response := &j.In.Response
	s.ReleaseMemory(j.Entry, f.Deadline, response.Memory())
	j.Context, j.Prepaid = f.Context, f.Execution()
	j.Callback = true
	c.Consumed.Instructions = c.Consumed.Instructions.Add(j.Prepaid)
	carried := s.Fees.ResponseTransmission(response.PayloadBytes())
	c.Consumed.Transmission = c.Consumed.Transmission.Add(carried)
	c.Balance = c.Balance.Add(response.Refund).Add(f.Transmission().Sub(carried))
	if context.Deleted || s.net.executor.Empty(c) {
		// The waiting code was removed: only the cycles matter.
		j.dropped = true
		return
	}
	context.Busy = true
	if j.refused = charging.PrepayCallback(&s.State, j.Execution, &s.longest); j.refused != nil {
		return
	}
	s.calling(j)
	m := &j.Message
	m.Context, m.Closure, m.Cleanup, m.Called = canister.ReplyCallback, f.OnReply(), f.OnCleanup(), f.Method
	m.Payload, m.Reject, m.Refunded = response.Reply, response.Reject, response.Refund
	m.Available, m.Responded, m.PriorInstructions = context.Available, context.Responded, context.Instructions
	m.Deadline = context.Origin.Deadline
	m.CallerInfo, m.Signer = context.Origin.Info.Parts()
	if m.Caller = context.Origin.Caller; context.Origin.Kind == intercanister.FromSystem {
		m.Caller = principal.Management
	}
	if response.Reject != nil {
		m.Context, m.Closure = canister.RejectCallback, f.OnReject()
	}
}
