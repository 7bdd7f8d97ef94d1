package state

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/intercanister"
)

// Archive writes rules with their counters, or reads them.
func (s *Rules) Archive(c *archive.Coder) {
	archive.Slice(c, &s.List, archive.MaxItems, func(r *RuleState) {
		archive.Number(c, &r.ID)
		r.Rule.Archive(c)
		archive.Number(c, &r.Seen)
		archive.Number(c, &r.Matched)
		archive.Number(c, &r.Passed)
	})
	archive.Number(c, &s.Last)
	archive.Number(c, &s.Count)
	archive.Number(c, &s.Held)
	archive.Number(c, &s.Bytes)
}

// Archive writes a rule, or reads it.
func (r *Rule) Archive(c *archive.Coder) {
	r.Match.archive(c)
	r.Action.archive(c)
	archive.String(c, &r.Note, archive.MaxBytes)
}

func (m *Match) archive(c *archive.Coder) {
	archive.AtMost(c, &m.Kind, KindIngress)
	archive.Pointer(c, &m.Caller, c.Principal)
	archive.Pointer(c, &m.Callee, c.Principal)
	archive.String(c, &m.Method, archive.MaxBytes)
	archive.Number(c, &m.Skip)
	archive.Number(c, &m.Times)
}

func (a *Action) archive(c *archive.Coder) {
	archive.AtMost(c, &a.Kind, ActMock)
	c.Bytes(&a.Reply, archive.MaxBytes)
	intercanister.ArchiveReject(c, &a.Reject)
	archive.Number(c, &a.Delay)
}

// archive writes held messages by their ids, or reads them.
func (s *HeldMessages) archive(c *archive.Coder) {
	list := s.list
	before := uint64(0)
	archive.Slice(c, &list, archive.MaxItems, func(h **Held) {
		if c.Reading() {
			*h = new(Held)
		}
		(*h).archive(c)
		c.Check((*h).ID > before, "held messages are not in the order of their ids")
		if before = (*h).ID; c.Reading() && !c.Failed() {
			s.Add(*h)
		}
	})
}

func (h *Held) archive(c *archive.Coder) {
	archive.Number(c, &h.ID)
	archive.Number(c, &h.Rule)
	archive.AtMost(c, &h.Kind, KindIngress)
	c.Bool(&h.Mock)
	archive.Number(c, &h.Behind)
	archive.Number(c, &h.Since)
	archive.Number(c, &h.Release)
	archive.Number(c, &h.Due)
	h.Request.Archive(c)
	archive.Number(c, &h.Call)
	c.Principal(&h.Owner)
	h.Response.Archive(c)
	archive.Number(c, &h.Deadline)
	archive.Number(c, &h.Ingress)
	c.Bool(&h.Command)
	archive.Number(c, &h.Argument)
}

// checkHeld checks that held messages have owners.
func (s *State) checkHeld(c *archive.Coder) {
	for _, h := range s.Held.All() {
		found := false
		switch h.Kind {
		case KindRequest:
			found = s.Canisters.Get(h.Request.Sender) != nil
		case KindResponse:
			f := s.Calls.Future(h.Call)
			found = f != nil && f.Owner == h.Owner && f.State == intercanister.Waiting && f.Deadline == h.Deadline
		case KindIngress:
			found = s.History.Knows(h.Ingress) && s.History.At(h.Ingress).Status == Received
		}
		c.Check(found, "held message %d has no call", h.ID)
	}
}
