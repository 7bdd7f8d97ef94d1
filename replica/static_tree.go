package replica

import (
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/certify"
)

// buildStaticTree builds the part of a subnet's certified tree that describes all subnets:
// their keys, kinds, nodes and canister ranges (interface specification, "The system state
// tree"). It changes only when canister ranges do.
func (m *subnet) buildStaticTree() {
	var subnets, ranges []certify.Entry
	for _, other := range m.net.subnets {
		own := []certify.Entry{
			{Label: "public_key", Node: certify.Leaf(other.key.Public().DER())},
			{Label: "type", Node: certify.Leaf([]byte(other.config.Kind.properties().kind))},
			{Label: "canister_ranges", Node: certify.Leaf(other.ranges().Encode())},
			{Label: "node", Node: m.net.nodeKeys(other.position, &other.config).tree},
		}
		label := certify.LabelOf(other.ID)
		subnets = append(subnets, certify.Entry{Label: label, Node: certify.Map(own...)})
		ranges = append(ranges, certify.Entry{Label: label, Node: other.ranges().Shards(RangesPerShard)})
	}
	m.record.base = certify.TreeOf(certify.Map(
		certify.Entry{Label: "subnet", Node: certify.Map(subnets...)},
		certify.Entry{Label: "canister_ranges", Node: certify.Map(ranges...)},
	))
}

// ranges are the canister ids the subnet hosts, in order.
func (m *subnet) ranges() certify.Ranges {
	sorted := slices.Clone(m.Ids.Ranges)
	slices.SortFunc(sorted, func(a, b Range) int {
		if a.First < b.First {
			return -1
		}
		return 1
	})
	all := make(certify.Ranges, len(sorted))
	for i, r := range sorted {
		all[i] = certify.Range{Start: principal.Canister(r.First), End: principal.Canister(r.Last)}
	}
	return all
}
