package replica

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/introspect"
)

// DeleteSubnet removes a subnet from a running network, with its canisters and their cycles: a test control. Views show
// it until the end of the next round.
//
// What the subnet has sent still arrives; the answers to its requests are dropped, with their refunds. Open calls of
// other canisters to it are rejected. Calls that it has not begun return their cycles. Its canister ids have no subnet
// from then on, and its messages of users are unknown.
//
// It is refused as not found if the subnet does not exist, and as a conflict between the steps of a round and for the
// root subnet, a subnet with threshold keys, and the subnet of the canister id that stands for the network.
type DeleteSubnet struct{ Subnet principal.Principal }

func (DeleteSubnet) input() {}

func (n *Network) deleteSubnet(in DeleteSubnet) Result {
	position, ok := n.routes.byID[in.Subnet]
	switch {
	case !ok:
		return refuse(refusal.NotFound, "subnet %s is not part of this network", in.Subnet)
	case n.open:
		return refuse(refusal.Conflict, "round %d was begun by single steps: end it, and delete the subnet then", n.height)
	case position == 0:
		return refuse(refusal.Conflict, "subnet %s is the root subnet: a network cannot be without it", in.Subnet)
	case n.routes.find(n.View().DefaultCanister()) == position:
		return refuse(refusal.Conflict, "subnet %s hosts the default effective canister id of the network", in.Subnet)
	case len(n.subnets[position].Signing.Names) > 0:
		return refuse(refusal.Conflict, "subnet %s holds threshold keys of the network", in.Subnet)
	}
	gone := n.subnets[position]
	n.deliverLast(gone)
	lost := n.callsTo(position)
	n.closeBooks(gone, lost)
	unsent := n.leave(gone)
	for i, m := range n.subnets {
		m.rejectUnsentTo(gone.ID, unsent[i])
	}
	for i := range lost {
		lost[i].caller.answer(&lost[i].request, rejectSubnetDeleted(gone.ID))
	}
	gone.close()
	n.generation++
	return Result{}
}

// deliverLast moves everything that a subnet has still to send into the streams, even if they have no room.
func (n *Network) deliverLast(gone *subnet) {
	for to, queue := range gone.Output {
		for i := range queue {
			p := &queue[i]
			gone.Dequeue(p)
			p.From = nil
			n.subnets[to].Inbound = append(n.subnets[to].Inbound, *p)
		}
		gone.Output[to] = nil
	}
}

// lostCall is a call that a subnet has accepted and not answered. The request has the cycles that return.
type lostCall struct {
	caller  *subnet
	request intercanister.Request
}

// callsTo returns the calls of canisters of other subnets that a subnet has accepted, in the order of the callers'
// subnets and of the calls.
func (n *Network) callsTo(position int) (all []lostCall) {
	locations := n.Introspect().CallLocations()
	for i, m := range n.subnets {
		if i == position {
			continue
		}
		for _, id := range m.Calls.Calls() {
			f := m.Calls.Future(id)
			at := locations.Of(i, id, f.Owner)
			if f.State != intercanister.Waiting || at.Subnet.Position != position || at.Reason == introspect.WaitNever {
				continue
			}
			all = append(all, lostCall{m, intercanister.Request{
				Call: id, Sender: f.Owner, Receiver: f.Callee, Method: f.Method, Deadline: f.Deadline, Cycles: at.Request.Cycles,
			}})
		}
	}
	return all
}

// closeBooks adds the cycles of a subnet to the totals of the deleted ones, without those that lost calls return.
func (n *Network) closeBooks(gone *subnet, lost []lostCall) {
	audit := n.Introspect().Subnets[gone.position].AuditCycles()
	held := audit.Held()
	for i := range lost {
		held = held.Sub(lost[i].request.Cycles)
	}
	n.deleted.Add(&state.CycleTotals{Minted: audit.Minted, Gone: audit.Consumed, Deleted: audit.Deleted.Add(held), Lost: audit.Lost})
}

// leave removes a subnet from the network: its routes, its streams, its part of the certified trees. It returns what
// the other subnets, by their new positions, had to send to it.
func (n *Network) leave(gone *subnet) (unsent [][]state.StreamMessage) {
	n.View() // made before any change: it stays the last until the next round ends
	n.delegations = new(delegations)
	label := certify.LabelOf(gone.ID)
	for _, m := range n.subnets {
		if m != gone {
			last := m.staged()
			m.showAhead(last, last.height().Tree().Delete("subnet", label).Delete("canister_ranges", label))
			unsent = append(unsent, m.Output[gone.position])
			m.Output = slices.Delete(slices.Clone(m.Output), gone.position, gone.position+1)
		}
	}
	n.index.drop(&gone.State)
	for _, h := range gone.Held.All() {
		n.rules.Held--
		n.rules.Bytes -= h.PayloadBytes()
	}
	n.config.deleted = append(slices.Clip(n.config.deleted), gone.Ids.Ranges...)
	n.config.Subnets = slices.Delete(slices.Clone(n.config.Subnets), gone.position, gone.position+1)
	n.subnets = slices.Delete(slices.Clone(n.subnets), gone.position, gone.position+1)
	for i, m := range n.subnets {
		m.position = i
	}
	n.routes = n.routesNow()
	return unsent
}

// rejectUnsentTo rejects requests that wait to be sent to a deleted subnet. Responses and refunds are dropped.
func (s *subnet) rejectUnsentTo(gone principal.Principal, queue []state.StreamMessage) {
	for i := range queue {
		p := &queue[i]
		s.Dequeue(p)
		if p.Request != nil {
			s.answer(p.Request, rejectSubnetDeleted(gone))
		} else {
			s.loseRefund(p.Owner, p.Response.Refund)
		}
	}
}

// deletedCanister reports whether a canister id belongs to a deleted subnet.
func (n *Network) deletedCanister(id principal.Principal) bool {
	number, ok := id.CanisterNumber()
	return ok && slices.ContainsFunc(n.config.deleted, func(r Range) bool { return r.Contains(number) })
}

// deletedAny reports whether a range has canister ids of a deleted subnet.
func (n *Network) deletedAny(r Range) bool {
	return slices.ContainsFunc(n.config.deleted, func(gone Range) bool { return gone.First <= r.Last && r.First <= gone.Last })
}

// hostsOrDid reports whether a subnet hosts a canister id, or did before it was deleted.
func (n *Network) hostsOrDid(id principal.Principal) bool {
	return n.routes.find(id) >= 0 || n.deletedCanister(id)
}
