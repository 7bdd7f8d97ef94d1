package replica

import (
	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/internal/refusal"
)

// ForgetAnswers makes a subnet forget answered messages of users now, not five minutes after their answers, for clients
// that have the answers: the ingress history has room for others. It must be impossible to send the messages again. A
// message stays if it is unknown to the subnet, not answered, or its call context is still open.
type ForgetAnswers struct {
	Subnet   principal.Principal
	Requests []RequestID
}

func (*ForgetAnswers) input() {}

func (n *Network) forgetAnswers(in *ForgetAnswers) Result {
	position, ok := n.routes.byID[in.Subnet]
	if !ok {
		return refuse(refusal.Invalid, "subnet %s is not part of this network", in.Subnet)
	}
	m := n.subnets[position]
	open := make(map[uint64]bool) // messages by number
	m.Calls.EachContext(func(c *intercanister.Context) {
		if c.Origin.Kind == intercanister.FromIngress {
			open[c.Origin.Ingress] = true
		}
	})
	for _, id := range in.Requests {
		if r := m.History.Find(id); r != nil && r.Status.Terminal() && !open[r.Number] {
			m.Show(m.History.Forget(r, &m.Deadlines))
		}
	}
	return Result{}
}
