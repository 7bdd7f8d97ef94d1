package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/archive"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// A message that is parked is written as it was before its code began, with what it has
// seen since, and begins anew where it is read (parked.go).

// inside reports whether a message stands in the middle of its code on a stack: what it
// has done so far is in its canister, and cannot be written.
func (n *Network) inside() bool {
	for _, m := range n.subnets {
		for _, j := range m.parked {
			if j.coroutine != nil {
				return true
			}
		}
	}
	return false
}

// archiveParked writes the messages that are parked, or reads them.
func (m *subnet) archiveParked(c *archive.Coder, modules *canister.Modules) {
	if !c.Since(2) {
		return
	}
	var before principal.Principal
	archive.Slice(c, &m.parked, archive.MaxItems, func(j **Job) {
		if c.Reading() {
			*j = newJob()
			(*j).subnet = m
		}
		(*j).archive(c, modules)
		if c.Failed() {
			return
		}
		id := (*j).entry.ID()
		c.Check(before.Compare(id) < 0, "messages are not parked in the order of their canisters")
		before = id
	})
}

func (j *Job) archive(c *archive.Coder, modules *canister.Modules) {
	m := j.subnet
	if m.ArchiveParked(c, &j.entry); c.Failed() {
		return
	}
	if c.Reading() {
		sub := *m.Environment
		j.environment, j.parked = &sub, new(parked)
	}
	archive.Number(c, &j.environment.Time)
	archive.Number(c, &j.environment.MemoryUsed)
	j.in.Archive(c)
	archive.Pointer(c, &j.install, func(i *installation) { i.archive(c, m, modules) })
	j.message.Archive(c)
	archive.Number(c, &j.context)
	c.Amount(&j.prepaid)
	archive.AtMost(c, &j.limit, max(m.Limits.Message, m.Limits.Query, m.Limits.Install))
	c.Bool(&j.wide)
	archive.Number(c, &j.began.Height)
	archive.Number(c, &j.began.Time)
	j.parked.archive(c)
	if c.Reading() && !c.Failed() {
		j.first = j.parked.seen[0]
		j.check(c)
	}
}

func (i *installation) archive(c *archive.Coder, m *subnet, modules *canister.Modules) {
	if c.Reading() {
		i.command, i.in = &state.Command{Host: m, State: &m.State}, new(canister.Install)
	}
	i.command.Archive(c, &m.State)
	i.in.Archive(c, modules)
	archive.Number(c, &i.spent)
}

func (p *parked) archive(c *archive.Coder) {
	archive.Number(c, &p.slices)
	archive.Number(c, &p.memory)
	before := -1
	archive.Slice(c, &p.seen, archive.MaxItems, func(s *sight) {
		archive.AtMost(c, &s.slice, p.slices)
		archive.AtMost(c, &s.status, canister.Stopped)
		archive.Number(c, &s.version)
		archive.Number(c, &s.messages)
		archive.Number(c, &s.log)
		c.Check(s.slice > before, "what a message has seen is not in the order of its slices")
		before = s.slice
	})
	c.Check(p.slices > 0 && len(p.seen) > 0 && p.seen[0].slice == 0, "a message is parked that has not begun")
}

// check looks whether a job that was read fits what else was.
func (j *Job) check(c *archive.Coder) {
	id, m := j.entry.ID(), j.subnet
	// The pieces of bulk operations count twice, see canister.Message.Pause.
	pauses := 2*j.limit/max(1, min(m.Limits.PauseAfter, canister.ScatteredPauseAfter)) + canister.InstallSteps
	c.Check(uint64(j.parked.slices) <= pauses, "the message of canister %s is parked after %d slices, and can have %d", id, j.parked.slices, pauses)
	if j.install != nil {
		c.Check(j.install.fits(m, j), "the installation in canister %s is nobody's", id)
		return
	}
	if !c.Check(!m.net.executor.Empty(j.entry.Canister), "a message of canister %s is parked, and it has no code", id) {
		return
	}
	context := m.Calls.Context(j.context)
	if !c.Check(context != nil && context.Canister == id && !context.Deleted && j.fits(context), "the message of canister %s is of no call context that it has", id) {
		return
	}
	j.callback = j.in.Source == intercanister.SourceResponses
	context.Busy = j.callback
	if j.message.Context != canister.ReplicatedQuery {
		j.message.Room = j.room
	}
}

// fits reports whether a message is one of a call context.
func (j *Job) fits(x *intercanister.Context) bool {
	in, q, o, message := &j.in, &j.in.Request, &x.Origin, &j.message
	if message.Responded != x.Responded || message.Available != x.Available {
		return false
	}
	called := message.Context == canister.Update || message.Context == canister.ReplicatedQuery
	switch in.Source {
	case intercanister.SourceTasks:
		return o.Kind == intercanister.FromSystem && o.Task == in.Task && in.Task != intercanister.NoTask && message.Context == contextOf(in.Task)
	case intercanister.SourceIngress:
		return called && o.Kind == intercanister.FromIngress && o.Ingress == in.Ingress && j.subnet.History.Knows(in.Ingress)
	case intercanister.SourceRequests:
		return called && o.Kind == intercanister.FromCanister && o.Caller == q.Sender && o.Call == q.Call
	case intercanister.SourceResponses:
		f := j.subnet.Calls.Future(in.Call)
		answered := message.Context == canister.ReplyCallback || message.Context == canister.RejectCallback && message.Reject != nil
		return answered && f != nil && f.State == intercanister.Running && f.Context == x.ID
	}
	return false
}

// fits reports whether an installation can be that of a job.
func (i *installation) fits(m *subnet, j *Job) bool {
	others := 0
	for _, p := range m.parked {
		if p.install != nil {
			others++
		}
	}
	return others == 1 && j.in.Source == 0 && j.context == 0 && (i.in.Module != nil || m.net.config.Executor != nil)
}

// resume brings the messages that were read to where they were parked. The others of
// what was read must be there.
func (n *Network) resume(c *archive.Coder) {
	var coroutines Coroutines
	defer coroutines.Close()
	for _, m := range n.subnets {
		for _, j := range m.parked {
			coroutines.begin(j)
			if !c.Check(j.catchUp(), "the message of canister %s ends before it comes to where it was parked, after %d slices: another program has parked it", j.entry.ID(), j.parked.slices) {
				return
			}
		}
	}
}
