package replica

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
	"github.com/canisterd/canisterd/internal/refusal"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// AddSubnet adds a subnet to a running network: a test control. The subnet has no canisters; its id, keys and canister
// ids are those that the network would have given it at the start. Views show it from the end of the next round. It has
// rate limits only if the root subnet has. A root subnet cannot be added, and threshold keys stay where they are.
type AddSubnet struct{ Config SubnetConfig }

func (*AddSubnet) input() {}

// blockOfIDs is how many canister ids a subnet of mainnet gets at once. Blocks begin at multiples of it.
const blockOfIDs = 1 << 20

// SubnetWith returns a subnet that has the canister id of a number: of the kind that has it on mainnet, or an application
// subnet with the block of ids that it is in.
func SubnetWith(number uint64) SubnetConfig {
	for _, kind := range SubnetKinds() {
		for _, r := range kind.Ranges() {
			if r.Contains(number) {
				return SubnetConfig{Kind: kind}
			}
		}
	}
	first := number - number%blockOfIDs
	return SubnetConfig{Kind: Application, Ranges: []Range{{First: first, Last: first + blockOfIDs - 1}}}
}

func (n *Network) addSubnet(in *AddSubnet) Result {
	config := in.Config
	config.Added, config.number = true, n.config.made
	config.NoRateLimits = config.NoRateLimits || n.subnets[0].config.NoRateLimits
	switch err := config.check(); {
	case n.open:
		return refuse(refusal.Conflict, "round %d was begun by single steps: end it, and add the subnet then", n.height)
	case n.config.made >= MaxSubnets:
		return refuse(refusal.Full, "the network has had %d subnets, and a network has at most %d, deleted ones included", n.config.made, MaxSubnets)
	case config.Kind == NNS:
		return refuse(refusal.Invalid, "a subnet of kind nns is the root subnet: make the network with it")
	case err != nil:
		return refuse(refusal.Invalid, "%v", err)
	}
	routes := n.routesNow()
	position := len(n.subnets)
	m := newSubnet(n, position, &config, n.config.Keys.subnetsOf(n.config.Seed, []SubnetConfig{config})[0])
	for _, r := range m.Ids.Ranges {
		if n.deletedAny(r) {
			return refuse(refusal.Conflict, "canisters %s to %s belonged to a subnet that was deleted: make another network", principal.Canister(r.First), principal.Canister(r.Last))
		}
	}
	if err := routes.add(position, m.ID, m.Ids.Ranges); err != nil {
		return refuse(refusal.Invalid, "%v", err)
	}
	n.View() // made before any change: it stays the last until the next round ends
	n.routes = routes
	n.config.made++
	n.config.Subnets = append(slices.Clip(n.config.Subnets), config)
	n.join(m)
	return Result{}
}

// routesNow returns a copy of the present routes, to be changed.
func (n *Network) routesNow() *routes {
	now := new(routes)
	for i, m := range n.subnets {
		if err := now.add(i, m.ID, m.Ids.Ranges); err != nil {
			panic("replica: the canister ranges overlap: " + err.Error())
		}
	}
	return now
}

// join adds a subnet to the network: its time, its streams, its part of the certified trees.
func (n *Network) join(m *subnet) {
	root := n.subnets[0]
	m.Time, m.Height = n.time, n.height
	m.Signing.Ring, m.Signing.Exempt, m.Environment.Keys = root.Signing.Ring, root.Signing.Exempt, root.Environment.Keys
	m.Environment.Time = m.Time
	n.subnets = append(slices.Clip(n.subnets), m)
	for _, other := range n.subnets[:m.position] {
		other.Output = append(slices.Clip(other.Output), nil)
	}
	m.Output = make([][]state.StreamMessage, len(n.subnets))
	m.armCharge()
	m.record.base = n.staticTree()
	m.ended = ended{time: n.time, height: n.height}
	m.ahead = &stagedTree{subnet: m.ID, key: m.key, base: m.record.base, ended: m.ended, signed: n.config.Signed}
	m.TreeChanged = true
	label := certify.LabelOf(m.ID)
	described, _ := m.record.base.Get("subnet", label)
	for _, other := range n.subnets[:m.position] {
		last := other.staged()
		tree := last.height().Tree().Set(described, "subnet", label)
		tree = tree.Set(m.Ids.Certified().Shards(RangesPerShard), "canister_ranges", label)
		other.showAhead(last, tree)
	}
	n.generation++
}
