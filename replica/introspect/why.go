package introspect

import (
	"fmt"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// WhyUnanswered says what a user's message that is not answered waits for, such as "it awaits inc of canister
// lxzze-o7777-77777-aaaaa-cai: the request is held by rule 1 as held 1". The rest of it is about the last call of a
// chain. It is empty if nothing is known of the message. It takes time in proportion to everything that is open.
func (n *Network) WhyUnanswered(id state.RequestID) Waiting {
	for _, h := range n.Held(0, 0, MaxListed) {
		if h.Kind == state.KindIngress && h.Request == id {
			w := Waiting{Reason: WaitHeld, Subnet: h.Subnet, Rule: h.Rule, Held: h.ID, Text: "the message is held"}
			return w.said()
		}
	}
	for _, m := range n.Subnets {
		if w, ok := m.whyCommand(id); ok {
			return w
		}
		if c := m.contextOf(id); c != nil {
			return n.whyOpen(m, c)
		}
	}
	return n.whyQueued(id)
}

// said names the held message in the text.
func (w Waiting) said() Waiting {
	if w.Held != 0 {
		w.Text += fmt.Sprintf(" by rule %d as held %d", w.Rule, w.Held)
	}
	return w
}

// isFromRequest reports whether something comes from a user's message.
func (m *Subnet) isFromRequest(o *intercanister.Origin, id state.RequestID) bool {
	return o.Kind == intercanister.FromIngress && m.History.At(o.Ingress).ID == id
}

// whyCommand says what a user's call of the management canister waits for after it has left the queue.
func (m *Subnet) whyCommand(id state.RequestID) (w Waiting, ok bool) {
	for _, x := range m.Parked {
		if x.Install != nil && m.isFromRequest(&x.Install.Call.Origin, id) {
			return Waiting{Reason: WaitExecuting, Subnet: m.ID, Text: "canister " + x.Entry.ID().String() + " is being installed"}, true
		}
	}
	for r := range m.Canisters.All() {
		for i := range r.Stops {
			if m.isFromRequest(&r.Stops[i].Ticket.Origin, id) {
				return Waiting{Reason: WaitStopped, Subnet: m.ID, Text: "canister " + r.ID().String() + " is stopping: what it has open must end first"}, true
			}
		}
	}
	return w, false
}

// contextOf returns the open context of a user's message; nil if there is none.
func (m *Subnet) contextOf(id state.RequestID) (found *intercanister.Context) {
	m.Calls.EachContext(func(c *intercanister.Context) {
		if !c.Responded && m.isFromRequest(&c.Origin, id) { // otherwise another may have its number
			found = c
		}
	})
	return found
}

// whyOpen says what a message that has begun waits for: its code, or the first call on its way that does not only wait
// for calls of its own.
func (n *Network) whyOpen(m *Subnet, c *intercanister.Context) Waiting {
	futures := make(map[CallRef]OpenFuture)
	for page := (Page{}); ; {
		some, next := n.Futures(page)
		for i := range some {
			futures[some[i].CallRef] = some[i]
		}
		if next == nil {
			break
		}
		page.After = *next
	}
	awaits := m.awaits()[c.ID]
	for _, x := range m.Parked {
		if x.Context == c.ID {
			return Waiting{Reason: WaitExecuting, Subnet: m.ID, Context: c.ID, Text: "canister " + c.Canister.String() + " is in the middle of its code"}
		}
	}
	why := Waiting{Reason: WaitAwaiting, Subnet: m.ID, Context: c.ID, Text: "canister " + c.Canister.String() + " has not answered"}
	for len(awaits) > 0 {
		f, ok := futures[awaits[0]]
		if !ok {
			break // a canister that calls itself in a circle ends here
		}
		delete(futures, awaits[0])
		why, awaits = f.Waits, f.Waits.Awaits
		why.Text = fmt.Sprintf("it awaits %s of canister %s: %s", f.Method, f.Callee, f.Waits.Text)
	}
	return why.said()
}

// whyQueued says what a message waits for that has not begun.
func (n *Network) whyQueued(id state.RequestID) Waiting {
	for page := (Page{}); ; {
		some, next := n.Messages(page)
		for i := range some {
			if q := &some[i]; q.Source == intercanister.SourceIngress && q.Request == id {
				q.Waits.Text = "the message is in the queue: " + q.Waits.Text
				return q.Waits
			}
		}
		if next == nil {
			return Waiting{}
		}
		page.After = *next
	}
}
