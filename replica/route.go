package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/management"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

// send sends a request, unless fault injection intercepts it.
func (m *subnet) send(q *intercanister.Request) {
	if i := m.interceptor(); i != nil && m.intercepted(i.Send(q)) {
		return
	}
	m.dispatch(q)
}

// dispatch delivers a request to a canister of the subnet at once, to the management canister, or into the stream to
// another subnet.
func (m *subnet) dispatch(q *intercanister.Request) {
	if r := m.Canisters.Get(q.Receiver); r != nil {
		m.induct(r, q)
		return
	}
	if to := m.net.managementOf(q.Receiver, m); to != nil {
		m.sendCommand(to, q)
		return
	}
	position := m.net.routes.find(q.Receiver)
	switch {
	case position < 0:
		m.answer(q, rejectNoRoute(q.Receiver))
	case position == m.position:
		m.answer(q, rejectReceiverNotFound(q.Receiver))
	default:
		m.forward(m.net.subnets[position], q)
	}
}

// unsendable returns why a call of the management canister is not sent, nil for all other calls. version is the
// sender's, as its message saw it.
func (m *subnet) unsendable(q *intercanister.Request, version uint64) *intercanister.Reject {
	if _, canister := q.Receiver.CanisterNumber(); canister || m.net.managementOf(q.Receiver, m) == nil {
		return nil
	}
	if q.Receiver == principal.Management {
		return m.net.management.Sent(q.Method, q.Payload, version, m.net.hosts)
	}
	if reject := m.net.management.Sent(q.Method, q.Payload, version, nil); reject != nil || m.position == 0 {
		return reject
	}
	return management.RejectResolved(q.Method, q.Receiver)
}

// hosts reports whether a canister id belongs to any subnet.
func (n *Network) hosts(id principal.Principal) bool { return n.routes.find(id) >= 0 }

// sendCommand routes a call of the management canister to the subnet that runs it: the subnet of the canister or the
// key that the call is about. A few calls go elsewhere.
func (m *subnet) sendCommand(to *subnet, q *intercanister.Request) {
	if q.Receiver == principal.Management {
		if elsewhere := m.net.management.Redirect(q.Method, q.Payload); elsewhere != principal.Management {
			q.Receiver = elsewhere
			m.dispatch(q)
			return
		}
		holder, reject := m.net.keyHolder(q)
		if reject != nil {
			m.answer(q, reject)
			return
		}
		if holder != nil {
			to = holder
		}
	}
	if to == m && q.Receiver == principal.Management && len(m.net.subnets) > 1 {
		id, anywhere, reject := m.net.management.Effective(q.Method, q.Payload)
		if position := m.net.routes.find(id); reject == nil && !anywhere && position >= 0 {
			to = m.net.subnets[position]
		}
	}
	if to == m {
		m.inductCommand(q)
	} else {
		m.forward(to, q)
	}
}

func (m *subnet) inductCommand(q *intercanister.Request) {
	if m.Commands.Len() >= state.MaxManagementQueue || !m.Commands.PushRequest(*q) {
		m.answer(q, rejectInputFull(q.Receiver))
		return
	}
	m.Ready.Add(&m.Commands)
}

func (m *subnet) forward(to *subnet, q *intercanister.Request) {
	if (m.config.Kind == CloudEngine || to.config.Kind == CloudEngine) && (q.Deadline == 0 || !q.Cycles.IsZero()) {
		m.answer(q, rejectCloudEngine())
		return
	}
	if size := len(q.Method) + len(q.Payload); size > MaxRequestBytes {
		m.answer(q, rejectTooLarge(q.Sender, size, MaxRequestBytes))
		return
	}
	copied := *q
	m.Enqueue(to.position, state.StreamMessage{Request: &copied, Deadline: q.Deadline, From: m.Canisters.Get(q.Sender)})
}

// induct puts a request into the mailbox of its receiver, or rejects it.
func (m *subnet) induct(r *state.Entry, q *intercanister.Request) {
	if reject := rejectRequest(r.Canister); reject != nil {
		m.answer(q, reject)
		return
	}
	bytes := q.Memory()
	if q.Deadline == 0 && bytes > m.messageRoom() {
		m.answer(q, rejectNoMessageMemory(bytes))
		return
	}
	if q.Deadline != 0 {
		q.Expiry = m.Deadlines.Add(timers.Deadline{At: state.Expiry(q.Deadline), Kind: timers.RequestExpiry, Subject: r.ID()})
	}
	if !r.Mailbox.PushRequest(*q) {
		m.Deadlines.Remove(q.Expiry)
		m.answer(q, rejectInputFull(q.Receiver))
		return
	}
	m.ReserveMemory(r, q.Deadline, bytes)
	if q.Deadline == 0 {
		m.Shared.Promised += bytes
	}
	m.Ready.Add(&r.Mailbox)
}

// answer rejects a request that was not executed; all its cycles are refunded.
func (m *subnet) answer(q *intercanister.Request, reject *intercanister.Reject) {
	m.respond(nil, q.Sender, q.Call, q.Deadline, intercanister.Response{Reject: reject, Refund: q.Cycles})
}

// respond routes a response to the canister whose call it settles. from is the responder, nil for the subnet itself.
func (m *subnet) respond(from *state.Entry, owner principal.Principal, call intercanister.CallID, deadline uint64, response intercanister.Response) {
	position := m.net.routes.find(owner)
	if position == m.position {
		m.settleFuture(owner, call, response)
		return
	}
	if position < 0 {
		m.loseRefund(owner, response.Refund)
		return
	}
	m.Enqueue(position, state.StreamMessage{Call: call, Owner: owner, Response: response, Deadline: deadline, From: from})
}

// settleFuture delivers a response to a future of this subnet, unless fault injection intercepts it.
func (m *subnet) settleFuture(owner principal.Principal, call intercanister.CallID, response intercanister.Response) {
	if i := m.interceptor(); i != nil && m.intercepted(i.Settle(owner, call, response)) {
		return
	}
	m.deliver(owner, call, response)
}

// deliver settles a future of this subnet and queues its callback. A late answer is dropped, but its refund is not: the
// replica adds it to the owner's balance.
func (m *subnet) deliver(owner principal.Principal, call intercanister.CallID, response intercanister.Response) {
	f := m.Calls.Future(call)
	if f == nil || f.State != intercanister.Waiting || f.Owner != owner { // it belongs to a call of another subnet if the owner has moved
		m.noteLate(owner, call, &response)
		m.giveBack(owner, response.Refund)
		return
	}
	r := m.Canisters.Get(f.Owner)
	if r == nil {
		panic("replica: call " + f.Owner.String() + " outlived its canister")
	}
	if f.Expiry != 0 {
		m.Deadlines.Remove(f.Expiry)
	}
	if f.Deadline == 0 {
		m.ReleaseMemory(r, 0, intercanister.ResponseReservation)
	}
	m.ReserveMemory(r, f.Deadline, response.Memory())
	m.Calls.Settle(&r.Mailbox, call, response)
	m.Ready.Add(&r.Mailbox)
	m.noteSettled(call, f, &response)
}

// receive delivers what came from other subnets since the last round.
func (m *subnet) receive() {
	for i := range m.Inbound {
		p := &m.Inbound[i]
		switch {
		case p.Request == nil && p.Call == 0:
			m.giveBack(p.Owner, p.Response.Refund)
		case p.Request == nil:
			m.settleFuture(p.Owner, p.Call, p.Response)
		case m.net.managementOf(p.Request.Receiver, m) != nil:
			m.inductCommand(p.Request)
		default:
			if r := m.Canisters.Get(p.Request.Receiver); r != nil {
				m.induct(r, p.Request)
			} else {
				m.answer(p.Request, m.rejectAbsent(p.Request.Receiver))
			}
		}
	}
	clear(m.Inbound)
	m.Inbound = m.Inbound[:0]
}

// rejectAbsent rejects a request that came to a subnet without its receiver.
func (m *subnet) rejectAbsent(id principal.Principal) *intercanister.Reject {
	if m.Elsewhere(id) {
		return rejectMigrating(id)
	}
	return rejectReceiverNotFound(id)
}

// reply sends an answer to the caller that opened a call context or called the management canister. from is the
// canister that answers, nil for the management canister.
func (m *subnet) reply(from *state.Entry, origin *intercanister.Origin, response intercanister.Response) {
	switch origin.Kind {
	case intercanister.FromIngress:
		m.answerIngress(m.History.At(origin.Ingress), response.Reply, response.Reject)
	case intercanister.FromCanister:
		m.respond(from, origin.Caller, origin.Call, origin.Deadline, response)
	}
}

func (m *subnet) answerIngress(in *state.Ingress, reply []byte, reject *intercanister.Reject) {
	in = m.History.Answer(in, reply, reject, m.Time, &m.Deadlines, m.Show)
	m.Show(in)
	m.net.answered = append(m.net.answered, in.ID)
	m.TreeChanged = m.TreeChanged || !m.net.open
	if m.net.sink != nil {
		m.net.emit(Event{Kind: IngressAnswered, Subnet: m.ID, Canister: in.Effective, Request: in.ID, Method: in.Method, Reject: reject, Bytes: len(reply), Payload: reply})
	}
}
