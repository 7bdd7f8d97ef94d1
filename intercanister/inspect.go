package intercanister

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
)

// These functions inspect waiting messages without changing them, or remove one message.

// Each visits the waiting messages in the order in which they came. An Input is valid until the function returns, and
// read-only.
func (m *Mailbox) Each(visit func(in *Input)) {
	var depth [SourceRequests]int
	seen := make(map[*pair]int, m.pairs.n)
	for i := range m.arrivals.Len() {
		a := m.arrivals.At(i)
		in := Input{Source: a.source}
		switch a.source {
		case SourceTasks:
			in.Task = *m.tasks.At(depth[a.source])
		case SourceResponses:
			s := m.responses.At(depth[a.source])
			in.Call, in.Response = s.call, s.response
		case SourceIngress:
			in.Ingress = *m.ingress.At(depth[a.source])
		case SourceRequests:
			p := m.pairs.of(a.sender)
			in.Request = *p.requests.At(seen[p])
			seen[p]++
		}
		if a.source != SourceRequests {
			depth[a.source]++
		}
		visit(&in)
	}
}

// RemoveRequest removes the request of a call that will not be executed; its answer is no longer owed. It returns false
// if the request does not wait.
func (m *Mailbox) RemoveRequest(call CallID, of func(*Request) bool) (q Request, ok bool) {
	return m.Late(func(q *Request) bool { return q.Call == call && of(q) })
}

// EachFuture visits all registered futures in the order of their ids. A *Future is valid until the function returns,
// and read-only.
func (l *CallTable) EachFuture(visit func(id CallID, f *Future)) {
	for _, id := range l.Calls() {
		visit(id, l.Future(id))
	}
}

// EachContext visits all open contexts in the order of their ids.
func (l *CallTable) EachContext(visit func(c *Context)) {
	ids := make([]ContextID, 0, l.contexts.live)
	l.contexts.each(func(id uint64, _ *Context) { ids = append(ids, ContextID(id)) })
	slices.Sort(ids)
	for _, id := range ids {
		visit(l.Context(id))
	}
}

// First returns the next request of a sender, or nil. It is valid until the mailbox changes; it is read-only.
func (m *Mailbox) First(sender principal.Principal) *Request {
	if p := m.pairs.of(sender); p != nil && p.requests.Len() > 0 {
		return p.requests.At(0)
	}
	return nil
}
