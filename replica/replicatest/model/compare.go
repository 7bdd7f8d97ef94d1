package model

// Observed is what may be seen of a canister from outside. The balance includes the cycles that came while a message
// ran: how much of that its messages see depends on what runs side by side, which the model does not know.
type Observed struct {
	Status                        Status
	Version, Balance, Debit, Paid uint64
	Count, Timer                  uint64
	Code, Running                 bool
	Contexts, Calls               int
	Ingress, Responses, Requests  int
	Slots, Owed                   int // calls in queues before their callback, requests without an answer yet
}

// Observe returns what is visible of a canister; false if there is none.
func (w *World) Observe(id ID) (Observed, bool) {
	c := w.Canister(id)
	if c == nil {
		return Observed{}, false
	}
	f := Observed{
		Status: c.Status, Version: c.Version, Balance: c.Balance + c.credit, Debit: c.debit, Paid: c.Paid,
		Calls: c.calls, Count: c.Count, Timer: c.Timer, Code: c.Code, Running: c.running != nil,
		Contexts: len(c.contexts), Ingress: len(c.ingress), Responses: len(c.responses),
	}
	for _, list := range c.requests.things {
		f.Requests += len(list)
	}
	for _, calls := range c.slots { // a sum: the order has no effect
		f.Slots += calls
	}
	for _, requests := range c.owed { // as above
		f.Owed += requests
	}
	return f, true
}

// Canisters returns how many canisters a subnet has.
func (s *Subnet) Canisters() int { return len(s.canisters.keys) }

// Commands returns how many management calls of canisters wait on the subnet.
func (s *Subnet) Commands() int { return len(s.commands) }

// Waiting returns how many messages of users are not answered.
func (w *World) Waiting() int { return len(w.ingress.keys) }

// AtRest records a fault if something is left that nothing will move: it is called when the network says that it has
// nothing to do.
func (w *World) AtRest() {
	for _, s := range w.Subnets {
		w.must(len(s.in)+len(s.out)+len(s.later)+len(s.commands) == 0, "messages are left between subnets or for the management canister")
		for _, c := range s.canisters.things {
			w.must(len(c.ingress)+len(c.responses)+len(c.requests.keys) == 0 && c.running == nil, "messages are left at canister %d", c.ID)
			due := c.Timer != 0 && c.Timer <= w.now && c.Status == Running && c.Code && c.programs["timer"] != "" && c.Balance >= c.subnet.Fees.execution(messageLimit, c.wide)
			w.must(!due, "the timer of canister %d did not fire", c.ID)
			for _, x := range c.contexts {
				w.must(x.responded || x.outstanding > 0, "a call context of canister %d is left without an answer", c.ID)
			}
		}
	}
}

// Some returns one of the subnet's canisters, chosen by a function that returns a number below another; First if there
// is none.
func (s *Subnet) Some(choose func(n int) int) ID {
	if len(s.canisters.keys) == 0 {
		return s.First
	}
	return s.canisters.keys[choose(len(s.canisters.keys))]
}
