package model

// send sends a request: within the subnet at once, to others with the next round.
func (w *World) send(from *Subnet, q *request) {
	to := from
	if q.to != Management {
		to = w.SubnetOf(q.to)
	} else if q.method != "create" {
		to = w.SubnetOf(about(q.arg))
	}
	switch {
	case to == nil && q.to == Management:
		w.induct(from, q)
	case to == nil:
		w.refuse(from, q, reject(NotFound, "No route to canister"))
	case to == from:
		w.induct(to, q)
	default:
		from.out = append(from.out, streamMessage{from: q.call.owner, request: q})
	}
}

// induct delivers a request to its receiver, or refuses it.
func (w *World) induct(at *Subnet, q *request) {
	q.arrived = w.now
	if q.to == Management {
		at.commands = append(at.commands, q)
		return
	}
	c := at.canisters.get(q.to)
	switch {
	case c == nil:
		w.refuse(at, q, reject(NotFound, "not found"))
	case c.Status == Stopping:
		w.refuse(at, q, reject(IsStopping, "is stopping"))
	case c.Status == Stopped:
		w.refuse(at, q, reject(IsStopped, "is stopped"))
	case len(c.requests.get(q.sender))+c.owed[q.sender] >= mostCalls:
		w.refuse(at, q, reject(QueueFull, "full"))
	default:
		c.wait(q.sender, append(c.requests.get(q.sender), q))
	}
}

// wait sets the requests of a sender that wait for the canister.
func (c *Canister) wait(sender ID, list []*request) {
	if len(list) == 0 {
		c.requests.remove(sender)
		return
	}
	c.requests.put(sender, list)
}

// refuse rejects a request that was not executed: all its cycles are refunded.
func (w *World) refuse(at *Subnet, q *request, r Response) {
	r.refund = q.cycles
	w.reply(at, nil, origin{call: q.call}, r)
}

// reply sends an answer to its caller. from is the canister that answers, nil for the subnet itself.
func (w *World) reply(at *Subnet, from *Canister, to origin, r Response) {
	switch {
	case to.ingress != nil:
		w.answer(at, to.ingress, r)
	case to.call != nil && to.call.owner.subnet == at:
		w.settleFuture(to.call, r)
	case to.call != nil:
		at.out = append(at.out, streamMessage{from: from, call: to.call, response: r})
	}
}

func (w *World) answer(at *Subnet, in *ingress, r Response) {
	w.must(!in.answered, "message %d was answered twice", in.key)
	in.answered = true
	w.ingress.remove(in.key)
	w.effect(Effect{Kind: Answered, Subnet: at, Ingress: in.key, Response: &r})
}

// settleFuture settles a call with its response. A second response is late: only its cycles return.
func (w *World) settleFuture(f *call, r Response) {
	if f.state != waiting {
		w.giveBack(f.owner.subnet, f, r.refund)
		return
	}
	f.state, f.response = settled, r
	f.owner.responses = append(f.owner.responses, f)
	w.effect(Effect{Kind: Settled, Subnet: f.owner.subnet, Canister: f.owner.ID, Call: f.number, Response: &f.response})
}

// Round begins a round: what came from other subnets arrives.
func (w *World) Round(now uint64) {
	w.must(w.now < now, "time went from %d to %d", w.now, now)
	w.now = now
	for _, s := range w.Subnets {
		for _, p := range s.out {
			to := s.otherEnd(w, p)
			to.in = append(to.in, p)
		}
		s.out, s.later = s.later, nil
	}
	for _, s := range w.Subnets {
		for _, p := range s.in {
			switch {
			case p.request != nil:
				w.induct(s, p.request)
			case p.late:
				w.giveBack(s, p.call, p.response.refund)
			default:
				w.settleFuture(p.call, p.response)
			}
		}
		s.in = nil
	}
	for _, s := range w.Subnets {
		for _, c := range s.canisters.things {
			w.expireStops(c)
		}
	}
}

func (s *Subnet) otherEnd(w *World, p streamMessage) *Subnet {
	switch {
	case p.request == nil:
		return p.call.owner.subnet
	case p.request.to == Management:
		return w.SubnetOf(about(p.request.arg))
	}
	return w.SubnetOf(p.request.to)
}

// ExpireCall answers a best-effort call that has waited too long.
func (w *World) ExpireCall(s *Subnet, number uint64) {
	f := s.calls.get(number)
	if f == nil || f.state != waiting || f.deadline == 0 || w.now < f.deadline {
		w.wrong("call %d expired, which was not due", number)
		return
	}
	w.settleFuture(f, Response{Code: CallExpired, Text: "deadline has expired"})
}

// Overdue records what should have happened by now in any schedule.
func (w *World) Overdue() {
	for _, s := range w.Subnets {
		for _, f := range s.calls.things {
			w.must(f.state != waiting || f.deadline == 0 || w.now < f.deadline+second || w.now == f.made, "call %d of canister %d did not expire", f.number, f.owner.ID)
		}
	}
	for _, in := range w.ingress.things {
		w.must(in.begun || w.now < in.expiry, "message %d did not expire", in.key)
	}
}
