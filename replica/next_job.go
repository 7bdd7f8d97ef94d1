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
func (m *subnet) nextJob(box *intercanister.Mailbox, choice *intercanister.Choice) *Job {
	r := m.Canisters.Get(box.Owner)
	if box.Resume {
		box.Resume = false
		return m.unpark(r)
	}
	j := m.job(r)
	if choice == nil {
		box.Pop(&j.In)
	} else {
		box.PopChoice(*choice, &j.In)
	}
	r.Running, box.Blocked = true, true
	m.Isolate(r)
	switch j.In.Source {
	case intercanister.SourceTasks:
		m.setUpTask(j)
	case intercanister.SourceIngress:
		m.setUpIngress(j)
	case intercanister.SourceRequests:
		m.setUpRequest(j)
	case intercanister.SourceResponses:
		m.setUpCallback(j)
	}
	j.Begin()
	return j
}

func (m *subnet) job(r *state.Entry) *Job {
	var j *Job
	if n := len(m.spare); n > 0 {
		j, m.spare = m.spare[n-1], m.spare[:n-1]
	} else {
		j = newJob()
	}
	j.subnet, j.Entry, j.Environment, j.Began = m, r, m.Environment, Moment{Height: m.Height, Time: m.Time}
	j.Wide = m.net.executor.Wide(r.Canister)
	j.Message = canister.Message{}
	return j
}

func newJob() *Job {
	j := &Job{Execution: new(state.Execution)}
	j.room = func(callee principal.Principal) int { return j.Entry.Mailbox.Room(callee) }
	return j
}

// calling sets the limits for calls of a job's message.
func (m *subnet) calling(j *Job) {
	j.Message.Room, j.Message.Callbacks, j.Message.MessageRoom = j.room, m.callbacks(j.Entry), m.messageRoom()
}

// release clears a job and keeps it for the next message.
func (m *subnet) release(j *Job) {
	*j.Execution = state.Execution{}
	*j = Job{Execution: j.Execution, room: j.room}
	m.spare = append(m.spare, j)
}

func (m *subnet) unpark(r *state.Entry) *Job {
	for _, j := range m.paused {
		if j.Entry == r {
			j.Message.Debit = r.Debit
			j.Continue()
			return j
		}
	}
	panic("replica: canister " + r.ID().String() + " has no parked message")
}

func (m *subnet) setUpTask(j *Job) {
	r := j.Entry
	if j.In.Task == intercanister.LowMemory {
		r.Hook = state.Executed
	}
	if !tasks.Runs(&m.State, m.net.executor, r, j.In.Task) {
		j.dropped = true
		return
	}
	if charging.Prepay(&m.State, j.Execution, &m.longest, principal.Management) != nil {
		j.dropped = true
		tasks.Retry(&m.State, r, j.In.Task)
		return
	}
	if j.In.Task == intercanister.GlobalTimer {
		m.DisarmTimer(r)
	}
	j.Context = m.Calls.Open(&r.Mailbox, intercanister.Origin{Kind: intercanister.FromSystem, Task: j.In.Task}, cycles.Amount{}, m.Time).ID
	j.Message.Context = tasks.Context(j.In.Task)
	j.Message.Caller = principal.Management
	j.Message.Responded = true
	m.calling(j)
}

func (m *subnet) setUpIngress(j *Job) {
	in := m.History.At(j.In.Ingress)
	m.Show(in)
	info := in.Info
	j.Message.Payload = m.History.Begin(in)
	j.Message.CallerInfo, j.Message.Signer = info.Parts()
	m.open(j, in.Method, intercanister.Origin{Kind: intercanister.FromIngress, Caller: in.Sender, Ingress: in.Number, Info: info}, cycles.Amount{})
}

func (m *subnet) setUpRequest(j *Job) {
	q := &j.In.Request
	m.ReleaseRequest(j.Entry, q)
	c := j.Entry.Canister
	if minimum := c.Settings.MinimumIncoming; q.Sender != c.ID && q.Cycles.Less(minimum) {
		j.refused = rejectTooFewCycles(c, q.Cycles, minimum)
		return
	}
	j.Message.Payload = q.Payload
	j.Message.Deadline = q.Deadline
	m.open(j, q.Method, intercanister.Origin{
		Kind: intercanister.FromCanister, Caller: q.Sender, Call: q.Call, Deadline: q.Deadline,
	}, q.Cycles)
}

// open charges for a call in advance, checks it and opens its context. As on the replica, a call that fails the checks
// has paid the base fee of an execution.
func (m *subnet) open(j *Job, method string, origin intercanister.Origin, attached cycles.Amount) {
	r, c, x := j.Entry, j.Entry.Canister, m.net.executor
	kind := canister.NoMethod
	if !x.Empty(c) {
		kind = x.Method(c, method)
	}
	if kind == canister.QueryMethod || kind == canister.CompositeQueryMethod {
		j.Limit = m.Limits.Query
	}
	if j.refused = charging.Prepay(&m.State, j.Execution, &m.longest, origin.Caller); j.refused != nil {
		return
	}
	if j.refused = inadmissible(x, c, kind, method); j.refused != nil {
		j.base = true
		return
	}
	j.Message.Context = canister.ReplicatedQuery
	if kind == canister.UpdateMethod {
		j.Message.Context = canister.Update
		m.calling(j)
	}
	context := m.Calls.Open(&r.Mailbox, origin, attached, m.Time)
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
func (m *subnet) setUpCallback(j *Job) {
	c := j.Entry.Canister
	f, context := m.Calls.Begin(&j.Entry.Mailbox, j.In.Call)
	response := &j.In.Response
	m.ReleaseMemory(j.Entry, f.Deadline, response.Memory())
	j.Context, j.Prepaid = f.Context, f.Execution()
	j.Callback = true
	c.Consumed.Instructions = c.Consumed.Instructions.Add(j.Prepaid)
	carried := m.Fees.ResponseTransmission(response.PayloadBytes())
	c.Consumed.Transmission = c.Consumed.Transmission.Add(carried)
	c.Balance = c.Balance.Add(response.Refund).Add(f.Transmission().Sub(carried))
	if context.Deleted || m.net.executor.Empty(c) {
		// The waiting code was removed: only the cycles matter.
		j.dropped = true
		return
	}
	context.Busy = true
	if j.refused = charging.PrepayCallback(&m.State, j.Execution, &m.longest); j.refused != nil {
		return
	}
	j.Message = canister.Message{
		Context: canister.ReplyCallback, Closure: f.OnReply(), Cleanup: f.OnCleanup(),
		Caller: context.Origin.Caller, Deadline: context.Origin.Deadline,
		Payload: response.Reply, Reject: response.Reject,
		Available: context.Available, Refunded: response.Refund,
		Responded: context.Responded, PriorInstructions: context.Instructions,
	}
	m.calling(j)
	j.Message.CallerInfo, j.Message.Signer = context.Origin.Info.Parts()
	if context.Origin.Kind == intercanister.FromSystem {
		j.Message.Caller = principal.Management
	}
	if response.Reject != nil {
		j.Message.Context, j.Message.Closure = canister.RejectCallback, f.OnReject()
	}
}
