package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// IngressAnswer is the status of a user's message and its outcome.
type IngressAnswer struct {
	Status       Status
	Sender       principal.Principal
	Receiver     principal.Principal
	Method       string
	Reply        []byte                // if Replied; read-only
	Reject       *intercanister.Reject // if Rejected
	Answered     uint64                // ns; 0 before
	Instructions uint64                // of its own execution or installation, without callbacks
	// Backtrace is the origin of a reject that a failure of code caused, innermost first. Only the newest MaxTraps
	// failures are known, and none from before an export or a fork.
	Backtrace []Frame
}

// IngressAnswer returns what a subnet knows of a message now, before the next view shows it, and false if it knows
// nothing.
func (n *Network) IngressAnswer(subnet principal.Principal, id RequestID) (answer IngressAnswer, known bool) {
	position, ok := n.routes.byID[subnet]
	if !ok {
		return answer, false
	}
	in := n.subnets[position].History.Find(id)
	if in == nil {
		return answer, false
	}
	n.readAnswer(&answer, in)
	return answer, true
}

// readAnswer sets all fields of an answer, in place: a copy would take longer.
func (n *Network) readAnswer(answer *IngressAnswer, in *state.Ingress) {
	answer.Status, answer.Method = in.Status, in.Method
	answer.Sender, answer.Receiver = in.Sender, in.Receiver
	answer.Reply, answer.Reject = in.Reply, in.Reject
	answer.Answered, answer.Instructions = in.Answered, in.Instructions
	if in.Reject == nil {
		answer.Backtrace = nil
	} else {
		answer.Backtrace = n.traps.backtrace(in.ID, in.Reject.Text)
	}
}

// ShownAnswer returns the subnet of a message that was accepted, before inputs move its canister to another one. If the
// last view shows the answer, it is set.
func (n *Network) ShownAnswer(accepted *Ingress, answer *IngressAnswer) (subnet principal.Principal, shown bool) {
	position := n.routes.find(accepted.Effective)
	if accepted.BySubnet {
		position = n.routes.byID[accepted.Subnet]
	}
	m := n.subnets[position]
	in := m.History.Find(accepted.ID)
	if in == nil || !in.Status.Terminal() || in.Changed() {
		return m.ID, false
	}
	n.readAnswer(answer, in)
	return m.ID, true
}

// HasSubnet reports whether a subnet exists now, before the next view shows it.
func (n *Network) HasSubnet(id principal.Principal) bool {
	_, ok := n.routes.byID[id]
	return ok
}

// HostOf returns the subnet that hosts a canister id now, before the next view shows it.
func (n *Network) HostOf(id principal.Principal) (subnet principal.Principal, ok bool) {
	position := n.routes.find(id)
	if position < 0 {
		return principal.Principal{}, false
	}
	return n.subnets[position].ID, true
}
