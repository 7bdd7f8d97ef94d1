package intercanister

// Memory returns the memory of a waiting request, in bytes. A call with guaranteed response includes the reservation
// for its response.
func (q *Request) Memory() uint64 {
	bytes := uint64(RequestOverhead + len(q.Method) + len(q.Payload))
	if q.Deadline == 0 {
		bytes = max(bytes, ResponseReservation)
	}
	return bytes
}

// Memory returns the memory of a response that waits for its callback, in bytes. A response by the network itself to a
// best-effort call takes none.
func (r *Response) Memory() uint64 {
	if r.Reject != nil && r.Reject.Code == SysUnknown {
		return 0
	}
	return uint64(ResponseOverhead + r.PayloadBytes())
}

// Memory returns the memory of all waiting messages, in bytes: of calls with guaranteed response, with the reservations
// for responses, and of best-effort calls.
func (m *Mailbox) Memory() (guaranteed, bestEffort uint64) {
	add := func(bounded bool, bytes uint64) {
		if bounded {
			bestEffort += bytes
		} else {
			guaranteed += bytes
		}
	}
	for i := range m.responses.Len() {
		s := m.responses.At(i)
		add(s.bounded, s.response.Memory())
	}
	for p := range m.pairs.all() { // a sum: the order has no effect
		for i := range p.requests.Len() {
			q := p.requests.At(i)
			add(q.Deadline != 0, q.Memory())
		}
	}
	return guaranteed, bestEffort
}

// Shed drops the largest waiting best-effort message, the last of several, and returns it; it returns false if there is
// none. The answer to a dropped request is no longer owed; in place of a dropped response the callback gets the reject.
func (m *Mailbox) Shed(reject *Reject) (in Input, ok bool) {
	at, depth, largest := m.largest()
	if largest == 0 {
		return in, false
	}
	if m.arrivals.At(at).source == SourceResponses {
		s := m.responses.At(depth)
		in = Input{Source: SourceResponses, Call: s.call, Response: s.response}
		s.response = Response{Reject: reject}
		return in, true
	}
	return Input{Source: SourceRequests, Request: m.drop(at, depth)}, true
}

// Largest returns the memory of the largest waiting best-effort message, 0 if there is none.
func (m *Mailbox) Largest() uint64 {
	_, _, largest := m.largest()
	return largest
}

// Late drops the first waiting request for which late is true, and returns it; its answer is no longer owed. It returns
// false if there is none.
func (m *Mailbox) Late(late func(*Request) bool) (q Request, ok bool) {
	seen := make(map[*pair]int, m.pairs.n)
	for i := range m.arrivals.Len() {
		a := m.arrivals.At(i)
		if a.source != SourceRequests {
			continue
		}
		p := m.pairs.of(a.sender)
		depth := seen[p]
		seen[p]++
		if late(p.requests.At(depth)) {
			return m.drop(i, depth), true
		}
	}
	return q, false
}

// drop removes a request that is not executed.
func (m *Mailbox) drop(at, depth int) Request {
	var in Input
	last := m.lastTask
	m.popAt(at, depth, &in)
	m.lastTask = last
	m.FreeRequestSlot(in.Request.Sender)
	return in.Request
}

// largest finds the largest best-effort message: its position among all waiting messages and within its source or
// sender.
func (m *Mailbox) largest() (at, depth int, largest uint64) {
	responses := 0
	seen := make(map[*pair]int, m.pairs.n)
	for i := range m.arrivals.Len() {
		var bytes uint64
		var d int
		switch a := m.arrivals.At(i); a.source {
		case SourceResponses:
			d = responses
			responses++
			if s := m.responses.At(d); s.bounded {
				bytes = s.response.Memory()
			}
		case SourceRequests:
			p := m.pairs.of(a.sender)
			d = seen[p]
			seen[p]++
			if q := p.requests.At(d); q.Deadline != 0 {
				bytes = q.Memory()
			}
		}
		if bytes > 0 && bytes >= largest {
			at, depth, largest = i, d, bytes
		}
	}
	return at, depth, largest
}
