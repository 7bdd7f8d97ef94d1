package introspect

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// HeldMessage describes a held message. Its contents are read-only.
type HeldMessage struct {
	ID, Rule       uint64
	Kind           state.MessageKind
	Mock           bool
	Subnet         principal.Principal // that holds it: the caller's
	Caller, Callee principal.Principal
	Method         string
	Call           intercanister.CallID
	Request        state.RequestID // of a user's message
	Argument       []byte
	Reply          []byte                // of a response
	Reject         *intercanister.Reject // of a response
	Cycles         cycles.Amount         // attached, or refunded
	Since          uint64                // ns
	Deadline       uint64                // ns; 0 for none
	Release        uint64                // ns at which it is released automatically; 0: never
	Behind         uint64                // the held request it waits for; 0: none
}

// Held returns held messages after one with an id, of one rule if rule is not 0, at most limit. They are in the order
// of ids, which is the order of arrival.
func (n *Network) Held(rule, after uint64, limit int) (all []HeldMessage) {
	var ids []uint64
	for _, m := range n.Subnets {
		for _, h := range m.Held.All() {
			if h.ID > after && (rule == 0 || h.Rule == rule) {
				ids = append(ids, h.ID)
			}
		}
	}
	slices.Sort(ids)
	for _, id := range ids[:min(len(ids), max(0, limit))] {
		m, h := n.kept(id)
		all = append(all, DescribeHeld(m.State, h))
	}
	return all
}

// HeldMessage returns one held message.
func (n *Network) HeldMessage(id uint64) (HeldMessage, bool) {
	m, h := n.kept(id)
	if h == nil {
		return HeldMessage{}, false
	}
	return DescribeHeld(m.State, h), true
}

func (n *Network) kept(id uint64) (*Subnet, *state.Held) {
	for _, m := range n.Subnets {
		if h := m.Held.Find(id); h != nil {
			return m, h
		}
	}
	return nil, nil
}

// DescribeHeld describes a held message of a subnet.
func DescribeHeld(m *state.State, h *state.Held) HeldMessage {
	shown := HeldMessage{ID: h.ID, Rule: h.Rule, Kind: h.Kind, Mock: h.Mock, Subnet: m.ID, Since: h.Since, Release: h.Release, Behind: h.Behind}
	switch h.Kind {
	case state.KindRequest:
		q := &h.Request
		shown.Caller, shown.Callee, shown.Method, shown.Call = q.Sender, q.Receiver, q.Method, q.Call
		shown.Argument, shown.Cycles, shown.Deadline = q.Payload, q.Cycles, q.Deadline
	case state.KindResponse:
		f := m.Calls.Future(h.Call)
		shown.Caller, shown.Callee, shown.Method, shown.Call = h.Owner, f.Callee, f.Method, h.Call
		shown.Reply, shown.Reject, shown.Cycles, shown.Deadline = h.Response.Reply, h.Response.Reject, h.Response.Refund, h.Deadline
	case state.KindIngress:
		in := m.History.At(h.Ingress)
		shown.Caller, shown.Callee, shown.Method, shown.Request = in.Sender, in.Receiver, in.Method, in.ID
		shown.Argument, shown.Deadline = in.Arg, in.Expiry
	}
	return shown
}
