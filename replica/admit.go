package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// admit takes a user's message into the state, or returns why not (interface specification, "Request: Call": the checks
// before "received").
func (n *Network) admit(in *Ingress) Result {
	m, result := n.arrive(in)
	if m == nil {
		return result
	}
	a := m.admission()
	if reject := a.accept(in); reject != nil {
		return Result{Reject: reject}
	}
	m.receiveIngress(in)
	return Result{}
}

// arrive returns the subnet that a message is for, if it does not know the message and the message is well-formed.
func (n *Network) arrive(in *Ingress) (*subnet, Result) {
	m, result := n.destination(in)
	if m == nil {
		return nil, result
	}
	if known := m.History.Find(in.ID); known != nil {
		return nil, Result{Known: known.Status}
	}
	a := m.admission()
	if refused := a.check(in); refused != nil {
		return nil, Result{Refusal: refused}
	}
	return m, Result{}
}

// destination returns the subnet of an ingress message, by the rules about effective ids (interface specification,
// "Effective canister id").
func (n *Network) destination(in *Ingress) (*subnet, Result) {
	if in.BySubnet {
		position, ok := n.routes.byID[in.Subnet]
		if !ok {
			return nil, refuse(refusal.Invalid, "subnet %s is not part of this network", in.Subnet)
		}
		return n.subnets[position], Result{}
	}
	if in.Receiver == principal.Management {
		id, anywhere, reject := n.management.Effective(in.Method, in.Arg)
		if reject != nil {
			return nil, Result{Reject: reject}
		}
		if !anywhere && id != in.Effective {
			return nil, refuse(refusal.Invalid, "the effective canister id is %s, but method %s is about canister %s: they must be the same", in.Effective, in.Method, id)
		}
	} else if in.Receiver != in.Effective {
		return nil, refuse(refusal.Invalid, "the effective canister id is %s, but the call is to canister %s: they must be the same", in.Effective, in.Receiver)
	}
	position := n.routes.find(in.Effective)
	if position < 0 {
		return nil, refuse(refusal.Invalid, "Canister %s does not belong to any subnet.", in.Effective)
	}
	return n.subnets[position], Result{}
}

// receiveIngress enters an accepted message and queues it.
func (s *subnet) receiveIngress(in *Ingress) {
	record := s.History.Receive(&state.Ingress{
		ID: in.ID, Sender: in.Sender, Receiver: in.Receiver, Effective: in.Effective,
		Method: in.Method, Arg: in.Arg, Info: in.Info, Size: in.Size, Expiry: in.Expiry,
	}, &s.Deadlines)
	s.Show(record)
	if s.net.sink != nil {
		s.net.emit(Event{Kind: IngressReceived, Subnet: s.ID, Canister: in.Effective, Request: in.ID, Method: in.Method, Bytes: len(in.Arg), Payload: in.Arg, Origin: Origin{Kind: intercanister.FromIngress, Caller: in.Sender}})
	}
	command := in.Receiver == principal.Management || in.BySubnet
	if !s.faults.Idle() && s.intercepted(s.faults.Receive(record, command)) {
		return
	}
	s.queueIngress(record, command)
}

// queueIngress queues a user's message for its receiver, which may have been deleted while the message was held.
func (s *subnet) queueIngress(in *state.Ingress, command bool) {
	box := &s.ManagementCalls
	if !command {
		r := s.Canisters.Get(in.Effective)
		if r == nil {
			s.answerIngress(in, nil, rejectNotFound(in.Effective))
			return
		}
		box = &r.Mailbox
	}
	box.PushIngress(in.Number)
	s.Ready.Add(box)
}

// IngressStatus returns the present status of a message, before the next view shows it.
func (n *Network) IngressStatus(subnet principal.Principal, id RequestID) Status {
	status, _ := n.IngressShown(subnet, id)
	return status
}

// Shown reports whether the last view shows all that the network knows of an ingress message: an answer between two
// rounds is in the next view only.
func (n *Network) Shown(subnet principal.Principal, id RequestID) bool {
	_, shown := n.IngressShown(subnet, id)
	return shown
}

// IngressShown returns IngressStatus and Shown in one call.
func (n *Network) IngressShown(subnet principal.Principal, id RequestID) (status Status, shown bool) {
	position, ok := n.routes.byID[subnet]
	if !ok {
		return 0, false
	}
	if in := n.subnets[position].History.Find(id); in != nil {
		return in.Status, !in.Changed()
	}
	return 0, false
}
