package trace

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica"
)

// Root selects a tree: the tree of an ingress message if Request is set, otherwise the tree of a call context. The
// latter shows what the context itself did and what followed from it.
type Root struct {
	Request replica.RequestID
	Subnet  principal.Principal
	Context intercanister.ContextID
}

// member is a call context of a subnet or a call of a canister.
type member struct {
	of     principal.Principal
	number uint64
	call   bool
}

func contextOf(e *replica.Event) member { return member{e.Subnet, uint64(e.Context), false} }

// callOf returns the call of an event. Events about a request name the callee as canister and the caller as peer; those
// of fault injection do so for responses, too.
func callOf(e *replica.Event) member {
	if incoming(e) {
		return member{e.Peer, uint64(e.Call), true}
	}
	return member{e.Canister, uint64(e.Call), true}
}

func incoming(e *replica.Event) bool {
	switch e.Kind {
	case replica.CallRegistered, replica.CallSettled, replica.ResponseLate, replica.OutcallMade:
		return false
	case replica.MessageExecuted, replica.MessageParked, replica.MessageDropped, replica.MessageShed, replica.CodeInstalled, replica.Trapped:
		return e.Source == intercanister.SourceRequests
	}
	return true
}

// Members selects the events of one tree: it receives all events in order and learns which contexts and calls belong to
// the tree.
type Members struct {
	root  Root
	known map[member]struct{}
	order []member // oldest first
}

// NewMembers selects the events of a tree.
func NewMembers(root Root) *Members {
	m := &Members{root: root, known: make(map[member]struct{})}
	if root.Context != 0 {
		m.add(member{root.Subnet, uint64(root.Context), false})
	}
	return m
}

// Take reports whether an event belongs to the tree. It must receive each event once and in order.
func (m *Members) Take(e *replica.Event) bool {
	if !m.belongs(e) {
		return false
	}
	if e.Context != 0 {
		m.add(contextOf(e))
	}
	if e.Kind == replica.CallRegistered || e.Kind == replica.CallSettled {
		m.add(callOf(e))
	}
	return true
}

func (m *Members) belongs(e *replica.Event) bool {
	if e.Request == m.root.Request && e.Request != (replica.RequestID{}) {
		return true
	}
	if e.Context != 0 && m.has(contextOf(e)) {
		return true
	}
	return e.Call != 0 && m.has(callOf(e))
}

func (m *Members) has(k member) bool {
	_, ok := m.known[k]
	return ok
}

func (m *Members) add(k member) {
	if m.has(k) {
		return
	}
	if len(m.order) == MaxMembers {
		delete(m.known, m.order[0])
		m.order = m.order[1:]
	}
	m.known[k] = struct{}{}
	m.order = append(m.order, k)
}

// LastIngress returns the tree of the newest ingress message among events, false if there is none.
func LastIngress(events []replica.Event) (Root, bool) {
	for i := len(events) - 1; i >= 0; i-- {
		if e := &events[i]; e.Kind == replica.IngressReceived {
			return Root{Request: e.Request}, true
		}
	}
	return Root{}, false
}
