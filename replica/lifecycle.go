package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/tasks"
)

// The effects of the management canister on a subnet (state.Host).

// emptyReply is the Candid encoding of no values.
var emptyReply = []byte("DIDL\x00\x00")

// Answer settles a call of the management canister. Canisters do not see the error code of a reject.
func (m *subnet) Answer(t state.Ticket, a state.Answer) {
	if a.When != state.Now {
		panic("replica: a deferred call was deferred again")
	}
	if t.Origin.Kind == intercanister.FromCanister {
		a.Reject = a.Reject.WithoutCode()
	}
	m.reply(nil, &t.Origin, intercanister.Response{Reply: a.Reply, Reject: a.Reject, Refund: t.Refund})
}

// Create makes an empty canister.
func (m *subnet) Create(id *principal.Principal, settings canister.Settings, balance cycles.Amount) (*state.Entry, *intercanister.Reject) {
	if most := m.net.config.SubnetCanisters; m.Canisters.Len() >= most {
		return nil, rejectTooManyCanisters(m.ID, most)
	}
	var chosen principal.Principal
	if id != nil {
		chosen = *id
		if !m.Ids.Hosts(chosen) {
			return nil, rejectNotHosted(chosen, m.ID)
		}
		if m.Canisters.Get(chosen) != nil {
			return nil, rejectCanisterExists(chosen)
		}
	} else {
		for chosen.Len() == 0 || m.Canisters.Get(chosen) != nil {
			next, ok := m.Ids.Next()
			if !ok {
				return nil, rejectNoCanisterIDs(m.ID)
			}
			chosen = next
		}
	}
	c := canister.New(chosen, m.Time, settings)
	c.Balance = balance
	r := m.Add(c)
	m.Recount(r)
	if m.net.sink != nil {
		m.net.emit(Event{Kind: CanisterCreated, Subnet: m.ID, Canister: chosen})
	}
	return r, nil
}

// Stop begins to stop a canister; the ticket is answered when the canister has stopped.
func (m *subnet) Stop(r *state.Entry, t state.Ticket) {
	if r.Canister.Status == canister.Stopped {
		m.Answer(t, state.Reply(emptyReply))
		return
	}
	m.setStatus(r, canister.Stopping)
	m.AddStop(r, t)
	m.finishStopping(r)
}

// finishStopping stops a stopping canister without open contexts and calls, and answers its callers.
func (m *subnet) finishStopping(r *state.Entry) {
	if r.Canister.Status != canister.Stopping || r.Mailbox.Contexts > 0 || r.Running {
		return
	}
	m.setStatus(r, canister.Stopped)
	r.Canister.Version++
	for _, stop := range m.RemoveStops(r) {
		m.Answer(stop.Ticket, state.Reply(emptyReply))
	}
}

// Start makes a canister running and rejects the calls that wait for it to stop.
func (m *subnet) Start(r *state.Entry) {
	m.setStatus(r, canister.Running)
	for _, stop := range m.RemoveStops(r) {
		m.Answer(stop.Ticket, state.Fail(rejectRestarted(r.ID(), stop.Ticket.Origin.Kind)))
	}
	tasks.Resume(&m.State, m.net.executor, r)
	m.Ready.Add(&r.Mailbox)
}

func (m *subnet) setStatus(r *state.Entry, to canister.Status) {
	if r.Canister.Status == to {
		return
	}
	r.Canister.Status = to
	if m.net.sink != nil {
		m.net.emit(Event{Kind: StatusChanged, Subnet: m.ID, Canister: r.ID(), Number: uint64(to)})
	}
}

// Uninstall removes code and memories of an idle canister and rejects the callers of its open contexts.
func (m *subnet) Uninstall(r *state.Entry) {
	if r.Running {
		panic("replica: canister " + r.ID().String() + " is uninstalled while a message runs")
	}
	r.Canister.Uninstall()
	for _, id := range m.Calls.OpenContexts(&r.Mailbox) {
		context := m.Calls.Context(id)
		if !context.Responded {
			m.reply(r, &context.Origin, intercanister.Response{Reject: rejectUninstalled(), Refund: m.Respond(r, context)})
		}
		context.Deleted = true
		m.Calls.Close(&r.Mailbox, context)
	}
	m.RefreshEntryPoints(r)
	m.finishStopping(r)
	if m.net.sink != nil {
		m.net.emit(Event{Kind: CodeRemoved, Subnet: m.ID, Canister: r.ID()})
	}
}

// RefreshEntryPoints handles a change of the canister's code: heartbeat, timer and hook.
func (m *subnet) RefreshEntryPoints(r *state.Entry) {
	tasks.Refresh(&m.State, m.net.executor, r)
	m.Touch(r)
}

// Delete removes a stopped canister. What waits for it is rejected.
func (m *subnet) Delete(r *state.Entry) {
	if r.Canister.Status != canister.Stopped || r.Running || r.Mailbox.Contexts > 0 || r.Outgoing > 0 {
		panic("replica: canister " + r.ID().String() + " is deleted before it is stopped and has nothing to send")
	}
	var in intercanister.Input
	for r.Mailbox.Pop(&in) {
		switch in.Source {
		case intercanister.SourceIngress:
			m.answerIngress(m.History.At(in.Ingress), nil, rejectNotFound(r.ID()))
		case intercanister.SourceRequests:
			m.Deadlines.Remove(in.Request.Expiry)
			m.answer(&in.Request, rejectReceiverNotFound(r.ID()))
		}
	}
	m.requeue(r.Waiting)
	r.Waiting = nil
	r.Canister.Close()
	m.Uncount(r)
	m.Remove(r)
	if m.net.sink != nil {
		m.net.emit(Event{Kind: CanisterDeleted, Subnet: m.ID, Canister: r.ID()})
	}
}

// NextRound settles a deferred call at the start of the next round.
func (m *subnet) NextRound(t state.Ticket, method string) {
	m.Postponed = append(m.Postponed, state.Postponed{Ticket: t, Method: method})
}

// answerPostponed answers the calls that were postponed to this round.
func (m *subnet) answerPostponed() {
	for i := range m.Postponed {
		p := &m.Postponed[i]
		m.Answer(p.Ticket, m.net.management.Postponed(p.Method)(&m.State))
	}
	clear(m.Postponed)
	m.Postponed = m.Postponed[:0]
}

// Version returns the replica version of the subnet's nodes.
func (m *subnet) Version() string { return m.net.config.Version }

// Engine returns the engine that runs canisters.
func (m *subnet) Engine() *canister.Engine { return m.net.config.Engine }

// SubnetOf returns the subnet that hosts a canister id.
func (m *subnet) SubnetOf(id principal.Principal) (principal.Principal, bool) {
	if position := m.net.routes.find(id); position >= 0 {
		return m.net.subnets[position].ID, true
	}
	return principal.Principal{}, false
}

// Root returns the root subnet.
func (m *subnet) Root() principal.Principal { return m.net.subnets[0].ID }

// Elsewhere reports whether a canister id belongs to another subnet.
func (m *subnet) Elsewhere(id principal.Principal) bool {
	position := m.net.routes.find(id)
	return position >= 0 && position != m.position
}
