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
func (s *subnet) command(choice *intercanister.Choice) {
	var in intercanister.Input
	if choice == nil {
		s.ManagementCalls.Pop(&in)
	} else {
		s.ManagementCalls.PopChoice(*choice, &in)
	}
	s.executed++
	defer s.Ready.Add(&s.ManagementCalls)
	q := &in.Request
	if in.Source == intercanister.SourceRequests {
		s.ManagementCalls.FreeRequestSlot(q.Sender)
		if s.Late(q) {
			s.dropCommand(q)
			return
		}
	}
	var c state.ManagementCall
	if in.Source == intercanister.SourceIngress {
		c = s.commandOfIngress(s.History.At(in.Ingress))
	} else {
		c = state.ManagementCall{
			Host: s, State: &s.State, Method: q.Method, Arg: q.Payload, Caller: q.Sender, Sender: s.Canisters.Get(q.Sender),
			Origin:   intercanister.Origin{Kind: intercanister.FromCanister, Caller: q.Sender, Call: q.Call, Deadline: q.Deadline},
			Attached: q.Cycles,
		}
	}
	s.run(&c, in)
}

// dropCommand drops an expired best-effort call of the management canister.
func (s *subnet) dropCommand(q *intercanister.Request) {
	s.refundTo(q.Sender, q.Cycles)
	s.tally.kinds[ManagementExecution].Dropped++
	if s.net.sink != nil {
		s.net.emit(Event{
			Kind: MessageDropped, Subnet: s.ID, Canister: principal.Management,
			Source: intercanister.SourceRequests, Peer: q.Sender, Method: q.Method, Call: q.Call,
		})
	}
}

// work counts the work of the management canister itself. As with a message of a canister, its work in a round ends
// after a slice; its other calls wait for the next round.
func (s *subnet) work(instructions uint64) {
	s.RoundInstructions += instructions
	s.worked += instructions
	s.ManagementCalls.Blocked = s.worked >= s.net.config.SliceInstructions
}

// run executes a command and answers it, now or later; a command that needs a busy canister waits there.
func (s *subnet) run(c *state.ManagementCall, in intercanister.Input) {
	a := s.net.management.Run(c)
	s.work(a.Instructions)
	a = s.applyEffect(c, a)
	switch a.When {
	case state.Compiling:
		s.awaitModule(in)
		return
	case state.Busy:
		if !a.Target.Running {
			panic("replica: method " + c.Method + " waits for canister " + a.Target.ID().String() + ", which is idle")
		}
		s.await(a.Target, in)
		return
	}
	s.tally.kinds[ManagementExecution].Done++
	if in.Source == intercanister.SourceIngress {
		if record := s.History.At(in.Ingress); record.Status == state.Received {
			s.History.Begin(record)
			s.Show(record)
		}
	}
	s.refreshTarget(c)
	if c.Target != nil && !c.Target.Gone && in.Source == intercanister.SourceIngress && s.net.management.Payment(c.Method, c.Arg) == state.PaysAfter {
		charging.LateIngress(&s.State, c.Target, s.History.At(in.Ingress).Size)
	}
	if a.When == state.Now {
		s.Answer(state.Ticket{Origin: c.Origin, Refund: c.Attached}, a)
	}
}

// refreshTarget updates what a command may have changed of its canister: the memory that is counted for it and its
// low-memory hook.
func (s *subnet) refreshTarget(c *state.ManagementCall) {
	r := c.Target
	if r == nil {
		id, _, reject := s.net.management.Effective(c.Method, c.Arg)
		if reject != nil {
			return
		}
		r = s.Canisters.Get(id)
	}
	if r == nil || r.Gone || r.Running {
		return
	}
	s.Recount(r)
	tasks.WatchMemory(s.net.executor, r)
	s.Ready.Add(&r.Mailbox)
}

// await makes a command wait until a canister is idle. Best-effort calls give their slots back when they expire:
// expired ones are dropped when many wait, so that the callers bound the number of waiting commands.
func (s *subnet) await(r *state.Entry, in state.Input) {
	if holdsExpired(len(r.Waiting)) {
		r.Waiting = slices.DeleteFunc(r.Waiting, func(w state.Input) bool { return s.dropLate(&w) })
	}
	r.Waiting = append(r.Waiting, in)
}

// holdsExpired reports whether to look for expired commands in a waiting list of this length.
func holdsExpired(n int) bool { return n%intercanister.QueueCapacity == intercanister.QueueCapacity-1 }

// dropLate drops a waiting call if it is an expired best-effort call.
func (s *subnet) dropLate(in *state.Input) bool {
	gone := in.Source == intercanister.SourceRequests && s.Late(&in.Request)
	if gone {
		s.dropCommand(&in.Request)
	}
	return gone
}

// requeue returns commands that waited for a canister to the queue, if their callers still wait and there is room.
func (s *subnet) requeue(waiting []state.Input) {
	for i := range waiting {
		in, q := &waiting[i], &waiting[i].Request
		switch {
		case in.Source == intercanister.SourceIngress:
			s.ManagementCalls.PushIngress(in.Ingress)
		case s.Late(q):
			s.dropCommand(q)
		case !s.ManagementCalls.PushRequest(q):
			s.answer(q, rejectInputFull(q.Receiver))
		}
	}
	s.Ready.Add(&s.ManagementCalls)
}

func (s *subnet) commandOfIngress(in *state.Ingress) state.ManagementCall {
	return state.ManagementCall{
		Host: s, State: &s.State, Method: in.Method, Arg: in.Arg, Caller: in.Sender,
		Origin: intercanister.Origin{Kind: intercanister.FromIngress, Caller: in.Sender, Ingress: in.Number},
		Target: s.Canisters.Get(in.Effective),
	}
}

// applyEffect applies the effect of an answer and returns the answer that is left to give.
func (s *subnet) applyEffect(c *state.ManagementCall, a state.Answer) state.Answer {
	switch a.Effect {
	case state.StartCanister:
		s.start(a.Target)
	case state.StopCanister:
		s.stop(a.Target, c.Ticket())
	case state.InstallCode:
		return s.install(c, a.Target, a.Install, a.Spent)
	case state.UninstallCode:
		s.uninstall(a.Target)
	case state.RefreshEntryPoints:
		s.refreshEntryPoints(a.Target)
	case state.DeleteCanister:
		s.delete(a.Target)
	case state.SendOutcall:
		s.sendOutcall(c.Ticket(), a.Outcall, a.Withheld)
	case state.AnswerNextRound:
		s.Postponed = append(s.Postponed, state.Postponed{Ticket: c.Ticket(), Method: c.Method})
	}
	return a
}

// install runs an installation as a message of its canister.
func (s *subnet) install(c *state.ManagementCall, target *state.Entry, in *canister.Install, spent uint64) state.Answer {
	j := s.job(target)
	copied := *c
	j.Install = &state.Installation{Call: &copied, In: in, Spent: spent}
	in.Known = in.Module != nil && s.Compiled[in.Module.Hash()]
	// Compiling costs the same in both widths, and so does what the hooks run: dfinity/ic#10918.
	j.Limit, j.Memory64 = s.Limits.Install, false
	s.Ready.Remove(&target.Mailbox)
	if reject := charging.Prepay(&s.State, j.Execution, &s.longest, c.Caller); reject != nil {
		s.release(j)
		return s.net.management.Installed(c, target, spent, canister.Outcome{Failure: reject})
	}
	target.Running, target.Mailbox.Blocked = true, true
	j.Begin()
	s.net.runner.Run([]*Job{j})
	if !j.over {
		s.beginIngress(c)
	}
	s.finish(j)
	return state.Later()
}

// beginIngress sets the status of a user's message to processing.
func (s *subnet) beginIngress(c *state.ManagementCall) {
	if c.FromUser() {
		record := s.History.At(c.Origin.Ingress)
		s.History.Begin(record)
		s.Show(record)
	}
}

// finishInstall handles the outcome of an installation.
func (s *subnet) finishInstall(j *Job) {
	s.RoundInstructions += j.outcome.Instructions
	charging.Refund(&s.State, j.Execution, j.outcome.Instructions)
	if s.Limits.InstallRate > 0 {
		s.Owed(j.Entry, &s.Limits).Install += j.outcome.Instructions
	}
	s.refreshEntryPoints(j.Entry)
	if module := j.Install.In.Module; module != nil && j.outcome.Failure == nil {
		s.Compiled[module.Hash()] = true
	}
	done := s.net.management.Installed(j.Install.Call, j.Entry, j.Install.Spent, j.outcome)
	s.Answer(j.Install.Call.Ticket(), done)
}
