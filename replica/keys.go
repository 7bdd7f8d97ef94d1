package replica

import (
	"sync"

	"github.com/canisterd/canisterd/replica/certify"
)

// Keys keeps the keys that follow from seeds, so that networks of the same seed need
// not derive them again: that takes longer than all the rest of making a network. It
// is safe for concurrent use and forgets seeds when it has many.
type Keys struct {
	mu   sync.Mutex
	kept map[keySource]*subnetKeys
}

// keySource is what the keys of a subnet follow from.
type keySource struct {
	seed            [32]byte
	position, nodes int
}

// subnetKeys are the keys of a subnet and of its nodes. They are immutable.
type subnetKeys struct {
	key   *certify.SubnetKey
	nodes []*certify.NodeKey
	tree  certify.Node // at /subnet/{id}/node
}

// of are the keys of a subnet. Two who ask at once may both derive them.
func (k *Keys) of(source keySource) *subnetKeys {
	k.mu.Lock()
	known := k.kept[source]
	k.mu.Unlock()
	if known != nil {
		return known
	}
	derived := deriveKeys(source)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= MaxKeptKeys {
		k.kept = make(map[keySource]*subnetKeys)
	}
	k.kept[source] = derived
	return derived
}

func deriveKeys(source keySource) *subnetKeys {
	seed := seedOf(source.seed)
	keys := &subnetKeys{key: certify.NewSubnetKey(seed.Derive("subnet", uint64(source.position)))}
	nodeSeed := seed.Derive("nodes", uint64(source.position))
	entries := make([]certify.Entry, source.nodes)
	for i := range source.nodes {
		node := certify.NewNodeKey(nodeSeed.Derive("node", uint64(i)))
		keys.nodes = append(keys.nodes, node)
		key := certify.Map(certify.Entry{Label: "public_key", Node: certify.Leaf(node.DER())})
		entries[i] = certify.Entry{Label: certify.LabelOf(node.Principal()), Node: key}
	}
	keys.tree = certify.Map(entries...)
	return keys
}

// keys are the keys of the subnet at a position.
func (n *Network) keys(position int, config *SubnetConfig) *subnetKeys {
	return n.config.Keys.of(keySource{n.config.Seed, position, config.nodes()})
}
