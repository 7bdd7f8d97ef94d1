package introspect

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// subnets compares two subnets except their canisters.
func (d *differ) subnets(a, b *Subnet) {
	differing(d, "random blocks drawn", a.RandomBeacon.Drawn, b.RandomBeacon.Drawn, number)
	differing(d, "canister ranges", len(a.Ids.Ranges), len(b.Ids.Ranges), number)
	differing(d, "HTTP outcalls made", a.OutcallsMade, b.OutcallsMade, number)
	d.items("held message", a.heldItems(), b.heldItems())
	d.items("message to another subnet:", a.unsentItems(), b.unsentItems())
	d.items("message from another subnet:", streamItems(a.Inbound), streamItems(b.Inbound))
	d.items("HTTP outcall", a.outcallItems(), b.outcallItems())
	d.items("management call", a.queuedItems(&a.ManagementCalls), b.queuedItems(&b.ManagementCalls))
	d.items("management call begun:", a.begunItems(), b.begunItems())
	d.items("call context", a.contextItems(), b.contextItems())
	d.items("future", a.futureItems(), b.futureItems())
	d.requests(&a.History, &b.History)
}

func (m *Subnet) outcallItems() (all []item) {
	for number, pending := range m.Outcalls { // sorted afterwards: the order has no effect
		all = append(all, numbered(number, pending.Sent.Method+" "+pending.Sent.URL+" of "+pending.Sent.Canister.String()))
	}
	return all
}

func (m *Subnet) contextItems() (all []item) {
	m.Calls.EachContext(func(c *intercanister.Context) {
		text := fmt.Sprintf("of %s, called by %s, %s outstanding", c.Canister, caller(&c.Origin), counted(c.Outstanding, "call"))
		if c.Responded {
			text += ", answered"
		}
		if !c.Available.IsZero() {
			text += ", " + amount(c.Available)
		}
		all = append(all, numbered(uint64(c.ID), text))
	})
	return all
}

func caller(o *intercanister.Origin) string {
	if o.Kind == intercanister.FromSystem {
		return o.Task.String()
	}
	return o.Caller.String()
}

func (m *Subnet) futureItems() (all []item) {
	m.Calls.EachFuture(func(id intercanister.CallID, f *intercanister.Future) {
		stands := map[intercanister.FutureState]string{
			intercanister.Waiting: "waiting", intercanister.Settled: "answered, its callback waits", intercanister.Running: "its callback runs",
		}[f.State]
		all = append(all, numbered(uint64(id), fmt.Sprintf("%s → %s.%s, %s", f.Owner, f.Callee, f.Method, stands)))
	})
	return all
}

// requests compares the known messages of users.
func (d *differ) requests(a, b *state.History) {
	var as, bs []item
	for in := range a.All() {
		if other := b.Find(in.ID); other == nil || describeRequest(other) != describeRequest(in) {
			as = append(as, item{name: fmt.Sprintf("%x", in.ID), text: describeRequest(in)})
		}
	}
	for in := range b.All() {
		if other := a.Find(in.ID); other == nil || describeRequest(other) != describeRequest(in) {
			bs = append(bs, item{name: fmt.Sprintf("%x", in.ID), text: describeRequest(in)})
		}
	}
	d.items("request", as, bs)
}

func describeRequest(in *state.Ingress) string {
	text := in.Method + " of " + about(in) + ": " + in.Status.String()
	switch {
	case in.Reject != nil:
		text += ", " + in.Reject.String()
	case in.Status == state.Replied:
		text += fmt.Sprintf(" with %s (%s)", counted(len(in.Reply), "byte"), digest(in.Reply))
	}
	return text
}

func about(in *state.Ingress) string {
	if in.Receiver == principal.Management {
		return "the management canister about " + in.Effective.String()
	}
	return in.Receiver.String()
}
