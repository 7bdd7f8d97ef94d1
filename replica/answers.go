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
func (n *Network) IngressAnswer(subnet principal.Principal, id RequestID) (IngressAnswer, bool) {
	position, ok := n.routes.byID[subnet]
	if !ok {
		return IngressAnswer{}, false
	}
	in := n.subnets[position].History.Find(id)
	if in == nil {
		return IngressAnswer{}, false
	}
	return n.answerOf(in), true
}

func (n *Network) answerOf(in *state.Ingress) IngressAnswer {
	answer := IngressAnswer{
		Status: in.Status, Sender: in.Sender, Receiver: in.Receiver, Method: in.Method,
		Reply: in.Reply, Reject: in.Reject, Answered: in.Answered, Instructions: in.Instructions,
	}
	if in.Reject != nil {
		answer.Backtrace = n.traps.backtrace(in.ID, in.Reject.Text)
	}
	return answer
}

// ShownAnswer returns the subnet of a message that was accepted, and the answer if the last view shows it.
func (n *Network) ShownAnswer(accepted *Ingress) (subnet principal.Principal, answer IngressAnswer, shown bool) {
	position := n.routes.find(accepted.Effective)
	if accepted.BySubnet {
		position = n.routes.byID[accepted.Subnet]
	}
	m := n.subnets[position]
	in := m.History.Find(accepted.ID)
	if in == nil || !in.Status.Terminal() || in.Changed() {
		return m.ID, answer, false
	}
	return m.ID, n.answerOf(in), true
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
