package replica

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/replica/certify"
)

// plant makes the part of a subnet's certified tree that does not change: what
// all subnets are (interface specification, "The system state tree").
func (m *subnet) plant() {
	var subnets, ranges []certify.Entry
	for _, other := range m.net.subnets {
		own := []certify.Entry{
			{Label: "public_key", Node: certify.Leaf(other.key.Public().DER())},
			{Label: "type", Node: certify.Leaf([]byte(other.config.Kind.facts().kind))},
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

// RootHash is a hash over the certified trees of all subnets and what the
// network's future depends on beside them. It takes time in proportion to the
// number of canisters.
func (n *Network) RootHash() [32]byte {
	h := sha256.New()
	for _, m := range n.subnets {
		root := m.proof().height().Root()
		h.Write(root[:])
		numbers := []uint64{m.Time, m.Height, uint64(m.Calls.Contexts()), uint64(m.Calls.Futures()), m.Chance.Drawn, uint64(m.Deadlines.Len()), m.OutcallsMade}
		for r := range m.Canisters.All() {
			c := r.Canister
			h.Write(c.ID.Bytes())
			numbers = append(numbers, c.Balance.Hi, c.Balance.Lo, c.Reserved.Hi, c.Reserved.Lo, c.Version, c.Timer,
				uint64(c.Status), uint64(r.Mailbox.Len()), uint64(r.Mailbox.Contexts), c.Logs.Next(), c.History.Total)
		}
		for _, number := range numbers {
			var raw [8]byte
			binary.BigEndian.PutUint64(raw[:], number)
			h.Write(raw[:])
		}
	}
	return [32]byte(h.Sum(nil))
}
