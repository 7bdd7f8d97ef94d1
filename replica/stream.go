package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// What a subnet has for another waits in an output queue until the stream there has
// room; at the end of each round the streams are filled, and what is in them arrives
// with the next. A request that has waited too long for room is rejected.

// second is the unit of deadlines, in nanoseconds.
const second = 1_000_000_000

// streamMessage is a message between subnets: a request, a response, or a refund without
// one.
type streamMessage struct {
	request  *intercanister.Request
	call     intercanister.CallID // of a response; 0 for a refund
	owner    principal.Principal  // whose call it was
	response intercanister.Response
	deadline uint64       // of the call; 0 for one with guaranteed response
	from     *state.Entry // holds the memory while it waits; nil: the subnet itself
	due      uint64       // the last second in which it waits; 0: it waits for ever
}

// memory is what a message takes in an output queue. The room for the response to a
// request with guaranteed response is kept apart from it.
func (p *streamMessage) memory() uint64 {
	switch {
	case p.request == nil && p.call == 0:
		return 0
	case p.request == nil:
		return p.response.Memory()
	case p.deadline == 0:
		return p.request.Memory() - intercanister.ResponseReservation
	}
	return p.request.Memory()
}

// bytes is how large a message is in a stream.
func (p *streamMessage) bytes() int {
	if p.request != nil {
		return intercanister.RequestOverhead + len(p.request.Method) + len(p.request.Payload)
	}
	return intercanister.ResponseOverhead + p.response.PayloadBytes()
}

// enqueue puts a message into the output queue to another subnet.
func (m *subnet) enqueue(to int, p streamMessage) {
	switch {
	case p.deadline != 0:
		p.due = p.deadline / second
	case p.request != nil:
		p.due = (m.Time + RequestLifetime) / second
	}
	if p.from != nil {
		p.from.Outgoing++
		m.Hold(p.from, p.deadline, p.memory())
	}
	m.out[to] = append(m.out[to], p)
	m.unsent++
}

// dequeue accounts for a message that has left its output queue.
func (m *subnet) dequeue(p *streamMessage) {
	m.unsent--
	if p.from != nil {
		p.from.Outgoing--
		m.Free(p.from, p.deadline, p.memory())
	}
}

// fillStreams takes what has room in the streams to other subnets out of the output
// queues, in the order in which it came. All streams are empty before.
func (m *subnet) fillStreams() {
	if m.unsent == 0 {
		return
	}
	for to, queue := range m.out {
		if len(queue) == 0 {
			continue
		}
		other := m.net.subnets[to]
		n := m.room(other, queue)
		for i := range n {
			m.dequeue(&queue[i])
		}
		other.inbound = append(other.inbound, queue[:n]...)
		left := copy(queue, queue[n:])
		clear(queue[left:])
		m.out[to] = queue[:left]
	}
}

// room is how many of the stream messages in a queue fit into the stream to a subnet. A system
// subnet is sent fewer messages, refunds not counted.
func (m *subnet) room(to *subnet, queue []streamMessage) (n int) {
	messages, bytes := 0, 0
	for ; n < len(queue); n++ {
		p := &queue[n]
		if n >= m.net.config.StreamMessages || bytes >= StreamBytes || to.System && messages >= SystemStreamMessages {
			return n
		}
		bytes += p.bytes()
		if p.request != nil || p.call != 0 {
			messages++
		}
	}
	return n
}

// expireOutput rejects the requests and drops the best-effort responses that have
// waited too long in output queues.
func (m *subnet) expireOutput() {
	now := m.Time / second
	if m.unsent == 0 || now == m.swept {
		return
	}
	m.swept = now
	for to := range m.out {
		m.discard(to, func(p *streamMessage) bool { return p.due != 0 && p.due < now })
	}
}

// discard takes stream messages out of an output queue: requests are rejected, of responses
// the refund is left.
func (m *subnet) discard(to int, gone func(*streamMessage) bool) {
	var dropped []streamMessage
	kept := m.out[to][:0]
	for i := range m.out[to] {
		if p := &m.out[to][i]; gone(p) {
			dropped = append(dropped, *p)
		} else {
			kept = append(kept, *p)
		}
	}
	clear(m.out[to][len(kept):])
	m.out[to] = kept
	for i := range dropped {
		p := &dropped[i]
		m.dequeue(p)
		if p.request != nil {
			m.answer(p.request, rejectUnsent())
		} else {
			m.giveBack(p.owner, p.response.Refund)
		}
	}
}

// largestOutput is the largest best-effort message of a canister in the output queues,
// of several the last; its memory is 0 where there is none.
func (m *subnet) largestOutput(r *state.Entry) (to, at int, memory uint64) {
	for position, queue := range m.out {
		for i := range queue {
			if p := &queue[i]; p.from == r && p.deadline != 0 && p.memory() >= max(1, memory) {
				to, at, memory = position, i, p.memory()
			}
		}
	}
	return to, at, memory
}
