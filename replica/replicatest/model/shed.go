package model

import "slices"

// The memory of a best-effort message in addition to method name and argument, or reply.
const (
	requestOverhead  = 176
	responseOverhead = 144
)

// memory returns the memory of a waiting best-effort request.
func (q *request) memory() uint64 {
	if q.call.deadline == 0 {
		return 0
	}
	return uint64(requestOverhead + len(q.method) + len(q.arg))
}

// memory returns the memory of the response to a best-effort call. A response that the subnet itself makes for an
// unknown outcome takes none.
func (f *call) memory() uint64 {
	switch r := &f.response; {
	case f.deadline == 0 || r.Code == CallExpired || r.Code == ResponseDropped:
		return 0
	case r.Code != 0:
		return uint64(responseOverhead + r.bytes)
	default:
		return uint64(responseOverhead + len(r.Reply))
	}
}

// load returns the memory of the best-effort messages that wait for a canister, and the largest.
func (c *Canister) load() (sum, largest uint64) {
	for _, list := range c.requests.things {
		for _, q := range list {
			sum, largest = sum+q.memory(), max(largest, q.memory())
		}
	}
	for _, f := range c.responses {
		sum, largest = sum+f.memory(), max(largest, f.memory())
	}
	return sum, largest
}

// load returns the memory of the best-effort messages of a subnet, and of the canister that has most.
func (s *Subnet) load() (sum, most uint64) {
	for _, c := range s.canisters.things {
		own, _ := c.load()
		sum, most = sum+own, max(most, own)
	}
	return sum, most
}

// Shed removes a best-effort message that the network drops because its subnet lacks memory: one of the largest, of one
// of the canisters whose messages take most. The caller of a request is not informed; a response is replaced by one
// that says so. Cycles are refunded, to another subnet with the next round: what leaves in this round has already left.
// Shed returns the replacement of a response, nil for a request.
func (w *World) Shed(m Message) (instead *Response) {
	c := w.Canister(m.To)
	if c == nil {
		w.wrong("a message to canister %d had to make room, which is gone", m.To)
		return nil
	}
	sum, most := c.subnet.load()
	own, largest := c.load()
	var bytes uint64
	if m.Source == FromRequest {
		bytes = w.shedRequest(c, m)
	} else {
		bytes, instead = w.shedResponse(c, m)
	}
	w.must(sum > c.subnet.Room, "call %d of canister %d had to make room, and there was enough", m.Call, m.Caller)
	w.must(own == most && bytes == largest && bytes > 0, "a message of %d bytes had to make room at canister %d, whose largest has %d; it has %d and another %d", bytes, m.To, largest, own, most)
	return instead
}

func (w *World) shedRequest(c *Canister, m Message) (bytes uint64) {
	list := c.requests.get(m.Caller)
	i := slices.IndexFunc(list, func(q *request) bool { return q.call.number == m.Call })
	if i < 0 {
		w.wrong("call %d of canister %d had to make room and does not wait", m.Call, m.Caller)
		return 0
	}
	q := list[i]
	bytes = q.memory()
	c.wait(m.Caller, slices.Delete(list, i, i+1))
	sent := len(c.subnet.out)
	w.giveBack(c.subnet, q.call, q.cycles)
	c.subnet.later = append(c.subnet.later, c.subnet.out[sent:]...)
	c.subnet.out = c.subnet.out[:sent]
	return bytes
}

func (w *World) shedResponse(c *Canister, m Message) (bytes uint64, instead *Response) {
	f := c.subnet.calls.get(m.Call)
	if f == nil || !slices.Contains(c.responses, f) {
		w.wrong("the response to call %d had to make room and does not wait for canister %d", m.Call, c.ID)
		return 0, nil
	}
	bytes = f.memory()
	refund := f.response.refund
	f.response = reject(ResponseDropped, "Response was dropped.")
	w.giveBack(c.subnet, f, refund)
	return bytes, &f.response
}

// End ends a round: the best-effort messages must fit their memory.
func (w *World) End() {
	for i, s := range w.Subnets {
		if s.Room > 0 {
			sum, _ := s.load()
			w.must(sum <= s.Room, "best-effort messages take %d bytes of subnet %d, which has %d for them", sum, i, s.Room)
		}
	}
}
