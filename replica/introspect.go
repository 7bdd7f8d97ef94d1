package replica

import "github.com/canisterd/canisterd/replica/introspect"

// Introspect returns a view of the network for people. It is valid until the next Apply, Round or Step.
func (n *Network) Introspect() *introspect.Network {
	shown := &introspect.Network{Find: n.routes.find, Rules: &n.rules, Deleted: &n.deleted, Time: n.time, Height: n.height, Open: n.open, NextTime: n.nextTime()}
	for _, m := range n.subnets {
		shown.Add(m.config.Kind.String(), &m.State)
	}
	return shown
}
