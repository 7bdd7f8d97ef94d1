package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

// take takes the next message of a canister (or a chosen one) and makes it a
// job: checked, prepaid, its call context open. It changes nothing outside the
// canister, so that the messages of a batch may be taken before any of them has
// run. A canister whose message is parked goes on with it.
func (m *subnet) take(box *intercanister.Mailbox, choice *intercanister.Choice) *Job {
	r := m.Canisters.Get(box.Owner)
	if box.Resume {
		box.Resume = false
		return m.unpark(r)
	}
	j := m.job(r)
	if choice == nil {
		box.Pop(&j.in)
	} else {
		box.PopChoice(*choice, &j.in)
	}
	r.Running, box.Held = true, true
	m.Isolate(r)
	switch j.in.Source {
	case intercanister.SourceTasks:
		m.takeTask(j)
	case intercanister.SourceIngress:
		m.takeIngress(j)
	case intercanister.SourceRequests:
		m.takeRequest(j)
	case intercanister.SourceResponses:
		m.takeResponse(j)
	}
	j.begin()
	return j
}

func (m *subnet) job(r *state.Entry) *Job {
	var j *Job
	if n := len(m.spare); n > 0 {
		j, m.spare = m.spare[n-1], m.spare[:n-1]
	} else {
		j = newJob()
	}
	j.subnet, j.entry, j.environment, j.began = m, r, m.Environment, Moment{m.Height, m.Time}
	j.wide = m.net.executor.Wide(r.Canister)
	j.message = canister.Message{}
	return j
}

func newJob() *Job {
	j := new(Job)
	j.room = func(callee principal.Principal) int { return j.entry.Mailbox.Room(callee) }
	return j
}

// calling lets the message of a job make calls.
func (m *subnet) calling(j *Job) {
	j.message.Room, j.message.Callbacks, j.message.MessageRoom = j.room, m.callbacks(j.entry), m.messageRoom()
}

// release forgets what a job held and keeps the job for the next message.
func (m *subnet) release(j *Job) {
	*j = Job{room: j.room}
	m.spare = append(m.spare, j)
}

func (m *subnet) unpark(r *state.Entry) *Job {
	for _, j := range m.parked {
		if j.entry == r {
			j.message.Debit = r.Debit
			j.parked.see(r.Canister)
			return j
		}
	}
	panic("replica: canister " + r.ID().String() + " has no parked message")
}

func (m *subnet) takeTask(j *Job) {
	r, c := j.entry, j.entry.Canister
	if j.in.Task == intercanister.LowMemory {
		r.Hook = state.Executed
	}
	context := contextOf(j.in.Task)
	if rejectNotRunning(c) != nil || !m.net.executor.Has(c, context) || j.in.Task == intercanister.GlobalTimer && (c.Timer == 0 || c.Timer > m.Time) {
		j.dropped = true
		return
	}
	if m.prepay(j, principal.Management) != nil {
		j.dropped = true
		m.retryTask(r, j.in.Task)
		return
	}
	if j.in.Task == intercanister.GlobalTimer {
		m.DisarmTimer(r)
	}
	j.context = m.Calls.Open(&r.Mailbox, intercanister.Origin{Kind: intercanister.FromSystem, Task: j.in.Task}, cycles.Amount{}, m.Time).ID
	j.message.Context = context
	j.message.Caller = principal.Management
	j.message.Responded = true
	m.calling(j)
}

// retryTask makes a task that a canister could not pay for come again. Heartbeats come
// by themselves.
func (m *subnet) retryTask(r *state.Entry, t intercanister.Task) {
	switch t {
	case intercanister.GlobalTimer:
		m.PostponeTimer(r, m.Time+TaskRetry)
	case intercanister.LowMemory:
		r.Hook = state.Ready
		m.Deadlines.Add(timers.Deadline{At: m.Time + TaskRetry, Kind: timers.HookRetry, Subject: r.ID()})
	}
}

func contextOf(t intercanister.Task) canister.Context {
	switch t {
	case intercanister.Heartbeat:
		return canister.Heartbeat
	case intercanister.LowMemory:
		return canister.LowMemory
	default:
		return canister.GlobalTimer
	}
}

func (m *subnet) takeIngress(j *Job) {
	in := m.History.At(j.in.Ingress)
	m.Show(in)
	info := in.Info
	j.message.Payload = m.History.Begin(in)
	j.message.CallerInfo, j.message.Signer = info.Parts()
	m.open(j, in.Method, intercanister.Origin{Kind: intercanister.FromIngress, Caller: in.Sender, Ingress: in.Number, Info: info}, cycles.Amount{})
}

func (m *subnet) takeRequest(j *Job) {
	q := &j.in.Request
	m.taken(j.entry, q)
	c := j.entry.Canister
	if minimum := c.Settings.MinimumIncoming; q.Sender != c.ID && q.Cycles.Less(minimum) {
		j.refused = rejectTooFewCycles(c, q.Cycles, minimum)
		return
	}
	j.message.Payload = q.Payload
	j.message.Deadline = q.Deadline
	m.open(j, q.Method, intercanister.Origin{
		Kind: intercanister.FromCanister, Caller: q.Sender, Call: q.Call, Deadline: q.Deadline,
	}, q.Cycles)
}

// open prepays a call that is to be executed, checks it and opens its context. As on
// the replica a call that fails the checks has paid the base fee of an execution.
func (m *subnet) open(j *Job, method string, origin intercanister.Origin, attached cycles.Amount) {
	r, c, x := j.entry, j.entry.Canister, m.net.executor
	kind := NoMethod
	if !x.Empty(c) {
		kind = x.Method(c, method)
	}
	if kind == QueryMethod || kind == CompositeMethod {
		j.limit = m.Limits.Query
	}
	if j.refused = m.prepay(j, origin.Caller); j.refused != nil {
		return
	}
	if j.refused = m.inadmissible(c, kind, method); j.refused != nil {
		j.base = true
		return
	}
	j.message.Context = canister.ReplicatedQuery
	if kind == UpdateMethod {
		j.message.Context = canister.Update
		m.calling(j)
	}
	context := m.Calls.Open(&r.Mailbox, origin, attached, m.Time)
	context.Method = method
	j.context = context.ID
	j.message.Method, j.message.Caller, j.message.Available = method, origin.Caller, attached
}

// inadmissible is why a call that was paid for cannot be executed, nil where it can.
func (m *subnet) inadmissible(c *canister.Canister, kind MethodKind, method string) *intercanister.Reject {
	if reject := rejectNotRunning(c); reject != nil {
		return reject
	}
	if m.net.executor.Empty(c) {
		return rejectEmpty(c.ID)
	}
	switch kind {
	case UpdateMethod:
		return c.HeapOverLimit()
	case CompositeMethod:
		return rejectComposite()
	case NoMethod:
		return rejectNoMethod(c.ID, "update", method)
	}
	return nil
}

// takeResponse settles what a response brings and makes its callback a job.
func (m *subnet) takeResponse(j *Job) {
	c := j.entry.Canister
	f, context := m.Calls.Begin(&j.entry.Mailbox, j.in.Call)
	response := &j.in.Response
	m.Free(j.entry, f.Deadline, response.Memory())
	j.context, j.prepaid, j.limit = f.Context, f.Execution(), m.Limits.Message
	j.callback = true
	c.Consumed.Instructions = c.Consumed.Instructions.Add(j.prepaid)
	carried := m.Fees.ResponseTransmission(response.PayloadBytes())
	c.Consumed.Transmission = c.Consumed.Transmission.Add(carried)
	c.Balance = c.Balance.Add(response.Refund).Add(f.Transmission().Sub(carried))
	if context.Deleted || m.net.executor.Empty(c) {
		// The code that waited is gone: only the cycles matter.
		j.dropped = true
		return
	}
	context.Busy = true
	j.message = canister.Message{
		Context: canister.ReplyCallback, Closure: f.OnReply(), Cleanup: f.OnCleanup(),
		Caller: context.Origin.Caller, Deadline: context.Origin.Deadline,
		Payload: response.Reply, Reject: response.Reject,
		Available: context.Available, Refunded: response.Refund,
		Responded: context.Responded, PriorInstructions: context.Instructions,
	}
	m.calling(j)
	j.message.CallerInfo, j.message.Signer = context.Origin.Info.Parts()
	if context.Origin.Kind == intercanister.FromSystem {
		j.message.Caller = principal.Management
	}
	if response.Reject != nil {
		j.message.Context, j.message.Closure = canister.RejectCallback, f.OnReject()
	}
}
