package replica

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/tasks"
)

// command executes the next call of the management canister, or the chosen one.
func (m *subnet) command(choice *intercanister.Choice) {
	var in intercanister.Input
	if choice == nil {
		m.Commands.Pop(&in)
	} else {
		m.Commands.PopChoice(*choice, &in)
	}
	m.executed++
	defer m.Ready.Add(&m.Commands)
	q := &in.Request
	if in.Source == intercanister.SourceRequests {
		m.Commands.FreeRequestSlot(q.Sender)
		if m.Late(q) {
			m.dropCommand(q)
			return
		}
	}
	var c state.Command
	if in.Source == intercanister.SourceIngress {
		c = m.commandOfIngress(m.History.At(in.Ingress))
	} else {
		c = state.Command{
			Host: m, State: &m.State, Method: q.Method, Arg: q.Payload, Caller: q.Sender, Sender: m.Canisters.Get(q.Sender),
			Origin:   intercanister.Origin{Kind: intercanister.FromCanister, Caller: q.Sender, Call: q.Call, Deadline: q.Deadline},
			Attached: q.Cycles,
		}
	}
	m.run(&c, in)
}

// dropCommand drops an expired best-effort call of the management canister.
func (m *subnet) dropCommand(q *intercanister.Request) {
	m.giveBack(q.Sender, q.Cycles)
	m.tally.kinds[ManagementExecution].Dropped++
	if m.net.sink != nil {
		m.net.emit(Event{
			Kind: MessageDropped, Subnet: m.ID, Canister: principal.Management,
			Source: intercanister.SourceRequests, Peer: q.Sender, Method: q.Method, Call: q.Call,
		})
	}
}

// work counts the work of the management canister itself. As with a message of a canister, its work in a round ends
// after a slice; its other calls wait for the next round.
func (m *subnet) work(instructions uint64) {
	m.RoundInstructions += instructions
	m.worked += instructions
	m.Commands.Blocked = m.worked >= m.net.config.SliceInstructions
}

// run executes a command and answers it, now or later; a command that needs a busy canister waits there.
func (m *subnet) run(c *state.Command, in intercanister.Input) {
	a := m.net.management.Run(c)
	m.work(a.Instructions)
	switch a.When {
	case state.Compiling:
		m.awaitModule(in)
		return
	case state.Busy:
		if !a.Target.Running {
			panic("replica: method " + c.Method + " waits for canister " + a.Target.ID().String() + ", which is idle")
		}
		m.await(a.Target, in)
		return
	}
	m.tally.kinds[ManagementExecution].Done++
	if in.Source == intercanister.SourceIngress {
		if record := m.History.At(in.Ingress); record.Status == state.Received {
			m.History.Begin(record)
			m.Show(record)
		}
	}
	m.refreshTarget(c)
	if c.Target != nil && !c.Target.Gone && in.Source == intercanister.SourceIngress && m.net.management.Payment(c.Method, c.Arg) == state.PaysAfter {
		charging.LateIngress(&m.State, c.Target, m.History.At(in.Ingress).Size)
	}
	if a.When == state.Now {
		m.Answer(state.Ticket{Origin: c.Origin, Refund: c.Attached}, a)
	}
}

// refreshTarget updates what a command may have changed of its canister: the memory that is counted for it and its
// low-memory hook.
func (m *subnet) refreshTarget(c *state.Command) {
	r := c.Target
	if r == nil {
		id, _, reject := m.net.management.Effective(c.Method, c.Arg)
		if reject != nil {
			return
		}
		r = m.Canisters.Get(id)
	}
	if r == nil || r.Gone || r.Running {
		return
	}
	m.Recount(r)
	tasks.WatchMemory(m.net.executor, r)
	m.Ready.Add(&r.Mailbox)
}

// await makes a command wait until a canister is idle. Best-effort calls give their slots back when they expire:
// expired ones are dropped when many wait, so that the callers bound the number of waiting commands.
func (m *subnet) await(r *state.Entry, in state.Input) {
	if crowded(len(r.Waiting)) {
		r.Waiting = slices.DeleteFunc(r.Waiting, func(w state.Input) bool { return m.dropLate(&w) })
	}
	r.Waiting = append(r.Waiting, in)
}

// crowded reports whether to look for expired commands in a waiting list of this length.
func crowded(n int) bool { return n%intercanister.QueueCapacity == intercanister.QueueCapacity-1 }

// dropLate drops a waiting call if it is an expired best-effort call.
func (m *subnet) dropLate(in *state.Input) bool {
	gone := in.Source == intercanister.SourceRequests && m.Late(&in.Request)
	if gone {
		m.dropCommand(&in.Request)
	}
	return gone
}

// requeue returns commands that waited for a canister to the queue, if their callers still wait and there is room.
func (m *subnet) requeue(waiting []state.Input) {
	for i := range waiting {
		in, q := &waiting[i], &waiting[i].Request
		switch {
		case in.Source == intercanister.SourceIngress:
			m.Commands.PushIngress(in.Ingress)
		case m.Late(q):
			m.dropCommand(q)
		case !m.Commands.PushRequest(*q):
			m.answer(q, rejectInputFull(q.Receiver))
		}
	}
	m.Ready.Add(&m.Commands)
}

func (m *subnet) commandOfIngress(in *state.Ingress) state.Command {
	return state.Command{
		Host: m, State: &m.State, Method: in.Method, Arg: in.Arg, Caller: in.Sender,
		Origin: intercanister.Origin{Kind: intercanister.FromIngress, Caller: in.Sender, Ingress: in.Number},
		Target: m.Canisters.Get(in.Effective),
	}
}

// Install runs an installation as a message of its canister. One installation of the subnet may be parked at a time;
// another waits for it.
func (m *subnet) Install(c *state.Command, target *state.Entry, in *canister.Install, spent uint64) state.Answer {
	if target.Running {
		return state.WhenIdle(target)
	}
	for _, j := range m.paused {
		if j.Install != nil {
			return state.WhenIdle(j.Entry)
		}
	}
	j := m.job(target)
	copied := *c
	j.Install = &state.Installation{Command: &copied, In: in, Spent: spent}
	in.Known = in.Module != nil && m.Compiled[in.Module.Hash()]
	// Compiling costs the same in both widths, and so does what the hooks run: dfinity/ic#10918.
	j.Limit, j.Wide = m.Limits.Install, false
	m.Ready.Remove(&target.Mailbox)
	if reject := charging.Prepay(&m.State, j.Execution, &m.longest, c.Caller); reject != nil {
		m.release(j)
		return m.net.management.Installed(c, target, spent, canister.Outcome{Failure: reject})
	}
	target.Running, target.Mailbox.Blocked = true, true
	j.Begin()
	m.net.runner.Run([]*Job{j})
	if !j.over {
		m.beginIngress(c)
	}
	m.finish(j)
	return state.Later()
}

// beginIngress sets the status of a user's message to processing.
func (m *subnet) beginIngress(c *state.Command) {
	if c.FromUser() {
		record := m.History.At(c.Origin.Ingress)
		m.History.Begin(record)
		m.Show(record)
	}
}

// finishInstall handles the outcome of an installation.
func (m *subnet) finishInstall(j *Job) {
	m.RoundInstructions += j.outcome.Instructions
	charging.Refund(&m.State, j.Execution, j.outcome.Instructions)
	if m.Limits.InstallRate > 0 {
		m.Owed(j.Entry, &m.Limits).Install += j.outcome.Instructions
	}
	m.RefreshEntryPoints(j.Entry)
	if module := j.Install.In.Module; module != nil && j.outcome.Failure == nil {
		m.Compiled[module.Hash()] = true
	}
	done := m.net.management.Installed(j.Install.Command, j.Entry, j.Install.Spent, j.outcome)
	m.Answer(j.Install.Command.Ticket(), done)
}
