package replica

import (
	"github.com/canisterd/canisterd/internal/certify"
)

// staticTree returns the part of the certified tree of every subnet that describes all subnets: their keys, kinds,
// nodes and canister ranges (interface specification, "The system state tree"). It changes only when canister ranges
// do.
func (n *Network) staticTree() certify.Tree {
	var subnets, ranges []certify.Entry
	for _, other := range n.subnets {
		own := []certify.Entry{
			{Label: "public_key", Node: certify.Leaf(other.publicKey)},
			{Label: "type", Node: certify.Leaf([]byte(other.config.Kind.properties().kind))},
			{Label: "canister_ranges", Node: certify.Leaf(other.Ids.Certified().Encode())},
			{Label: "node", Node: n.nodeKeys(&other.config).tree},
		}
		label := certify.LabelOf(other.ID)
		subnets = append(subnets, certify.Entry{Label: label, Node: certify.Map(own...)})
		ranges = append(ranges, certify.Entry{Label: label, Node: other.Ids.Certified().Shards(RangesPerShard)})
	}
	return certify.TreeOf(certify.Map(
		certify.Entry{Label: "subnet", Node: certify.Map(subnets...)},
		certify.Entry{Label: "canister_ranges", Node: certify.Map(ranges...)},
	))
}
