package state

import (
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
)

// Taken is what was taken from the queues of a state and has not ended.
type Taken struct {
	Aside      []*Input             // calls of the management canister that wait outside its queue
	Parked     intercanister.Parked // messages of canisters that are parked
	Installing []Ticket             // installations that are parked

	Sent map[*Entry]MessageMemory // the memory of messages of canisters in output queues
}

// CheckArchived checks that the state that was read is consistent, wherever the code relies on it.
func (s *State) CheckArchived(c *archive.Coder, taken *Taken) {
	noted := make(map[RequestID]bool, len(s.Answered))
	for i := range s.Answered {
		noted[s.Answered[i].ID] = true
	}
	for in := range s.History.All() {
		c.Check(in.Changed() == noted[in.ID], "message %x is in one of two lists of changed messages and not in the other", in.ID)
	}
	owed := make(map[uint64]bool) // the messages of users whose answer is pending
	processing := func(number uint64) bool {
		if owed[number] {
			return false
		}
		owed[number] = true
		return s.processing(number)
	}
	s.checkLives(c)
	s.checkMailboxes(c, taken, processing)
	s.checkWaiting(c, taken)
	s.checkHeld(c)
	s.checkTickets(c, taken, processing)
	if c.Failed() {
		return
	}
	s.checkDeadlines(c)
	s.checkMemory(c, taken.Sent)
	for number := range s.Outcalls { // all must hold: the order has no effect
		o := &s.Outcalls[number].Sent
		c.Check(slices.IndexFunc(o.Members, func(node int) bool { return node < 0 || node >= s.Nodes }) < 0 && o.Min <= o.Max && int(o.Max) <= max(len(o.Members), 0),
			"flexible HTTP outcall %d of nodes %v wants %d to %d responses of %d nodes", number, o.Members, o.Min, o.Max, s.Nodes)
		c.Check(number < s.OutcallsMade && o.Node < max(1, s.Nodes), "HTTP outcall %d of node %d is none of the %d that %d nodes have made", number, o.Node, s.OutcallsMade, s.Nodes)
	}
}

// checkLives checks that canisters are in a possible state, and wait for events that will come.
func (s *State) checkLives(c *archive.Coder) {
	throttled := make(map[*Entry]bool, len(s.throttled))
	for _, r := range s.throttled {
		c.Check(r != nil, "a throttled canister does not exist")
		throttled[r] = true
	}
	for r := range s.Canisters.All() {
		id, k := r.ID(), r.Canister
		c.Check(r.Mailbox.Blocked == (r.Running != throttled[r]), "canister %s may take a message, and must wait, or waits for nothing", id)
		c.Check(k.Status != canister.Stopped || r.Mailbox.Contexts == 0, "canister %s is stopped with %d call contexts", id, r.Mailbox.Contexts)
		c.Check(k.Status == canister.Stopping || len(r.Stops) == 0, "canister %s is %s, and somebody waits for it to stop", id, k.Status)
		c.Check(r.Charged <= s.Time, "canister %s has paid until %d, and it is %d", id, r.Charged, s.Time)
		for i := range r.Stops {
			c.Check(r.Stops[i].Number <= s.stops, "stop %d comes after the last, %d", r.Stops[i].Number, s.stops)
		}
	}
}

// checkMailboxes checks that calls and mailboxes are consistent.
func (s *State) checkMailboxes(c *archive.Coder, taken *Taken, processing func(uint64) bool) {
	boxes := make([]*intercanister.Mailbox, 0, s.Canisters.Len())
	for r := range s.Canisters.All() {
		boxes = append(boxes, &r.Mailbox)
	}
	s.Calls.CheckArchived(c, boxes, taken.Parked, processing)
	tasks, _, _, _ := s.ManagementCalls.Waiting()
	c.Check(tasks == 0 && s.ManagementCalls.Responses() == 0 && s.ManagementCalls.Contexts == 0 && s.ManagementCalls.Calls == 0, "the management canister makes calls, or has tasks")
}

// checkWaiting checks that the waiting messages of users are known, and that each waits in the one place where expiry
// searches for it.
func (s *State) checkWaiting(c *archive.Coder, taken *Taken) {
	waiting := make(map[uint64]bool)
	look := func(number uint64) {
		known := s.History.Knows(number) && s.History.At(number).Status == Received
		c.Check(!waiting[number] && known, "message %d of a user waits twice, or is not known", number)
		waiting[number] = true
	}
	waits := func(in *Input) {
		if in.Source == intercanister.SourceIngress {
			look(in.Ingress)
		}
	}
	s.ManagementCalls.Each(waits)
	for r := range s.Canisters.All() {
		r.Mailbox.Each(func(in *Input) {
			waits(in)
			c.Check(in.Source != intercanister.SourceIngress || c.Failed() || s.History.At(in.Ingress).Effective == r.ID(), "message %d of a user waits for canister %s, and is for another", in.Ingress, r.ID())
		})
	}
	for _, in := range taken.Aside {
		waits(in)
	}
	for _, h := range s.Held.All() {
		if h.Kind == KindIngress {
			look(h.Ingress)
		}
	}
}

// checkTickets checks that every caller of the management canister can be answered.
func (s *State) checkTickets(c *archive.Coder, taken *Taken, processing func(uint64) bool) {
	check := func(t *Ticket) {
		c.Check(t.Origin.Kind == intercanister.FromIngress && processing(t.Origin.Ingress) || t.Origin.Kind == intercanister.FromCanister, "a call of the management canister can be answered to nobody")
	}
	for r := range s.Canisters.All() {
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
	for _, p := range s.Outcalls { // all must hold: the order has no effect
		check(&p.Ticket)
	}
}

// processing reports whether a message with a number waits for its answer.
func (s *State) processing(number uint64) bool {
	return s.History.Knows(number) && s.History.At(number).Status == Processing
}
