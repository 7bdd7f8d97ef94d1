package replica

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/tasks"
)

// inside reports whether a message is parked in the middle of its code on a stack: its effects so far are in its
// canister, and cannot be written.
func (n *Network) inside() bool {
	for _, m := range n.subnets {
		for _, j := range m.paused {
			if j.coroutine != nil {
				return true
			}
		}
	}
	return false
}

// check checks that a job that was read is consistent with the rest of the file.
func (j *Job) check(c *archive.Coder) {
	id, m := j.Entry.ID(), j.subnet
	// The pieces of bulk operations count twice, see canister.Message.Pause.
	pauses := 2*j.Limit/max(1, min(m.Limits.PauseAfter, canister.ScatteredPauseAfter)) + canister.InstallSteps
	if j.waits() { // in addition to those of Wakes
		pauses++
	}
	c.Check(uint64(j.Pauses.Slices-len(j.Pauses.Wakes)) <= pauses, "the message of canister %s is parked after %d slices, and can have %d", id, j.Pauses.Slices, pauses)
	if j.Install != nil {
		c.Check(j.installs(), "the installation in canister %s has no caller", id)
		return
	}
	if !c.Check(!m.net.executor.Empty(j.Entry.Canister), "a message of canister %s is parked, and it has no code", id) {
		return
	}
	context := m.Calls.Context(j.Context)
	if !c.Check(context != nil && context.Canister == id && !context.Deleted && j.fits(context), "the message of canister %s is of no call context that it has", id) {
		return
	}
	j.Callback = j.In.Source == intercanister.SourceResponses
	context.Busy = j.Callback
	if j.Message.Context != canister.ReplicatedQuery {
		j.Message.Room = j.room
	}
}

// fits reports whether a message can belong to a call context.
func (j *Job) fits(x *intercanister.Context) bool {
	in, q, o, message := &j.In, &j.In.Request, &x.Origin, &j.Message
	if message.Responded != x.Responded || message.Available != x.Available {
		return false
	}
	called := message.Context == canister.Update || message.Context == canister.ReplicatedQuery
	switch in.Source {
	case intercanister.SourceTasks:
		return o.Kind == intercanister.FromSystem && o.Task == in.Task && in.Task != intercanister.NoTask && message.Context == tasks.Context(in.Task)
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

// installs reports whether a job can have an installation.
func (j *Job) installs() bool {
	m := j.subnet
	others := 0
	for _, p := range m.paused {
		if p.Install != nil {
			others++
		}
	}
	return others == 1 && j.In.Source == 0 && j.Context == 0 && (j.Install.In.Module != nil || m.net.config.overrides.Executor != nil)
}

// resume runs the messages that were read to the point where they were parked. The rest of the state must have been
// read.
func (n *Network) resume(c *archive.Coder) {
	var coroutines Coroutines
	defer coroutines.Close()
	for _, m := range n.subnets {
		for _, j := range m.paused {
			coroutines.begin(j)
			if !c.Check(j.catchUp(), "the message of canister %s ends before it comes to where it was parked, after %d slices: another program has parked it", j.Entry.ID(), j.Pauses.Slices) {
				return
			}
		}
	}
}
