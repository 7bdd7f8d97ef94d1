package intercanister

import (
	"github.com/canisterd/canisterd/archive"
	"github.com/canisterd/canisterd/candid/principal"
)

// tally counts what a canister has open, by the call table.
type tally struct {
	contexts, futures uint32
	settled           int
	calls, owed       map[principal.Principal]uint16
}

// Parked are the call contexts of messages that are parked in the middle of their code, each with the call whose
// callback the message is, or 0.
type Parked map[ContextID]CallID

// CheckArchived checks that contexts, futures and mailboxes that were read are consistent, as the code requires. boxes
// are the mailboxes of all canisters; processing reports whether a user's message with a number is being processed.
func (l *CallTable) CheckArchived(c *archive.Coder, boxes []*Mailbox, parked Parked, processing func(number uint64) bool) {
	all := make(map[principal.Principal]*tally, len(boxes))
	for _, m := range boxes {
		all[m.Owner] = &tally{calls: make(map[principal.Principal]uint16), owed: make(map[principal.Principal]uint16)}
	}
	outstanding := make(map[ContextID]uint32)
	l.futures.each(func(id uint64, f *Future) {
		x, own := l.Context(f.Context), all[f.Owner]
		if !c.Check(x != nil && own != nil && x.Canister == f.Owner, "call %d is of no call context of its canister", id) {
			return
		}
		own.futures++
		switch f.State {
		case Running: // its slot is free
			c.Check(parked[f.Context] == CallID(id), "the callback of call %d runs, and does not", id)
		case Settled:
			own.settled++
			fallthrough
		default:
			own.calls[f.Callee]++
		}
		outstanding[f.Context]++
	})
	l.contexts.each(func(id uint64, x *Context) {
		own := all[x.Canister]
		if !c.Check(own != nil, "call context %d is of no canister of the subnet", id) {
			return
		}
		own.contexts++
		if x.Origin.Kind == FromCanister && !x.Responded {
			own.owed[x.Origin.Caller]++
		}
		_, runs := parked[ContextID(id)]
		c.Check((runs || x.Outstanding > 0) && x.Outstanding == outstanding[ContextID(id)], "call context %d waits for %d calls, and has %d", id, x.Outstanding, outstanding[ContextID(id)])
		c.Check(x.Origin.Kind != 0 && (x.Responded || !x.Deleted && x.Origin.Kind != FromSystem) && (!x.Responded || x.Available.IsZero()), "call context %d is in no state that there is", id)
		c.Check(x.Origin.Kind != FromIngress || x.Responded || processing(x.Origin.Ingress), "call context %d answers no message of a user", id)
	})
	for _, m := range boxes {
		c.Check(l.fits(m, all[m.Owner]), "the calls of canister %s and its mailbox do not fit together", m.Owner)
	}
}

// fits reports whether a mailbox has the responses and slots that the call table implies.
func (l *CallTable) fits(m *Mailbox, own *tally) bool {
	if m.Contexts != own.contexts || m.Calls != own.futures || m.responses.Len() != own.settled {
		return false
	}
	answered := make(map[CallID]bool, m.responses.Len())
	for i := range m.responses.Len() {
		s := m.responses.At(i)
		f := l.Future(s.call)
		if f == nil || answered[s.call] || f.State != Settled || f.Owner != m.Owner || s.bounded != (f.Deadline != 0) {
			return false
		}
		answered[s.call] = true
	}
	for callee, calls := range own.calls { // all must hold: the order has no effect
		if p := m.pairs.of(callee); p == nil || p.calls < calls {
			return false
		}
	}
	for caller, owed := range own.owed { // all must hold: the order has no effect
		if p := m.pairs.of(caller); p == nil || p.owed < owed {
			return false
		}
	}
	return true
}
