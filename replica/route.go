package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/management"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/timers"
)

// send sends a request, unless fault injection intercepts it.
func (s *subnet) send(q *intercanister.Request) {
	if !s.faults.Idle() && s.intercepted(s.faults.Send(q)) {
		return
	}
	s.dispatch(q)
}

// dispatch delivers a request to a canister of the subnet at once, to the management canister, or into the stream to
// another subnet.
func (s *subnet) dispatch(q *intercanister.Request) {
	if r := s.Canisters.Get(q.Receiver); r != nil {
		s.induct(r, q)
		return
	}
	if to := s.net.managementOf(q.Receiver, s); to != nil {
		s.sendCommand(to, q)
		return
	}
	position := s.net.routes.find(q.Receiver)
	switch {
	case position < 0:
		s.answer(q, rejectNoRoute(q.Receiver))
	case position == s.position:
		s.answer(q, rejectReceiverNotFound(q.Receiver))
	default:
		s.forward(s.net.subnets[position], q)
	}
}

// unsendable returns why a call of the management canister is not sent, nil for all other calls. version is the
// sender's, as its message saw it.
func (s *subnet) unsendable(q *intercanister.Request, version uint64) *intercanister.Reject {
	if _, canister := q.Receiver.CanisterNumber(); canister || s.net.managementOf(q.Receiver, s) == nil {
		return nil
	}
	if q.Receiver == principal.Management {
		return s.net.management.Sent(q.Method, q.Payload, version, s.net.hosts)
	}
	if reject := s.net.management.Sent(q.Method, q.Payload, version, nil); reject != nil || s.position == 0 {
		return reject
	}
	return management.RejectResolved(q.Method, q.Receiver)
}

// hosts reports whether a canister id belongs to any subnet.
func (n *Network) hosts(id principal.Principal) bool { return n.routes.find(id) >= 0 }

// sendCommand routes a call of the management canister to the subnet that runs it: the subnet of the canister or the
// key that the call is about. A few calls go elsewhere.
func (s *subnet) sendCommand(to *subnet, q *intercanister.Request) {
	if q.Receiver == principal.Management {
		if elsewhere := s.net.management.Redirect(q.Method, q.Payload); elsewhere != principal.Management {
			q.Receiver = elsewhere
			s.dispatch(q)
			return
		}
		holder, reject := s.net.keyHolder(q)
		if reject != nil {
			s.answer(q, reject)
			return
		}
		if holder != nil {
			to = holder
		}
	}
	if to == s && q.Receiver == principal.Management && len(s.net.subnets) > 1 {
		id, anywhere, reject := s.net.management.Effective(q.Method, q.Payload)
		if position := s.net.routes.find(id); reject == nil && !anywhere && position >= 0 {
			to = s.net.subnets[position]
		}
	}
	if to == s {
		s.inductCommand(q)
	} else {
		s.forward(to, q)
	}
}

func (s *subnet) inductCommand(q *intercanister.Request) {
	if s.ManagementCalls.Len() >= state.MaxManagementQueue || !s.ManagementCalls.PushRequest(q) {
		s.answer(q, rejectInputFull(q.Receiver))
		return
	}
	s.Ready.Add(&s.ManagementCalls)
}

func (s *subnet) forward(to *subnet, q *intercanister.Request) {
	if (s.config.Kind == CloudEngine || to.config.Kind == CloudEngine) && (q.Deadline == 0 || !q.Cycles.IsZero()) {
		s.answer(q, rejectCloudEngine())
		return
	}
	if size := len(q.Method) + len(q.Payload); size > MaxRequestBytes {
		s.answer(q, rejectTooLarge(q.Sender, size, MaxRequestBytes))
		return
	}
	copied := *q
	s.Enqueue(to.position, state.StreamMessage{Request: &copied, Deadline: q.Deadline, From: s.Canisters.Get(q.Sender)})
}

// induct puts a request into the mailbox of its receiver, or rejects it.
func (s *subnet) induct(r *state.Entry, q *intercanister.Request) {
	if reject := rejectRequest(r.Canister); reject != nil {
		s.answer(q, reject)
		return
	}
	bytes := q.Memory()
	if q.Deadline == 0 && bytes > s.messageRoom() {
		s.answer(q, rejectNoMessageMemory(bytes))
		return
	}
	if q.Deadline != 0 {
		q.Expiry = s.Deadlines.Add(timers.Deadline{At: state.Expiry(q.Deadline), Kind: timers.RequestExpiry, Subject: r.ID()})
	}
	if !r.Mailbox.PushRequest(q) {
		s.Deadlines.Remove(q.Expiry)
		s.answer(q, rejectInputFull(q.Receiver))
		return
	}
	s.ReserveMemory(r, q.Deadline, bytes)
	if q.Deadline == 0 {
		s.Shared.Promised += bytes
	}
	s.Ready.Add(&r.Mailbox)
}

// answer rejects a request that was not executed; all its cycles are refunded.
func (s *subnet) answer(q *intercanister.Request, reject *intercanister.Reject) {
	s.respond(nil, q.Sender, q.Call, q.Deadline, intercanister.Response{Reject: reject, Refund: q.Cycles})
}

// respond routes a response to the canister whose call it settles. from is the responder, nil for the subnet itself.
func (s *subnet) respond(from *state.Entry, owner principal.Principal, call intercanister.CallID, deadline uint64, response intercanister.Response) {
	position := s.net.routes.find(owner)
	if position == s.position {
		s.settleFuture(owner, call, response)
		return
	}
	if position < 0 {
		s.loseRefund(owner, response.Refund)
		return
	}
	s.Enqueue(position, state.StreamMessage{Call: call, Owner: owner, Response: response, Deadline: deadline, From: from})
}

// settleFuture delivers a response to a future of this subnet, unless fault injection intercepts it.
func (s *subnet) settleFuture(owner principal.Principal, call intercanister.CallID, response intercanister.Response) {
	if !s.faults.Idle() && s.intercepted(s.faults.Settle(owner, call, response)) {
		return
	}
	s.deliver(owner, call, response)
}

// deliver settles a future of this subnet and queues its callback. A late answer is dropped, but its refund is not: the
// replica adds it to the owner's balance.
func (s *subnet) deliver(owner principal.Principal, call intercanister.CallID, response intercanister.Response) {
	f := s.Calls.Future(call)
	if f == nil || f.State != intercanister.Waiting || f.Owner != owner { // it belongs to a call of another subnet if the owner has moved
		s.noteLate(owner, call, &response)
		s.refundTo(owner, response.Refund)
		return
	}
	r := s.Canisters.Get(f.Owner)
	if r == nil {
		panic("replica: call " + f.Owner.String() + " outlived its canister")
	}
	if f.Expiry != 0 {
		s.Deadlines.Remove(f.Expiry)
	}
	if f.Deadline == 0 {
		s.ReleaseMemory(r, 0, intercanister.ResponseReservation)
	}
	s.ReserveMemory(r, f.Deadline, response.Memory())
	s.Calls.Settle(&r.Mailbox, call, response)
	s.Ready.Add(&r.Mailbox)
	s.noteSettled(call, f, &response)
}

// receive delivers what came from other subnets since the last round.
func (s *subnet) receive() {
	for i := range s.Inbound {
		p := &s.Inbound[i]
		switch {
		case p.Request == nil && p.Call == 0:
			s.refundTo(p.Owner, p.Response.Refund)
		case p.Request == nil:
			s.settleFuture(p.Owner, p.Call, p.Response)
		case s.net.managementOf(p.Request.Receiver, s) != nil:
			s.inductCommand(p.Request)
		default:
			if r := s.Canisters.Get(p.Request.Receiver); r != nil {
				s.induct(r, p.Request)
			} else {
				s.answer(p.Request, s.rejectAbsent(p.Request.Receiver))
			}
		}
	}
	clear(s.Inbound)
	s.Inbound = s.Inbound[:0]
}

// rejectAbsent rejects a request that came to a subnet without its receiver.
func (s *subnet) rejectAbsent(id principal.Principal) *intercanister.Reject {
	if s.elsewhere(id) {
		return rejectMigrating(id)
	}
	return rejectReceiverNotFound(id)
}

// reply sends an answer to the caller that opened a call context or called the management canister. from is the
// canister that answers, nil for the management canister.
func (s *subnet) reply(from *state.Entry, origin *intercanister.Origin, response intercanister.Response) {
	switch origin.Kind {
	case intercanister.FromIngress:
		s.answerIngress(s.History.At(origin.Ingress), response.Reply, response.Reject)
	case intercanister.FromCanister:
		s.respond(from, origin.Caller, origin.Call, origin.Deadline, response)
	}
}

func (s *subnet) answerIngress(in *state.Ingress, reply []byte, reject *intercanister.Reject) {
	in = s.History.Answer(in, reply, reject, s.Time, &s.Deadlines, s.Show)
	s.Show(in)
	s.net.answered = append(s.net.answered, in.ID)
	s.TreeChanged = s.TreeChanged || !s.net.open
	if s.net.sink != nil {
		s.net.emit(Event{Kind: IngressAnswered, Subnet: s.ID, Canister: in.Effective, Request: in.ID, Method: in.Method, Reject: reject, Bytes: len(reply), Payload: reply})
	}
}
