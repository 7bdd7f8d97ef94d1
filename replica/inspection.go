package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Inspection is a run of canister_inspect_message for a message, with the captured state that it needs. Exactly one of
// Run and Discard must be called, once, on any goroutine.
type Inspection struct {
	id      principal.Principal
	target  *canister.QueryTarget
	sub     canister.Subnet
	message canister.Message
}

// Inspect prepares canister_inspect_message for a message, and returns nil if there is nothing to run (then Apply
// decides alone). A message without an objection may be applied with Inspected set.
func (n *Network) Inspect(in *Ingress) *Inspection {
	m, r := n.find(in.Receiver)
	if r == nil || in.Receiver != in.Effective || !n.executor.Has(r.Canister, canister.InspectMessage) {
		return nil
	}
	a := m.admission()
	if _, reject := charging.CheckIngress(&m.State, r, in.Size, in.Sender); reject != nil || a.uninspectable(in, r) != nil {
		return nil
	}
	inspection, reject := newInspection(m.Environment, in, r)
	if reject != nil {
		return nil
	}
	return inspection
}

func newInspection(environment *canister.Subnet, in *Ingress, r *state.Entry) (*Inspection, *intercanister.Reject) {
	if environment.Volatile {
		r.Canister.MakeVolatile()
	}
	target, reject := r.Canister.PrepareQuery()
	if reject != nil {
		return nil, reject
	}
	i := &Inspection{id: r.ID(), target: target, sub: *environment}
	i.message = canister.Message{Context: canister.InspectMessage, Method: in.Method, Caller: in.Sender, Payload: in.Arg}
	i.message.CallerInfo, i.message.Signer = in.Info.Parts()
	return i, nil
}

// Run runs the inspection and returns its objection.
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

// Discard releases an inspection that will not run.
func (i *Inspection) Discard() { i.target.Release() }
