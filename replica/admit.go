package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/refusal"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// admit takes a user's message into the state, or says why not (interface
// specification, "Request: Call": the checks before "received").
func (n *Network) admit(in *Ingress) Result {
	m, result := n.destination(in)
	if m == nil {
		return result
	}
	if known := m.History.Find(in.ID); known != nil {
		return Result{Known: known.Status}
	}
	if result, ok := m.wellFormed(in); !ok {
		return result
	}
	r, reject := m.accept(in)
	if reject != nil {
		return Result{Reject: reject}
	}
	m.receiveIngress(in, r)
	return Result{}
}

// destination is the subnet an ingress message is for, by the rules about
// effective ids (interface specification, "Effective canister id").
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

func (m *subnet) wellFormed(in *Ingress) (Result, bool) {
	limit := MaxIngressBytes
	if m.System {
		limit = MaxIngressBytesSystem
	}
	if size := len(in.Method) + len(in.Arg); size > limit && !in.AnySize {
		return refuse(refusal.TooLarge, "Request %x is too large. Message byte size %d is larger than the max allowed %d.", in.ID, size, limit), false
	}
	now := max(m.net.clock, m.net.time)
	if in.Expiry <= now || !in.AnyExpiry && in.Expiry > now+MaxIngressTTL+PermittedDrift {
		return refuse(refusal.Invalid, "Invalid request expiry: Specified ingress_expiry not within expected range: Minimum allowed expiry: %d, Maximum allowed expiry: %d, Provided expiry: %d",
			now, now+MaxIngressTTL+PermittedDrift, in.Expiry), false
	}
	return Result{}, true
}

// accept decides whether a well-formed message enters the state, and makes its
// canister pay for that. It gives the canister that pays, nil for none. Whether that can
// pay is looked at before anything else, as on the replica.
func (m *subnet) accept(in *Ingress) (*state.Entry, *intercanister.Reject) {
	if m.History.Full() {
		return nil, rejectHistoryFull(m.History.Capacity())
	}
	r := m.Canisters.Get(in.Effective)
	if r != nil && m.paysFirst(in) {
		if reject := charging.CheckIngress(&m.State, r, in.Size, in.Sender); reject != nil {
			return nil, reject
		}
	}
	if in.Receiver == principal.Management || in.BySubnet {
		if reject := m.admitCommand(in, r); reject != nil {
			return nil, reject
		}
	} else if reject := m.acceptCall(in, r); reject != nil {
		return nil, reject
	}
	if r == nil || m.payment(in) != state.PaysBefore {
		return nil, nil
	}
	return r, charging.Ingress(&m.State, r, in.Size, in.Sender)
}

// paysFirst reports whether a message is paid for by the canister of its effective id
// before it is executed.
func (m *subnet) paysFirst(in *Ingress) bool {
	if in.Receiver != principal.Management {
		return true
	}
	if m.payment(in) != state.PaysBefore {
		return false
	}
	_, anywhere, reject := m.net.management.Effective(in.Method, in.Arg)
	return !anywhere && reject == nil
}

// payment is when a message is paid for.
func (m *subnet) payment(in *Ingress) state.Payment {
	if in.Receiver != principal.Management {
		return state.PaysBefore
	}
	return m.net.management.Payment(in.Method, in.Arg)
}

// acceptCall checks a call of an ordinary canister, and asks the canister.
func (m *subnet) acceptCall(in *Ingress, r *state.Entry) *intercanister.Reject {
	if r == nil {
		return rejectNotFound(in.Effective)
	}
	if reject := m.uninspectable(in, r); reject != nil {
		return reject
	}
	if in.Inspected || !m.net.executor.Has(r.Canister, canister.InspectMessage) {
		return nil
	}
	inspect, reject := m.inspection(in, r)
	if reject != nil {
		return reject
	}
	return inspect.Run(Turns{})
}

// Inspection is canister_inspect_message for a message, with hold of the state it needs.
// Exactly one of Run and Discard must be called, once, on any goroutine.
type Inspection struct {
	id      principal.Principal
	target  *canister.QueryTarget
	sub     canister.Subnet
	message canister.Message
}

// uninspectable rejects a call of an ordinary canister that the canister is not asked
// about: by its status, as a composite query, for its lack of code.
func (m *subnet) uninspectable(in *Ingress, r *state.Entry) *intercanister.Reject {
	if reject := rejectIngress(r.Canister); reject != nil {
		return reject
	}
	if m.net.executor.Empty(r.Canister) {
		return rejectEmptyIngress()
	}
	if m.net.executor.Method(r.Canister, in.Method) == canister.CompositeQueryMethod {
		return rejectComposite()
	}
	return nil
}

// Inspect prepares canister_inspect_message for a message, nil where there is
// nothing to run (Apply decides then alone). A message it has no objection to may
// be applied with Inspected set.
func (n *Network) Inspect(in *Ingress) *Inspection {
	m, r := n.find(in.Receiver)
	if r == nil || in.Receiver != in.Effective || !n.executor.Has(r.Canister, canister.InspectMessage) {
		return nil
	}
	if charging.CheckIngress(&m.State, r, in.Size, in.Sender) != nil || m.uninspectable(in, r) != nil {
		return nil
	}
	inspection, reject := m.inspection(in, r)
	if reject != nil {
		return nil
	}
	return inspection
}

func (m *subnet) inspection(in *Ingress, r *state.Entry) (*Inspection, *intercanister.Reject) {
	target, reject := r.Canister.PrepareQuery()
	if reject != nil {
		return nil, reject
	}
	i := &Inspection{id: r.ID(), target: target, sub: *m.Environment}
	i.message = canister.Message{Context: canister.InspectMessage, Method: in.Method, Caller: in.Sender, Payload: in.Arg}
	i.message.CallerInfo, i.message.Signer = in.Info.Parts()
	return i, nil
}

// Run runs the inspection and gives its objection.
func (i *Inspection) Run(turns Turns) *intercanister.Reject {
	defer i.Discard()
	turns.apply(&i.message)
	out := i.target.Run(&i.sub, &i.message)
	switch {
	case out.Failure != nil:
		return out.Failure
	case !out.AcceptedIngress:
		return rejectNotAccepted(i.id)
	}
	return nil
}

// Discard gives up an inspection that will not run.
func (i *Inspection) Discard() { i.target.Release() }

// receiveIngress enters an accepted message and queues it.
func (m *subnet) receiveIngress(in *Ingress, r *state.Entry) {
	record := m.History.Receive(&state.Ingress{
		ID: in.ID, Sender: in.Sender, Receiver: in.Receiver, Effective: in.Effective,
		Method: in.Method, Arg: in.Arg, Info: in.Info, Size: in.Size, Expiry: in.Expiry,
	}, &m.Deadlines)
	m.Show(record)
	if m.net.sink != nil {
		m.net.emit(Event{Kind: IngressReceived, Subnet: m.ID, Canister: in.Effective, Request: in.ID, Method: in.Method, Bytes: len(in.Arg), Payload: in.Arg, Origin: Origin{Kind: intercanister.FromIngress, Caller: in.Sender}})
	}
	command := in.Receiver == principal.Management || in.BySubnet
	if i := m.interceptor(); i != nil && m.intercepted(i.Receive(record, command)) {
		return
	}
	m.queueIngress(record, command)
}

// queueIngress queues a user's message for its receiver, which may have gone while the message was held.
func (m *subnet) queueIngress(in *state.Ingress, command bool) {
	box := &m.Commands
	if !command {
		r := m.Canisters.Get(in.Effective)
		if r == nil {
			m.answerIngress(in, nil, rejectNotFound(in.Effective))
			return
		}
		box = &r.Mailbox
	}
	box.PushIngress(in.Number)
	m.Ready.Add(box)
}

// IngressStatus is where a message stands now, before the next view shows it.
func (n *Network) IngressStatus(subnet principal.Principal, id RequestID) Status {
	status, _ := n.IngressShown(subnet, id)
	return status
}

// Shown reports whether the last view shows what the network knows of an ingress
// message: an answer given between two rounds is in the next view only.
func (n *Network) Shown(subnet principal.Principal, id RequestID) bool {
	_, shown := n.IngressShown(subnet, id)
	return shown
}

// IngressShown is IngressStatus and Shown at once.
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
