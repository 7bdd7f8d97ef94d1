package replica

import (
	"sync"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/internal/certify"
)

// Keys caches keys, so that networks do not derive them again: deriving takes longer than everything else in making a
// network. It is safe for concurrent use.
//
// The key of a subnet follows from the seed of its network. The keys of its nodes do not: they are the same in every
// network, as if the same machines ran them all. So networks have their own root keys and ids, and only these must be
// derived for a new one.
type Keys struct {
	mu      sync.Mutex // guards the fields below
	subnets map[subnetSource]*certify.SubnetKey
	nodes   map[nodeSource]*nodeKeys
}

// subnetSource determines the key of a subnet.
type subnetSource struct {
	seed   [32]byte
	number int // of its configuration
}

// nodeSource determines the keys of the nodes of a subnet.
type nodeSource struct{ number, nodes int }

// nodeKeys are the keys of the nodes of a subnet. They are immutable.
type nodeKeys struct {
	keys []*certify.NodeKey
	ids  []principal.Principal
	tree certify.Node // at /subnet/{id}/node
}

// subnetsOf returns the keys of subnets of a network.
func (k *Keys) subnetsOf(seed [32]byte, subnets []SubnetConfig) []*certify.SubnetKey {
	sources := make([]subnetSource, len(subnets))
	for i := range subnets {
		sources[i] = subnetSource{seed, subnets[i].number}
	}
	return k.all(sources)
}

// Prepare derives the keys of the first subnets of networks that will be made: all together, which takes less time.
func (k *Keys) Prepare(seeds [][32]byte, subnets int) {
	var sources []subnetSource
	for _, seed := range seeds {
		for number := range subnets {
			sources = append(sources, subnetSource{seed, number})
		}
	}
	k.all(sources)
}

// all returns keys of subnets, and derives all that are not cached together.
func (k *Keys) all(sources []subnetSource) []*certify.SubnetKey {
	keys := make([]*certify.SubnetKey, len(sources))
	var missing []int
	k.mu.Lock()
	for i, source := range sources {
		if keys[i] = k.subnets[source]; keys[i] == nil {
			missing = append(missing, i)
		}
	}
	k.mu.Unlock()
	if len(missing) == 0 {
		return keys
	}
	seeds := make([]certify.Seed, len(missing))
	for at, i := range missing {
		seeds[at] = seedOf(sources[i].seed).Derive("subnet", uint64(sources[i].number))
	}
	derived := certify.NewSubnetKeys(seeds...)
	k.mu.Lock()
	defer k.mu.Unlock()
	for at, i := range missing {
		keys[i] = derived[at]
		put(&k.subnets, sources[i], derived[at])
	}
	return keys
}

// nodesOf returns the keys of the nodes of a subnet.
func (k *Keys) nodesOf(source nodeSource) *nodeKeys {
	return keep(k, &k.nodes, source, func() *nodeKeys {
		seed := seedOf([32]byte{}).Derive("nodes", uint64(source.number))
		derived := &nodeKeys{keys: make([]*certify.NodeKey, source.nodes), ids: make([]principal.Principal, source.nodes)}
		entries := make([]certify.Entry, source.nodes)
		for i := range source.nodes {
			node := certify.NewNodeKey(seed.Derive("node", uint64(i)))
			derived.keys[i], derived.ids[i] = node, node.Principal()
			key := certify.Map(certify.Entry{Label: "public_key", Node: certify.Leaf(node.DER())})
			entries[i] = certify.Entry{Label: certify.LabelOf(node.Principal()), Node: key}
		}
		derived.tree = certify.Map(entries...)
		return derived
	})
}

// keep returns the keys of a source, and derives them if they are not cached. Two concurrent callers may both derive
// them.
func keep[S comparable, K any](k *Keys, kept *map[S]K, source S, derive func() K) K {
	k.mu.Lock()
	known, ok := (*kept)[source]
	k.mu.Unlock()
	if ok {
		return known
	}
	derived := derive()
	k.mu.Lock()
	defer k.mu.Unlock()
	put(kept, source, derived)
	return derived
}

// put caches keys. A full cache is cleared.
func put[S comparable, K any](kept *map[S]K, source S, keys K) {
	if *kept == nil || len(*kept) >= MaxKeptKeys {
		*kept = make(map[S]K)
	}
	(*kept)[source] = keys
}

// nodeKeys returns the keys of the nodes of a subnet.
func (n *Network) nodeKeys(config *SubnetConfig) *nodeKeys {
	return n.config.Keys.nodesOf(nodeSource{config.number, config.nodes()})
}
