package state

import (
	"slices"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/archive"
	"github.com/canisterd/canisterd/timers"
)

// Taken is what was taken out of the queues of a state and is not over.
type Taken struct {
	Aside      []*Input             // calls of the management canister that wait elsewhere than in its queue
	Parked     intercanister.Parked // messages of canisters that are parked
	Installing []Ticket             // installations that are parked
}

// CheckArchived looks whether what was read fits together, as far as something else would
// be looked for in vain.
func (s *State) CheckArchived(c *archive.Coder, taken *Taken) {
	var messages MessageMemory
	for r := range s.Residents.All() {
		messages.Guaranteed += r.Messages.Guaranteed
		messages.BestEffort += r.Messages.BestEffort
		c.Check(r.Canister.MessageBytes == r.Messages.Guaranteed+r.Messages.BestEffort, "the memory of the messages of canister %s does not add up", r.ID())
	}
	c.Check(messages == s.Messages, "the memory of messages does not add up")
	for _, id := range s.Answered {
		in := s.History.Find(id)
		c.Check(in == nil || in.noted, "message %x has changed, and has not", id)
	}
	owed := make(map[uint64]bool) // the messages of users to whom an answer is on its way
	processing := func(number uint64) bool {
		if owed[number] {
			return false
		}
		owed[number] = true
		return s.processing(number)
	}
	s.checkMailboxes(c, taken, processing)
	s.checkHeld(c)
	s.checkTickets(c, taken, processing)
	s.checkDeadlines(c)
}

// checkMailboxes looks whether the messages of users that wait are known, and whether
// calls and mailboxes fit together.
func (s *State) checkMailboxes(c *archive.Coder, taken *Taken, processing func(uint64) bool) {
	boxes := make([]*intercanister.Mailbox, 0, s.Residents.Len())
	for r := range s.Residents.All() {
		boxes = append(boxes, &r.Mailbox)
		c.Check(!r.Running || r.Mailbox.Held && !slices.Contains(s.throttled, r), "canister %s may take a message, and one of it is parked", r.ID())
	}
	s.Ledger.CheckArchived(c, boxes, taken.Parked, processing)
	waiting := make(map[uint64]bool)
	look := func(in *intercanister.Input) {
		if in.Source != intercanister.SourceIngress {
			return
		}
		known := s.History.Knows(in.Ingress) && s.History.At(in.Ingress).Status == Received
		c.Check(!waiting[in.Ingress] && known, "message %d of a user waits twice, or is not known", in.Ingress)
		waiting[in.Ingress] = true
	}
	for _, m := range append(boxes, &s.Commands) {
		m.Each(look)
	}
	for _, in := range taken.Aside {
		look(in)
	}
	c.Check(s.Commands.Responses() == 0 && s.Commands.Contexts == 0 && s.Commands.Calls == 0, "the management canister makes calls")
}

// checkTickets looks whether who waits for the management canister can be answered.
func (s *State) checkTickets(c *archive.Coder, taken *Taken, processing func(uint64) bool) {
	check := func(t *Ticket) {
		c.Check(t.Origin.Kind == intercanister.FromIngress && processing(t.Origin.Ingress) || t.Origin.Kind == intercanister.FromCanister, "a call of the management canister can be answered to nobody")
	}
	for r := range s.Residents.All() {
		for i := range r.Stops {
			check(&r.Stops[i].Ticket)
		}
	}
	for i := range taken.Installing {
		check(&taken.Installing[i])
	}
	for i := range s.Signing.Pending {
		check(&s.Signing.Pending[i].Ticket)
	}
	for i := range s.Postponed {
		check(&s.Postponed[i].Ticket)
	}
	for _, p := range s.Outcalls { // all must hold: no order can be seen
		check(&p.Ticket)
	}
}

// processing reports whether a message with a number waits for its answer.
func (s *State) processing(number uint64) bool {
	return s.History.Knows(number) && s.History.At(number).Status == Processing
}

// checkDeadlines looks whether there is what deadlines are about.
func (s *State) checkDeadlines(c *archive.Coder) {
	for _, d := range s.Deadlines.All() {
		there := true
		switch d.Kind {
		case timers.GlobalTimer:
			there = s.Residents.Get(d.Subject) != nil
		case timers.IngressExpiry, timers.IngressPrune:
			there = s.History.Knows(d.Number)
		case timers.OutcallExpiry:
			there = s.Outcalls[d.Number] != nil
		case timers.HeldMessage:
			there = s.Kept.Find(d.Number) != nil
		}
		c.Check(there && d.Kind != 0, "there is nothing for a deadline of kind %q", d.Kind)
	}
}
