package intercanister

// Memory is what a request takes where it waits, in bytes. A call with guaranteed response includes the room for its
// response.
func (q *Request) Memory() uint64 {
	bytes := uint64(RequestOverhead + len(q.Method) + len(q.Payload))
	if q.Deadline == 0 {
		bytes = max(bytes, ResponseReservation)
	}
	return bytes
}

// Memory is what a response takes while it waits for its callback, in bytes. A response by the network itself to a
// best-effort call takes nothing.
func (r *Response) Memory() uint64 {
	if r.Reject != nil && r.Reject.Code == SysUnknown {
		return 0
	}
	return uint64(ResponseOverhead + r.PayloadBytes())
}

// Memory is what everything that waits takes, in bytes: messages of calls with guaranteed
// response, with the room that is kept for responses, and of best-effort calls.
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
	for _, p := range m.pairs { // a sum: no order can be seen
		for i := range p.requests.Len() {
			q := p.requests.At(i)
			add(q.Deadline != 0, q.Memory())
		}
	}
	return guaranteed, bestEffort
}

// Shed drops the largest best-effort message that waits, of several the last, and returns it; it is false if there is
// none. A dropped request is owed no answer any more; in place of a dropped response the callback gets the reject.
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

// Largest is the memory of the largest best-effort message that waits, 0 for none.
func (m *Mailbox) Largest() uint64 {
	_, _, largest := m.largest()
	return largest
}

// Late drops the first waiting request that is too late by the function, and returns it; it is owed no answer any more.
// It is false if there is none.
func (m *Mailbox) Late(late func(*Request) bool) (q Request, ok bool) {
	seen := make(map[*pair]int, len(m.pairs))
	for i := range m.arrivals.Len() {
		a := m.arrivals.At(i)
		if a.source != SourceRequests {
			continue
		}
		p := m.pairs[a.sender]
		depth := seen[p]
		seen[p]++
		if late(p.requests.At(depth)) {
			return m.drop(i, depth), true
		}
	}
	return q, false
}

// drop takes a request out that is not executed.
func (m *Mailbox) drop(at, depth int) Request {
	var in Input
	last := m.lastTask
	m.popAt(at, depth, &in)
	m.lastTask = last
	m.FreeRequestSlot(in.Request.Sender)
	return in.Request
}

// largest finds the largest best-effort message: its place among all that wait and within its source or sender.
func (m *Mailbox) largest() (at, depth int, largest uint64) {
	responses := 0
	seen := make(map[*pair]int, len(m.pairs))
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
			p := m.pairs[a.sender]
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
