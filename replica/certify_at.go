package replica

import "github.com/canisterd/canisterd/internal/refusal"

// CertifyAt sets the time as AdvanceTo does, and certifies the state at that time: queries see the time, although no
// round ran. The time never goes back. It is refused between the steps of a round.
type CertifyAt uint64

func (CertifyAt) input() {}

func (n *Network) certifyAt(in CertifyAt) Result {
	if n.open {
		return refuse(refusal.Conflict, "a round is open: end it before the state is certified as of another time")
	}
	n.clock = max(n.clock, uint64(in))
	if n.clock <= n.time {
		return Result{}
	}
	n.time = n.clock
	n.height++
	n.generation++
	for _, m := range n.subnets {
		m.Time, m.Height = n.time, n.height
		m.refresh()
	}
	n.publish()
	return Result{}
}
