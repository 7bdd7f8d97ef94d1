package state

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/timers"
)

// Held is a message that is held in transit. A request is at its place in its sender's output queue, a response and an
// ingress message are just before the queue of their receiver.
type Held struct {
	ID   uint64
	Rule uint64 // 0: it only waits behind an earlier request
	Kind MessageKind
	Mock bool
	// Behind is the held request of the same two canisters that must go first.
	Behind  uint64
	Since   uint64 // ns
	Release uint64 // ns at which it is released automatically; 0: never
	Due     timers.Handle

	Request  intercanister.Request // KindRequest
	Call     intercanister.CallID  // KindResponse: the future that it settles
	Owner    principal.Principal   // KindResponse: the owner of that call
	Response intercanister.Response
	Deadline uint64 // KindResponse: of the call; 0 for one with guaranteed response
	Ingress  uint64 // KindIngress: number in the history
	Command  bool   // KindIngress: it is for the management canister
	Argument int    // KindIngress: bytes
}

// Memory returns the memory of a held message, without the reservations for responses.
func (h *Held) Memory() uint64 {
	switch {
	case h.Kind == KindRequest && h.Request.Deadline == 0:
		return h.Request.Memory() - intercanister.ResponseReservation
	case h.Kind == KindRequest:
		return h.Request.Memory()
	case h.Kind == KindResponse && h.Deadline != 0:
		return h.Response.Memory()
	}
	return 0
}

// PayloadBytes returns the size of the content of the message.
func (h *Held) PayloadBytes() int {
	switch h.Kind {
	case KindRequest:
		return len(h.Request.Payload)
	case KindResponse:
		return h.Response.PayloadBytes()
	}
	return h.Argument
}

// Bounded reports whether the message belongs to a best-effort call.
func (h *Held) Bounded() bool {
	return h.Kind == KindRequest && h.Request.Deadline != 0 || h.Kind == KindResponse && h.Deadline != 0
}

// Caller returns the canister whose call the message belongs to, and which holds its memory; the zero value for an
// ingress message.
func (h *Held) Caller() principal.Principal {
	if h.Kind == KindRequest {
		return h.Request.Sender
	}
	return h.Owner
}

// CallID returns the call that the message belongs to; 0 for an ingress message.
func (h *Held) CallID() intercanister.CallID {
	if h.Kind == KindRequest {
		return h.Request.Call
	}
	return h.Call
}

// Cycles returns the cycles of the message.
func (h *Held) Cycles() cycles.Amount {
	if h.Kind == KindRequest {
		return h.Request.Cycles
	}
	return h.Response.Refund
}

// HeldMessages are the messages a subnet holds, by id.
type HeldMessages struct {
	list  []*Held
	pairs map[[2]principal.Principal]int // requests between two canisters, without mocks
}

// Clone returns an independent copy; payloads are shared and read-only.
func (s *HeldMessages) Clone() (copied HeldMessages) {
	for _, h := range s.list {
		one := *h
		copied.Add(&one)
	}
	return copied
}

// Len returns the number of held messages.
func (s *HeldMessages) Len() int { return len(s.list) }

// All returns the held messages in the order of their ids. The slice is read-only.
func (s *HeldMessages) All() []*Held { return s.list }

// Find returns a held message, nil if there is none.
func (s *HeldMessages) Find(id uint64) *Held {
	if i, ok := s.search(id); ok {
		return s.list[i]
	}
	return nil
}

func (s *HeldMessages) search(id uint64) (int, bool) {
	return slices.BinarySearchFunc(s.list, id, func(h *Held, id uint64) int {
		switch {
		case h.ID < id:
			return -1
		case h.ID > id:
			return 1
		}
		return 0
	})
}

// Add adds a message whose id is higher than all others.
func (s *HeldMessages) Add(h *Held) {
	s.list = append(s.list, h)
	if h.Kind == KindRequest && !h.Mock {
		if s.pairs == nil {
			s.pairs = make(map[[2]principal.Principal]int)
		}
		s.pairs[h.pair()]++
	}
}

// Remove removes a message.
func (s *HeldMessages) Remove(h *Held) {
	i, ok := s.search(h.ID)
	if !ok {
		panic("state: a message is let go that is not held")
	}
	s.list = slices.Delete(s.list, i, i+1)
	if h.Kind == KindRequest && !h.Mock {
		if s.pairs[h.pair()]--; s.pairs[h.pair()] == 0 {
			delete(s.pairs, h.pair())
		}
	}
}

func (h *Held) pair() [2]principal.Principal {
	return [2]principal.Principal{h.Request.Sender, h.Request.Receiver}
}

// Before returns the last held request of the same two canisters that came before one with this id, 0 if there is none.
// Requests held for an answer from outside do not count.
func (s *HeldMessages) Before(q *intercanister.Request, id uint64) (last uint64) {
	if s.pairs[[2]principal.Principal{q.Sender, q.Receiver}] == 0 {
		return 0
	}
	for _, h := range s.list {
		if h.ID < id && h.Kind == KindRequest && !h.Mock && h.Request.Sender == q.Sender && h.Request.Receiver == q.Receiver {
			last = h.ID
		}
	}
	return last
}

// ByCall returns the held message that belongs to a call of the subnet, nil if there is none.
func (s *HeldMessages) ByCall(call intercanister.CallID) *Held {
	for _, h := range s.list {
		if h.Kind != KindIngress && h.CallID() == call {
			return h
		}
	}
	return nil
}

// ByIngress returns the held ingress message with a number, nil if there is none.
func (s *HeldMessages) ByIngress(number uint64) *Held {
	for _, h := range s.list {
		if h.Kind == KindIngress && h.Ingress == number {
			return h
		}
	}
	return nil
}

// Largest returns the held best-effort message of a canister that takes most memory, the last of several; nil if there
// is none.
func (s *HeldMessages) Largest(owner principal.Principal) (largest *Held) {
	for _, h := range s.list {
		if h.Bounded() && h.Caller() == owner && h.Memory() >= max(1, largest.memory()) {
			largest = h
		}
	}
	return largest
}

func (h *Held) memory() uint64 {
	if h == nil {
		return 0
	}
	return h.Memory()
}
