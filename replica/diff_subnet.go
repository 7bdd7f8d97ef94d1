package replica

import (
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// machines compares two subnets apart from their canisters.
func (d *differ) machines(a, b *machine) {
	differing(d, "random blocks drawn", a.Chance.Drawn, b.Chance.Drawn, number)
	differing(d, "canister ranges", len(a.Ids.Ranges), len(b.Ids.Ranges), number)
	differing(d, "HTTP outcalls made", a.OutcallsMade, b.OutcallsMade, number)
	differing(d, "signatures waited for", len(a.Signing.Pending), len(b.Signing.Pending), number)
	differing(d, "messages held by rules", a.Kept.Len(), b.Kept.Len(), number)
	differing(d, "messages to other subnets", a.unsent, b.unsent, number)
	differing(d, "messages from other subnets", len(a.inbound), len(b.inbound), number)
	d.items("HTTP outcall", a.outcallItems(), b.outcallItems())
	d.items("management call", a.queuedItems(&a.Commands), b.queuedItems(&b.Commands))
	d.items("call context", a.contextItems(), b.contextItems())
	d.items("future", a.futureItems(), b.futureItems())
	d.requests(&a.History, &b.History)
}

func (m *machine) outcallItems() (all []item) {
	for number, pending := range m.Outcalls { // sorted afterwards: no order can be seen
		all = append(all, item{fmt.Sprintf("#%d", number), pending.Sent.Method + " " + pending.Sent.URL + " of " + pending.Sent.Canister.String()})
	}
	return all
}

func (m *machine) contextItems() (all []item) {
	m.Ledger.EachContext(func(c *intercanister.Context) {
		text := fmt.Sprintf("of %s, called by %s, %d calls outstanding", c.Canister, caller(&c.Origin), c.Outstanding)
		if c.Responded {
			text += ", answered"
		}
		if !c.Available.IsZero() {
			text += ", " + c.Available.String() + " cycles"
		}
		all = append(all, item{fmt.Sprintf("#%d", c.ID), text})
	})
	return all
}

func caller(o *intercanister.Origin) string {
	if o.Kind == intercanister.FromSystem {
		return o.Task.String()
	}
	return o.Caller.String()
}

func (m *machine) futureItems() (all []item) {
	m.Ledger.EachFuture(func(id intercanister.CallID, f *intercanister.Future) {
		stands := map[intercanister.FutureState]string{
			intercanister.Waiting: "waiting", intercanister.Settled: "answered, its callback waits", intercanister.Running: "its callback runs",
		}[f.State]
		all = append(all, item{fmt.Sprintf("#%d", id), fmt.Sprintf("of %s to %s, %s", f.Owner, f.Callee, stands)})
	})
	return all
}

// queuedItems are the messages that wait in a mailbox.
func (m *machine) queuedItems(box *intercanister.Mailbox) (all []item) {
	box.Each(func(in *intercanister.Input) {
		switch in.Source {
		case intercanister.SourceTasks:
			all = append(all, item{in.Task.String(), "waits"})
		case intercanister.SourceResponses:
			all = append(all, item{fmt.Sprintf("callback of call #%d", in.Call), "waits"})
		case intercanister.SourceIngress:
			record := m.History.At(in.Ingress)
			all = append(all, item{fmt.Sprintf("%s by request %x", record.Method, record.ID[:4]), "waits"})
		case intercanister.SourceRequests:
			q := &in.Request
			all = append(all, item{fmt.Sprintf("%s by call #%d of %s", q.Method, q.Call, q.Sender), "waits"})
		}
	})
	return all
}

// requests compares what is known of messages of users.
func (d *differ) requests(a, b *state.History) {
	var as, bs []item
	for in := range a.All() {
		if other := b.Find(in.ID); other == nil || stands(other) != stands(in) {
			as = append(as, item{fmt.Sprintf("%x", in.ID), stands(in)})
		}
	}
	for in := range b.All() {
		if other := a.Find(in.ID); other == nil || stands(other) != stands(in) {
			bs = append(bs, item{fmt.Sprintf("%x", in.ID), stands(in)})
		}
	}
	d.items("request", as, bs)
}

func stands(in *state.Ingress) string {
	text := in.Method + " of " + about(in) + ": " + in.Status.String()
	switch {
	case in.Reject != nil:
		text += ", " + in.Reject.String()
	case in.Status == Replied:
		text += fmt.Sprintf(" with %d bytes (%s)", len(in.Reply), digest(in.Reply))
	}
	return text
}

func about(in *state.Ingress) string {
	if in.Receiver == principal.Management {
		return "the management canister about " + in.Effective.String()
	}
	return in.Receiver.String()
}
