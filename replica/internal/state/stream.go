package state

import (
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
)

// StreamMessage is a message between subnets: a request, a response, or a refund without one.
type StreamMessage struct {
	Request  *intercanister.Request
	Call     intercanister.CallID // of a response; 0 for a refund
	Owner    principal.Principal  // the owner of the call
	Response intercanister.Response
	Deadline uint64 // of the call; 0 for one with guaranteed response
	From     *Entry // holds the memory while it waits; nil: the subnet itself
	Due      uint64 // the last second in which it waits; 0: it waits forever
}

// Memory returns the memory of a message in an output queue. The reservation for the response to a request with
// guaranteed response is counted separately.
func (p *StreamMessage) Memory() uint64 {
	switch {
	case p.Request == nil && p.Call == 0:
		return 0
	case p.Request == nil:
		return p.Response.Memory()
	case p.Deadline == 0:
		return p.Request.Memory() - intercanister.ResponseReservation
	}
	return p.Request.Memory()
}

// Bytes returns the size of a message in a stream.
func (p *StreamMessage) Bytes() int {
	if p.Request != nil {
		return intercanister.RequestOverhead + len(p.Request.Method) + len(p.Request.Payload)
	}
	return intercanister.ResponseOverhead + p.Response.PayloadBytes()
}

// Enqueue adds a message to the output queue to another subnet.
func (s *State) Enqueue(to int, p StreamMessage) {
	switch {
	case p.Deadline != 0:
		p.Due = p.Deadline / Second
	case p.Request != nil:
		p.Due = (s.Time + RequestLifetime) / Second
	}
	if p.From != nil {
		p.From.Outgoing++
		s.ReserveMemory(p.From, p.Deadline, p.Memory())
	}
	s.Output[to] = append(s.Output[to], p)
	s.Unsent++
}

// Dequeue accounts for a message that has left its output queue.
func (s *State) Dequeue(p *StreamMessage) {
	s.Unsent--
	if p.From != nil {
		p.From.Outgoing--
		s.ReleaseMemory(p.From, p.Deadline, p.Memory())
	}
}

// LargestOutput returns the largest best-effort message of a canister in the output queues, the last of several; its
// memory is 0 if there is none.
func (s *State) LargestOutput(r *Entry) (to, at int, memory uint64) {
	for position, queue := range s.Output {
		for i := range queue {
			if p := &queue[i]; p.From == r && p.Deadline != 0 && p.Memory() >= max(1, memory) {
				to, at, memory = position, i, p.Memory()
			}
		}
	}
	return to, at, memory
}

// forkStreams copies the messages between subnets to the fork, which may change them.
func (f *Fork) forkStreams(s *State) {
	f.Inbound = f.forkStream(s.Inbound)
	f.Output = make([][]StreamMessage, len(s.Output))
	for i, queue := range s.Output {
		f.Output[i] = f.forkStream(queue)
	}
}

func (f *Fork) forkStream(queue []StreamMessage) []StreamMessage {
	if len(queue) == 0 {
		return nil
	}
	all := slices.Clone(queue)
	for i := range all {
		p := &all[i]
		p.From = f.Entry(p.From)
		if p.Request != nil {
			copied := *p.Request
			p.Request = &copied
		}
	}
	return all
}

// archiveStreams writes the messages between subnets. A message of an output queue names the canister that holds its
// memory.
func (s *State) archiveStreams(c *archive.Coder) {
	archive.Slice(c, &s.Inbound, archive.MaxItems, func(p *StreamMessage) { p.archive(c) })
	unsent := 0
	for to := range s.Output {
		archive.Slice(c, &s.Output[to], archive.MaxItems, func(p *StreamMessage) {
			p.archive(c)
			s.ArchiveEntry(c, &p.From)
			unsent++
		})
	}
	s.Unsent = unsent
}

func (p *StreamMessage) archive(c *archive.Coder) {
	archive.Pointer(c, &p.Request, func(q *intercanister.Request) { q.Archive(c) })
	archive.Number(c, &p.Call)
	c.Principal(&p.Owner)
	p.Response.Archive(c)
	archive.Number(c, &p.Deadline)
	archive.Number(c, &p.Due)
}
