package replica

import (
	"cmp"
	"slices"
	"sync"

	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/intercanister"
	"github.com/canisterd/canisterd/replica/internal/state"
	"github.com/canisterd/canisterd/replica/internal/threshold"
)

// Threshold keys: the subnets that hold them, the routing of calls to them, and when they sign.

// thresholdKey is a name for which every scheme has a key.
type thresholdKey struct {
	name  string
	kinds []SubnetKind // of the holders, in networks that have such subnets
	nodes int          // of the holder on mainnet
}

func thresholdKeys() []thresholdKey {
	return []thresholdKey{
		{"key_1", []SubnetKind{II, Fiduciary}, 34},
		{"test_key_1", []SubnetKind{TestKeys}, 13},
		{"dfx_test_key", []SubnetKind{TestKeys}, 13},
	}
}

// knownKeys returns the threshold keys of every network with keys.
var knownKeys = sync.OnceValue(func() []state.KeyID {
	var names []string
	for _, key := range thresholdKeys() {
		names = append(names, key.name)
	}
	return state.KeysNamed(names...)
})

// placeKeys assigns the threshold keys to subnets, permanently. A key is held by subnets of the kinds that hold it in
// PocketIC. If the network has none, the key is held by the subnet whose size is nearest to mainnet's from below: the
// keys always exist, and cycles that pay for a signature on mainnet pay for it here. Among equals, a subnet that
// charges is preferred, then the first.
func (n *Network) placeKeys() {
	signer, ok := n.management.(state.Signer)
	if !ok {
		return
	}
	n.signer = signer
	ring := threshold.NewRing(n.config.Seed)
	var shown []canister.Key
	for _, key := range thresholdKeys() {
		for _, m := range n.holdersOf(&key) {
			m.Signing.Names = append(m.Signing.Names, key.name)
			shown = append(shown, canister.Key{Name: key.name, Nodes: uint64(m.Nodes)})
		}
	}
	for _, m := range n.subnets {
		m.Signing.Ring = ring
		m.Environment.Keys = shown
		if root := n.subnets[0]; root.config.Kind == NNS {
			m.Signing.Exempt = root.ID
		}
	}
}

// holdersOf returns the subnets that hold a key: at least one.
func (n *Network) holdersOf(key *thresholdKey) (holders []*subnet) {
	first := slices.DeleteFunc(slices.Clone(n.subnets), func(m *subnet) bool { return m.config.Added })
	for _, m := range first {
		if slices.Contains(key.kinds, m.config.Kind) {
			holders = append(holders, m)
		}
	}
	if len(holders) > 0 {
		return holders
	}
	return []*subnet{slices.MinFunc(first, func(a, b *subnet) int {
		return cmp.Or(distance(key, a)-distance(key, b), a.config.unpaid()-b.config.unpaid())
	})}
}

// distance returns how far a subnet is from mainnet's size. Every larger subnet is farther than every other one.
func distance(key *thresholdKey, m *subnet) int {
	if m.Nodes <= key.nodes {
		return key.nodes - m.Nodes
	}
	return m.Nodes
}

func (c *SubnetConfig) unpaid() int {
	if c.Free {
		return 1
	}
	return 0
}

// keyHolder returns the subnet that a call of the management canister must reach because of a threshold key, the first
// that holds the key; nil for all other calls.
func (n *Network) keyHolder(q *intercanister.Request) (*subnet, *intercanister.Reject) {
	if n.signer == nil {
		return nil, nil
	}
	id, keyed, reject := n.signer.Route(q.Method, q.Payload, knownKeys())
	if !keyed || reject != nil {
		return nil, reject
	}
	i := slices.IndexFunc(n.subnets, func(m *subnet) bool { return m.Signing.Holds(id) })
	return n.subnets[i], nil
}

// sign answers requests for signatures of earlier rounds, within the management canister's slice of the round. On
// mainnet the nodes need some rounds to agree.
func (s *subnet) sign() {
	pending, done := s.Signing.Pending, 0
	s.Signing.Pending = nil
	for done < len(pending) && !s.ManagementCalls.Blocked {
		p := &pending[done]
		answer := s.net.signer.Sign(&s.State, p)
		s.work(answer.Instructions)
		s.Answer(p.Ticket, answer)
		done++
	}
	s.Signing.Pending = append(s.Signing.Pending, pending[done:]...)
}
