package replica

import (
	"math"
	"slices"

	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/faults"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// A failed lookup is a bug and stops an instance. No file may cause one, whatever its origin.

// restore makes the routes of the canisters that subnets host now, and checks that the subnets are consistent.
func (n *Network) restore(c *archive.Coder) {
	before, routes := n.routes, &routes{}
	for i, m := range n.subnets {
		m.shownRanges = nil
		if err := routes.add(i, m.ID, m.Ids.Ranges); err != nil {
			c.Fail("%w", err)
			return
		}
	}
	n.routes = routes
	c.Check(n.hostedAsMade(before, routes), "the subnets host other canister ids than they were made with")
	n.checkTimes(c)
	n.checkRules(c)
	for i, m := range n.subnets {
		for r := range m.Canisters.All() {
			c.Check(routes.find(r.ID()) == i, "canister %s is not on the subnet that hosts it", r.ID())
		}
	}
	n.checkCalls(c)
}

// hostedAsMade reports whether the subnets host the canister ids that they were made with. Ids of canisters that moved
// to or from a deleted subnet are among the deleted ones, or not among those that subnets were made with.
func (n *Network) hostedAsMade(made, now *routes) bool {
	if len(n.config.deleted) == 0 {
		return slices.Equal(made.hosted(), now.hosted())
	}
	known := new(routes)
	for _, r := range slices.Concat(n.config.deleted, now.hosted()) {
		if known.insert(0, r) != nil {
			return false
		}
	}
	all := known.hosted()
	return !slices.ContainsFunc(made.hosted(), func(r Range) bool {
		return !slices.ContainsFunc(all, func(known Range) bool { return known.Contains(r.First) && known.Contains(r.Last) })
	})
}

// hosted returns the ranges of all subnets together, and merges adjacent ones.
func (t *routes) hosted() (all []Range) {
	for _, r := range t.ranges {
		if last := len(all) - 1; last >= 0 && all[last].Last+1 == r.First {
			all[last].Last = r.Last
		} else {
			all = append(all, r.Range)
		}
	}
	return all
}

// checkTimes checks that all times are the same and valid: clients and canisters have times in 63 bits.
func (n *Network) checkTimes(c *archive.Coder) {
	c.Check(n.time <= n.clock && n.clock <= math.MaxInt64, "the time is %d, and is to be %d", n.time, n.clock)
	c.Check(n.height <= math.MaxInt64, "there were %d rounds", n.height)
	for _, m := range n.subnets {
		c.Check(m.Time == n.time && m.Height == n.height, "round %d of subnet %s was at %d, and round %d of the network at %d", m.Height, m.ID, m.Time, n.height, n.time)
	}
}

// checkRules checks that rules can be applied, and that held messages match their count.
func (n *Network) checkRules(c *archive.Coder) {
	rules := &n.rules
	c.Check(len(rules.List) <= MaxRules, "there are %d rules", len(rules.List))
	for i := range rules.List {
		r := &rules.List[i]
		c.Check(r.ID <= rules.Last && (i == 0 || rules.List[i-1].ID < r.ID), "rule %d is not in the order of rules, the last of which is %d", r.ID, rules.Last)
		why := faults.CheckRule(&r.Rule)
		c.Check(why == "" && r.Match.Kind != 0, "rule %d cannot be applied: %s", r.ID, why)
	}
	held, bytes := make(map[uint64]bool), 0
	for _, m := range n.subnets {
		for _, h := range m.Held.All() {
			c.Check(!held[h.ID] && h.ID <= rules.Count, "held message %d is there twice, or comes after the last, %d", h.ID, rules.Count)
			held[h.ID] = true
			bytes += h.PayloadBytes()
		}
	}
	c.Check(len(held) == rules.Held && bytes == rules.Bytes, "%d messages of %d bytes are held, not %d of %d", len(held), bytes, rules.Held, rules.Bytes)
}

// checkCalls checks that the receivers of pending answers are hosted, and that a held response is the only one to its
// call: otherwise another would settle the call, and the response would belong to no call.
func (n *Network) checkCalls(c *archive.Coder) {
	locations := n.Introspect().CallLocations()
	for _, caller := range locations.UnknownCallers {
		c.Check(n.deletedCanister(caller), "open call from unknown canister %s", caller)
	}
	for i, m := range n.subnets {
		for _, h := range m.Held.All() {
			c.Check(h.Kind != KindResponse || locations.Count(i, h.Call) == 1, "the response to call %d of subnet %s is held, and the call is elsewhere as well", h.Call, m.ID)
		}
	}
}

// checkArchived checks that the state that was read is consistent, wherever the code relies on it.
func (s *subnet) checkArchived(c *archive.Coder) {
	taken := s.begun()
	if s.CheckArchived(c, taken); c.Failed() {
		return
	}
	for i := range s.Postponed {
		c.Check(s.net.management.Postponed(s.Postponed[i].Method) != nil, "method %q is never postponed", s.Postponed[i].Method)
	}
	for i := range s.Signing.Pending {
		p := &s.Signing.Pending[i]
		c.Check(s.net.signer != nil && s.Signing.Holds(p.Key) && s.net.signer.Signs(p), "a request for a signature cannot be answered")
	}
	for _, in := range taken.Aside {
		c.Check(s.isCommand(in), "a call of the management canister has no caller")
	}
	outgoing := make(map[*state.Entry]int)
	for to, queue := range s.Output {
		for i := range queue {
			p := &queue[i]
			outgoing[p.From]++
			c.Check(to != s.position && s.net.hostsSender(p), "a message to subnet %d has a sender that no subnet hosts", to)
		}
	}
	for _, h := range s.Held.All() {
		if h.Kind == state.KindRequest {
			outgoing[s.Canisters.Get(h.Request.Sender)]++
		}
	}
	counted := uint64(0)
	for r := range s.Canisters.All() {
		c.Check(r.Outgoing == outgoing[r], "canister %s has %d messages to send, and %d wait", r.ID(), r.Outgoing, outgoing[r])
		counted += r.Counted
	}
	s.MemoryUsed = counted // older versions counted canisters that had moved away
	for i := range s.Inbound {
		c.Check(s.net.hostsSender(&s.Inbound[i]), "a message from another subnet has a sender that no subnet hosts")
	}
}

// begun returns what has begun and is in no queue.
func (s *subnet) begun() *state.Taken {
	t := &state.Taken{Parked: make(intercanister.Parked, len(s.paused)), Sent: make(map[*state.Entry]state.MessageMemory)}
	for _, queue := range s.Output {
		for i := range queue {
			p := &queue[i]
			sent := t.Sent[p.From]
			if p.Deadline != 0 {
				sent.BestEffort += p.Memory()
			} else {
				sent.Guaranteed += p.Memory()
			}
			t.Sent[p.From] = sent
		}
	}
	for i := range s.Preparing {
		t.Aside = append(t.Aside, &s.Preparing[i].In)
	}
	for _, j := range s.paused {
		for i := range j.Entry.Waiting {
			t.Aside = append(t.Aside, &j.Entry.Waiting[i])
		}
		if j.Install != nil {
			t.Installing = append(t.Installing, j.Install.Call.Ticket())
		} else {
			t.Parked[j.Context] = j.In.Call
		}
	}
	return t
}

// isCommand reports whether an input is a pending call of the management canister.
func (s *subnet) isCommand(in *intercanister.Input) bool {
	return in.Source == intercanister.SourceIngress || in.Source == intercanister.SourceRequests && s.net.hostsOrDid(in.Request.Sender)
}

// hostsSender reports whether a subnet hosts the canister that sent a message, or did until the subnet was deleted.
func (n *Network) hostsSender(p *state.StreamMessage) bool {
	owner := p.Owner
	if p.Request != nil {
		owner = p.Request.Sender
		if p.Deadline != p.Request.Deadline {
			return false
		}
	}
	return n.hostsOrDid(owner) && (p.Request != nil || p.Response.Reject != nil || p.Response.Reply != nil || p.Call == 0)
}
