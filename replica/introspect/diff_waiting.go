package introspect

import (
	"fmt"

	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// queuedItems returns the messages that wait in a mailbox.
func (m *Subnet) queuedItems(box *intercanister.Mailbox) (all []item) {
	box.Each(func(in *intercanister.Input) { all = append(all, m.inputItem(in)) })
	return all
}

func (m *Subnet) inputItems(list []state.Input) (all []item) {
	for i := range list {
		all = append(all, m.inputItem(&list[i]))
	}
	return all
}

func (m *Subnet) inputItem(in *intercanister.Input) item {
	name := ""
	switch in.Source {
	case intercanister.SourceTasks:
		name = in.Task.String()
	case intercanister.SourceResponses:
		name = fmt.Sprintf("callback of call #%d", in.Call)
	case intercanister.SourceIngress:
		record := m.History.At(in.Ingress)
		name = fmt.Sprintf("%s by request %x", record.Method, record.ID[:4])
	case intercanister.SourceRequests:
		q := &in.Request
		name = fmt.Sprintf("%s by call #%d of %s", q.Method, q.Call, q.Sender)
	}
	return item{name: name, text: "waits"}
}

// asker describes the caller of a call without an answer.
func (m *Subnet) asker(t *state.Ticket) string {
	if t.Origin.Kind == intercanister.FromIngress {
		id := m.History.At(t.Origin.Ingress).ID
		return fmt.Sprintf("by request %x", id[:4])
	}
	return fmt.Sprintf("by call #%d of %s", t.Origin.Call, t.Origin.Caller)
}

func (m *Subnet) stopItems(r *state.Entry) (all []item) {
	for i := range r.Stops {
		all = append(all, item{name: m.asker(&r.Stops[i].Ticket), text: "waits"})
	}
	return all
}

// begunItems returns the management calls that were taken from a queue and have no answer: their module is being
// compiled, or the next round answers them.
func (m *Subnet) begunItems() (all []item) {
	for i := range m.Preparing {
		one := m.inputItem(&m.Preparing[i].In)
		one.text = whyCompiling
		all = append(all, one)
	}
	for i := range m.Signing.Pending {
		p := &m.Signing.Pending[i]
		all = append(all, item{name: p.Method + " " + m.asker(&p.Ticket), text: "waits for " + p.Key.String()})
	}
	for i := range m.Postponed {
		p := &m.Postponed[i]
		all = append(all, item{name: p.Method + " " + m.asker(&p.Ticket), text: "waits for the next round"})
	}
	return all
}

// heldItems returns the messages that rules hold, and those behind them.
func (m *Subnet) heldItems() (all []item) {
	for _, h := range m.Held.All() {
		shown := DescribeHeld(m.State, h)
		text := fmt.Sprintf("%s %s → %s.%s", shown.Kind, shown.Caller, shown.Callee, shown.Method)
		if shown.Kind == state.KindIngress {
			text += fmt.Sprintf(", request %x", shown.Request[:4])
		} else {
			text += fmt.Sprintf(", call #%d", shown.Call)
		}
		if shown.Behind != 0 {
			text += fmt.Sprintf(", behind #%d", shown.Behind)
		}
		all = append(all, numbered(h.ID, text+", since "+timeText(shown.Since)))
	}
	return all
}

func (m *Subnet) unsentItems() (all []item) {
	for to := range m.Output {
		all = append(all, streamItems(m.Output[to])...)
	}
	return all
}

func streamItems(list []state.StreamMessage) (all []item) {
	for i := range list {
		switch p := &list[i]; {
		case p.Request != nil:
			q := p.Request
			all = append(all, item{number: uint64(q.Call), name: fmt.Sprintf("request of call #%d of %s", q.Call, q.Sender), text: fmt.Sprintf("→ %s.%s", q.Receiver, q.Method)})
		case p.Call != 0:
			all = append(all, item{number: uint64(p.Call), name: fmt.Sprintf("response to call #%d of %s", p.Call, p.Owner), text: counted(p.Response.PayloadBytes(), "byte")})
		default:
			all = append(all, item{name: fmt.Sprintf("refund to %s", p.Owner), text: amount(p.Response.Refund)})
		}
	}
	return all
}
