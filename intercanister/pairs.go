package intercanister

import (
	"iter"

	"github.com/canisterd/canisterd/candid/principal"
)

// pair is the traffic between a canister and another one. Each direction has QueueCapacity slots: a request takes one
// in the queue of its receiver, and one for its response on the way back.
type pair struct {
	other    principal.Principal
	next     *pair // in the list of few, or of spare pairs
	requests FIFO[Request]
	calls    uint16 // from ours to the other, until their callbacks begin
	owed     uint16 // requests of the other that were taken and are not answered
}

// pairs finds the pairs of a canister by the other one. Most canisters have few at a time, and each call adds one at both
// ends and removes it: in a map that took 3 % of a call.
type pairs struct {
	few  *pair // list of at most fewPairs
	n    int
	many map[principal.Principal]*pair // all, if they are more; nil otherwise
}

// of returns the pair with a canister, or nil.
func (s *pairs) of(other principal.Principal) *pair {
	if s.many != nil {
		return s.many[other]
	}
	for p := s.few; p != nil; p = p.next {
		if p.other == other {
			return p
		}
	}
	return nil
}

// add adds a pair with a canister that has none.
func (s *pairs) add(p *pair) {
	s.n++
	switch {
	case s.many != nil:
		s.many[p.other] = p
	case s.n <= fewPairs:
		p.next, s.few = s.few, p
	default:
		s.many = map[principal.Principal]*pair{p.other: p}
		for s.few != nil {
			known := s.few
			s.few, known.next = known.next, nil
			s.many[known.other] = known
		}
	}
}

// remove removes a pair.
func (s *pairs) remove(p *pair) {
	s.n--
	if s.many != nil {
		if delete(s.many, p.other); s.n == 0 {
			s.many = nil
		}
		return
	}
	at := &s.few
	for *at != p {
		at = &(*at).next
	}
	*at, p.next = p.next, nil
}

// all returns all pairs, in no order.
func (s *pairs) all() iter.Seq[*pair] {
	return func(yield func(*pair) bool) {
		for p := s.few; p != nil; p = p.next {
			if !yield(p) {
				return
			}
		}
		for _, p := range s.many { // the caller wants no order
			if !yield(p) {
				return
			}
		}
	}
}

// fork returns a copy.
func (s *pairs) fork() (to pairs) {
	for p := range s.all() { // each independently: the order has no effect
		to.add(&pair{other: p.other, requests: p.requests.Fork(), calls: p.calls, owed: p.owed})
	}
	return to
}
