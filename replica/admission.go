package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/intercanister/cycles"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/charging"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// admission decides whether messages of users enter a subnet (interface specification, "Request: Call": the checks
// before "received"). It changes nothing, except that it takes the fee of an accepted message.
type admission struct {
	state      *state.State
	host       state.Host // of the management canister
	management state.Management
	executor   state.Executor
	now        uint64 // ns
}

func (s *subnet) admission() admission {
	return admission{state: &s.State, host: s, management: s.net.management, executor: s.net.executor, now: max(s.net.clock, s.net.time)}
}

// Authorize reports what would keep a message from entering the network as it stands: its destination, size and expiry,
// and whether its sender may call the method. It changes nothing, charges nothing and runs no canister, so it precedes
// any work for a message. Apply checks again.
func (n *Network) Authorize(in *Ingress) Result {
	m, result := n.arrive(in)
	if m == nil {
		return result
	}
	a := m.admission()
	if m.History.Full() {
		return Result{Reject: rejectHistoryFull(m.History.Capacity())}
	}
	if in.Receiver == principal.Management || in.BySubnet {
		return Result{Reject: a.admitCommand(in, m.Canisters.Get(in.Effective))}
	}
	return Result{}
}

// check refuses a message that is malformed: too large, expired, or with an expiry too far in the future.
func (a *admission) check(in *Ingress) *refusal.Refusal {
	limit := MaxIngressBytes
	if a.state.System {
		limit = MaxIngressBytesSystem
	}
	if size := len(in.Method) + len(in.Arg); size > limit && !in.AnySize {
		return refusal.New(refusal.TooLarge, "Request %x is too large. Message byte size %d is larger than the max allowed %d.", in.ID, size, limit)
	}
	if in.Expiry <= a.now || !in.AnyExpiry && in.Expiry > a.now+MaxIngressTTL+PermittedDrift {
		return refusal.New(refusal.Invalid, "Invalid request expiry: Specified ingress_expiry not within expected range: Minimum allowed expiry: %d, Maximum allowed expiry: %d, Provided expiry: %d",
			a.now, a.now+MaxIngressTTL+PermittedDrift, in.Expiry)
	}
	return nil
}

// accept decides whether a well-formed message enters the state, and charges its canister. Whether the canister can pay
// is checked before anything else, as on the replica.
func (a *admission) accept(in *Ingress) (reject *intercanister.Reject) {
	if a.state.History.Full() {
		return rejectHistoryFull(a.state.History.Capacity())
	}
	r := a.state.Canisters.Get(in.Effective)
	first := r != nil && a.paysFirst(in)
	var fee cycles.Amount
	if first {
		if fee, reject = charging.CheckIngress(a.state, r, in.Size, in.Sender); reject != nil {
			return reject
		}
	}
	if in.Receiver == principal.Management || in.BySubnet {
		reject = a.admitCommand(in, r)
	} else {
		reject = a.acceptCall(in, r)
	}
	if reject != nil || r == nil || a.payment(in) != state.PaysBefore {
		return reject
	}
	if !first {
		if fee, reject = charging.CheckIngress(a.state, r, in.Size, in.Sender); reject != nil {
			return reject
		}
	}
	charging.Ingress(r, fee)
	return nil
}

// paysFirst reports whether the canister of its effective id pays for a message before it is executed.
func (a *admission) paysFirst(in *Ingress) bool {
	if in.Receiver != principal.Management {
		return true
	}
	if a.payment(in) != state.PaysBefore {
		return false
	}
	_, anywhere, reject := a.management.Effective(in.Method, in.Arg)
	return !anywhere && reject == nil
}

// payment returns when a message is paid for.
func (a *admission) payment(in *Ingress) state.Payment {
	if in.Receiver != principal.Management {
		return state.PaysBefore
	}
	return a.management.Payment(in.Method, in.Arg)
}

// acceptCall checks a call of an ordinary canister, and runs its inspection.
func (a *admission) acceptCall(in *Ingress, r *state.Entry) *intercanister.Reject {
	if r == nil {
		return rejectNotFound(in.Effective)
	}
	if reject := a.uninspectable(in, r); reject != nil {
		return reject
	}
	if in.Inspected || !a.executor.Has(r.Canister, canister.InspectMessage) {
		return nil
	}
	inspection, reject := newInspection(a.state.Environment, in, r)
	if reject != nil {
		return reject
	}
	return inspection.Run(Turns{})
}

// admitCommand checks that the sender of a message may call the method of the management canister, and that the queue
// has room.
func (a *admission) admitCommand(in *Ingress, target *state.Entry) *intercanister.Reject {
	c := state.ManagementCall{
		Host: a.host, State: a.state, Method: in.Method, Arg: in.Arg, Caller: in.Sender, Target: target,
		Origin: intercanister.Origin{Kind: intercanister.FromIngress, Caller: in.Sender},
	}
	if reject := a.management.Admit(&c); reject != nil {
		return reject
	}
	if a.state.ManagementCalls.Len() >= state.MaxManagementQueue {
		return rejectQueueFull()
	}
	return nil
}

// uninspectable rejects a call of an ordinary canister without asking the canister: for its status, as a composite
// query, or for missing code.
func (a *admission) uninspectable(in *Ingress, r *state.Entry) *intercanister.Reject {
	if reject := rejectIngress(r.Canister); reject != nil {
		return reject
	}
	if a.executor.Empty(r.Canister) {
		return rejectEmptyIngress()
	}
	if a.executor.Method(r.Canister, in.Method) == canister.CompositeQueryMethod {
		return rejectComposite()
	}
	return nil
}
