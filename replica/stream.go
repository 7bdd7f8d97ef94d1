package replica

import (
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Messages for another subnet wait in an output queue until the stream to it has room; the streams are filled at the
// end of each round, and their messages arrive with the next. A request that has waited too long for room is rejected.

const second = state.Second

// fillStreams moves messages from the output queues into the streams to other subnets while they have room, in the
// order in which they came. All streams are empty before.
func (s *subnet) fillStreams() {
	if s.Unsent == 0 {
		return
	}
	for to, queue := range s.Output {
		if len(queue) == 0 {
			continue
		}
		other := s.net.subnets[to]
		n := s.room(other, queue)
		for i := range n {
			s.Dequeue(&queue[i])
		}
		other.Inbound = append(other.Inbound, queue[:n]...)
		left := copy(queue, queue[n:])
		clear(queue[left:])
		s.Output[to] = queue[:left]
	}
}

// room returns how many of the messages in a queue fit into the stream to a subnet. A system subnet receives fewer
// messages, not counting refunds.
func (s *subnet) room(to *subnet, queue []state.StreamMessage) (n int) {
	messages, bytes := 0, 0
	for ; n < len(queue); n++ {
		p := &queue[n]
		if n >= s.net.config.StreamMessages || bytes >= StreamBytes || to.System && messages >= SystemStreamMessages {
			return n
		}
		bytes += p.Bytes()
		if p.Request != nil || p.Call != 0 {
			messages++
		}
	}
	return n
}

// expireOutput rejects requests and drops best-effort responses that have waited too long in output queues.
func (s *subnet) expireOutput() {
	now := s.Time / second
	if s.Unsent == 0 || now == s.Swept {
		return
	}
	s.Swept = now
	for to := range s.Output {
		s.discard(to, func(p *state.StreamMessage) bool { return p.Due != 0 && p.Due < now })
	}
}

// discard removes messages from an output queue: requests are rejected, and the refunds of responses are paid.
func (s *subnet) discard(to int, gone func(*state.StreamMessage) bool) {
	var dropped []state.StreamMessage
	kept := s.Output[to][:0]
	for i := range s.Output[to] {
		if p := &s.Output[to][i]; gone(p) {
			dropped = append(dropped, *p)
		} else {
			kept = append(kept, *p)
		}
	}
	clear(s.Output[to][len(kept):])
	s.Output[to] = kept
	for i := range dropped {
		p := &dropped[i]
		s.Dequeue(p)
		if p.Request != nil {
			s.answer(p.Request, rejectUnsent())
		} else {
			s.refundTo(p.Owner, p.Response.Refund)
		}
	}
}
