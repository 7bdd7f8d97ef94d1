package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// Authorize reports what would keep a message from entering the network as it stands:
// its destination, size and expiry, and whether its sender may call the method. It
// changes nothing, charges nothing and runs no canister, so it comes before any work
// done for a message before it enters. Apply decides again.
func (n *Network) Authorize(in *Ingress) Result {
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
	if m.History.Full() {
		return Result{Reject: rejectHistoryFull(m.History.Capacity())}
	}
	if in.Receiver == principal.Management || in.BySubnet {
		return Result{Reject: m.admitCommand(in, m.Canisters.Get(in.Effective))}
	}
	return Result{}
}

// admitCommand checks that the sender of a message may call the method of the
// management canister, and that its queue has room.
func (m *subnet) admitCommand(in *Ingress, target *state.Entry) *intercanister.Reject {
	c := m.commandOf(in, target)
	if reject := m.net.management.Admit(&c); reject != nil {
		return reject
	}
	if m.Commands.Len() >= state.MaxManagementQueue {
		return rejectQueueFull()
	}
	return nil
}
