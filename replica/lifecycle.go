package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/tasks"
)

// What the subnet does for the management canister: methods of state.Host, and effects (state.Effect).

// emptyReply is the Candid encoding of no values.
var emptyReply = []byte("DIDL\x00\x00")

// Answer settles a call of the management canister. Canisters do not see the error code of a reject.
func (s *subnet) Answer(t state.Ticket, a state.Answer) {
	if a.When != state.Now {
		panic("replica: a deferred call was deferred again")
	}
	if t.Origin.Kind == intercanister.FromCanister {
		a.Reject = a.Reject.WithoutCode()
	}
	s.reply(nil, &t.Origin, intercanister.Response{Reply: a.Reply, Reject: a.Reject, Refund: t.Refund})
}

// Create makes an empty canister.
func (s *subnet) Create(id *principal.Principal, settings canister.Settings, balance cycles.Amount) (*state.Entry, *intercanister.Reject) {
	if most := s.net.config.SubnetCanisters; s.Canisters.Len() >= most {
		return nil, rejectTooManyCanisters(s.ID, most)
	}
	var chosen principal.Principal
	if id != nil {
		chosen = *id
		if !s.Ids.Hosts(chosen) {
			return nil, rejectNotHosted(chosen, s.ID)
		}
		if s.Canisters.Get(chosen) != nil {
			return nil, rejectCanisterExists(chosen)
		}
	} else {
		for chosen.Len() == 0 || s.Canisters.Get(chosen) != nil {
			next, ok := s.Ids.Next()
			if !ok {
				return nil, rejectNoCanisterIDs(s.ID)
			}
			chosen = next
		}
	}
	c := canister.New(chosen, s.Time, settings)
	c.Balance = balance
	r := s.Add(c)
	s.Recount(r)
	if s.net.sink != nil {
		s.net.emit(Event{Kind: CanisterCreated, Subnet: s.ID, Canister: chosen})
	}
	return r, nil
}

// stop begins to stop a canister; the ticket is answered when the canister has stopped.
func (s *subnet) stop(r *state.Entry, t state.Ticket) {
	if r.Canister.Status == canister.Stopped {
		s.Answer(t, state.Reply(emptyReply))
		return
	}
	s.setStatus(r, canister.Stopping)
	s.AddStop(r, t)
	s.finishStopping(r)
}

// finishStopping stops a stopping canister without open contexts and calls, and answers its callers.
func (s *subnet) finishStopping(r *state.Entry) {
	if r.Canister.Status != canister.Stopping || r.Mailbox.Contexts > 0 || r.Running {
		return
	}
	s.setStatus(r, canister.Stopped)
	r.Canister.Version++
	for _, stop := range s.RemoveStops(r) {
		s.Answer(stop.Ticket, state.Reply(emptyReply))
	}
}

// start makes a canister running and rejects the calls that wait for it to stop.
func (s *subnet) start(r *state.Entry) {
	s.setStatus(r, canister.Running)
	for _, stop := range s.RemoveStops(r) {
		s.Answer(stop.Ticket, state.Fail(rejectRestarted(r.ID(), stop.Ticket.Origin.Kind)))
	}
	tasks.Resume(&s.State, s.net.executor, r)
	s.Ready.Add(&r.Mailbox)
}

func (s *subnet) setStatus(r *state.Entry, to canister.Status) {
	if r.Canister.Status == to {
		return
	}
	r.Canister.Status = to
	if s.net.sink != nil {
		s.net.emit(Event{Kind: StatusChanged, Subnet: s.ID, Canister: r.ID(), Number: uint64(to)})
	}
}

// uninstall removes code and memories of an idle canister and rejects the callers of its open contexts.
func (s *subnet) uninstall(r *state.Entry) {
	if r.Running {
		panic("replica: canister " + r.ID().String() + " is uninstalled while a message runs")
	}
	r.Canister.Uninstall()
	for _, id := range s.Calls.OpenContexts(&r.Mailbox) {
		context := s.Calls.Context(id)
		if !context.Responded {
			s.reply(r, &context.Origin, intercanister.Response{Reject: rejectUninstalled(), Refund: s.Respond(r, context)})
		}
		context.Deleted = true
		s.Calls.Close(&r.Mailbox, context)
	}
	s.refreshEntryPoints(r)
	s.finishStopping(r)
	if s.net.sink != nil {
		s.net.emit(Event{Kind: CodeRemoved, Subnet: s.ID, Canister: r.ID()})
	}
}

// refreshEntryPoints handles a change of the canister's code: heartbeat, timer and hook.
func (s *subnet) refreshEntryPoints(r *state.Entry) {
	tasks.Refresh(&s.State, s.net.executor, r)
	s.Touch(r)
}

// delete removes a stopped canister. What waits for it is rejected.
func (s *subnet) delete(r *state.Entry) {
	if r.Canister.Status != canister.Stopped || r.Running || r.Mailbox.Contexts > 0 || r.Outgoing > 0 {
		panic("replica: canister " + r.ID().String() + " is deleted before it is stopped and has nothing to send")
	}
	var in intercanister.Input
	for r.Mailbox.Pop(&in) {
		switch in.Source {
		case intercanister.SourceIngress:
			s.answerIngress(s.History.At(in.Ingress), nil, rejectNotFound(r.ID()))
		case intercanister.SourceRequests:
			s.Deadlines.Remove(in.Request.Expiry)
			s.answer(&in.Request, rejectReceiverNotFound(r.ID()))
		}
	}
	s.requeue(r.Waiting)
	r.Waiting = nil
	r.Canister.Close()
	s.Uncount(r)
	s.Remove(r)
	if s.net.sink != nil {
		s.net.emit(Event{Kind: CanisterDeleted, Subnet: s.ID, Canister: r.ID()})
	}
}

// answerPostponed answers the calls that were postponed to this round.
func (s *subnet) answerPostponed() {
	for i := range s.Postponed {
		p := &s.Postponed[i]
		s.Answer(p.Ticket, s.net.management.Postponed(p.Method)(&s.State))
	}
	clear(s.Postponed)
	s.Postponed = s.Postponed[:0]
}

// Version returns the replica version of the subnet's nodes.
func (s *subnet) Version() string { return s.net.config.Version }

// Engine returns the engine that runs canisters.
func (s *subnet) Engine() *canister.Engine { return s.net.config.Engine }

// SubnetOf returns the subnet that hosts a canister id.
func (s *subnet) SubnetOf(id principal.Principal) (principal.Principal, bool) {
	if position := s.net.routes.find(id); position >= 0 {
		return s.net.subnets[position].ID, true
	}
	return principal.Principal{}, false
}

// Root returns the root subnet.
func (s *subnet) Root() principal.Principal { return s.net.subnets[0].ID }

// elsewhere reports whether a canister id belongs to another subnet.
func (s *subnet) elsewhere(id principal.Principal) bool {
	position := s.net.routes.find(id)
	return position >= 0 && position != s.position
}
