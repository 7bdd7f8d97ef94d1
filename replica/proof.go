package replica

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/canisterd/canisterd/candid/principal"
	"github.com/canisterd/canisterd/canister"
	"github.com/canisterd/canisterd/replica/certify"
	"github.com/canisterd/canisterd/replica/internal/state"
)

// plant makes the part of a subnet's certified tree that does not change: what
// all subnets are (interface specification, "The system state tree").
func (m *machine) plant() {
	var subnets, ranges []certify.Entry
	for _, other := range m.net.machines {
		own := []certify.Entry{
			{Label: "public_key", Node: certify.Leaf(other.key.Public().DER())},
			{Label: "type", Node: certify.Leaf([]byte(other.config.Kind.facts().kind))},
			{Label: "canister_ranges", Node: certify.Leaf(other.ranges().Encode())},
			{Label: "node", Node: other.nodeKeys()},
		}
		label := certify.LabelOf(other.ID)
		subnets = append(subnets, certify.Entry{Label: label, Node: certify.Map(own...)})
		ranges = append(ranges, certify.Entry{Label: label, Node: other.ranges().Shards(RangesPerShard)})
	}
	m.tree = certify.TreeOf(certify.Map(
		certify.Entry{Label: "subnet", Node: certify.Map(subnets...)},
		certify.Entry{Label: "canister_ranges", Node: certify.Map(ranges...)},
	))
	m.proveMetrics()
	m.prove()
}

func (m *machine) nodeKeys() certify.Node {
	keys := make([]certify.Entry, len(m.nodes))
	for i, node := range m.nodes {
		key := certify.Map(certify.Entry{Label: "public_key", Node: certify.Leaf(node.DER())})
		keys[i] = certify.Entry{Label: certify.LabelOf(node.Principal()), Node: key}
	}
	return certify.Map(keys...)
}

// ranges are the canister ids the subnet hosts, in order.
func (m *machine) ranges() certify.Ranges {
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

// prove brings the certified tree up to date with what changed.
func (m *machine) prove() {
	m.tree = m.tree.Set(certify.Leaf(certify.Nat(m.Time)), "time")
	for _, r := range m.Touched {
		m.proveCanister(r)
	}
	for _, id := range m.Answered {
		m.proveRequest(id)
	}
	if m.executed > 0 || len(m.Touched) > 0 {
		m.transactions += uint64(m.executed)
		m.proveMetrics()
	}
	m.Untouch()
	m.changed = false
}

func (m *machine) proveMetrics() {
	metrics := certify.SubnetMetrics{Canisters: uint64(m.Residents.Len()), StateBytes: m.sub.MemoryUsed, UpdateTransactions: m.transactions}
	m.tree = m.tree.Set(certify.Leaf(metrics.Encode()), "subnet", certify.LabelOf(m.ID), "metrics")
}

func (m *machine) proveCanister(r *state.Resident) {
	c := r.Canister
	label := certify.LabelOf(c.ID)
	m.net.facts.coded(c.ID, c.Module())
	if r.Gone {
		m.tree = m.tree.Delete("canister", label)
		return
	}
	r.Proved.Certified = c.Certified
	fields := []certify.Entry{
		{Label: "controllers", Node: certify.Leaf(certify.EncodeControllers(c.Settings.Controllers))},
		{Label: "canister_creation_timestamp", Node: certify.Leaf(certify.Nat(c.Created))},
	}
	if c.Certified != nil {
		fields = append(fields, certify.Entry{Label: "certified_data", Node: certify.Leaf(c.Certified)})
	}
	if c.Installed != 0 {
		fields = append(fields, certify.Entry{Label: "last_install_timestamp", Node: certify.Leaf(certify.Nat(c.Installed))})
	}
	m.tree = m.tree.Set(certify.Map(append(fields, codeEntries(c)...)...), "canister", label)
}

// proveRequest shows where an ingress message stands.
func (m *machine) proveRequest(id RequestID) {
	label := certify.Label(id[:])
	in := m.History.Find(id)
	if in == nil {
		m.net.facts.pruned(m.ID, id)
		m.tree = m.tree.Delete("request_status", label)
		return
	}
	fields := []certify.Entry{{Label: "status", Node: certify.Leaf([]byte(in.Status.String()))}}
	switch in.Status {
	case Replied:
		fields = append(fields, certify.Entry{Label: "reply", Node: certify.Leaf(in.Reply)})
	case Rejected:
		fields = append(fields,
			certify.Entry{Label: "reject_code", Node: certify.Leaf(certify.Nat(uint64(in.Reject.Code)))},
			certify.Entry{Label: "reject_message", Node: certify.Leaf([]byte(in.Reject.Text))},
			certify.Entry{Label: "error_code", Node: certify.Leaf([]byte(in.Reject.Error.String()))})
	}
	m.tree = m.tree.Set(certify.Map(fields...), "request_status", label)
}

// codeEntries are what the tree shows of a canister's module.
func codeEntries(c *canister.Canister) []certify.Entry {
	module := c.Module()
	if module == nil {
		return nil
	}
	hash := module.Hash()
	entries := []certify.Entry{{Label: "module_hash", Node: certify.Leaf(hash[:])}}
	if sections := module.Sections(); len(sections) > 0 {
		metadata := make([]certify.Entry, len(sections))
		for i, s := range sections {
			metadata[i] = certify.Entry{Label: certify.Label(s.Name), Node: certify.Leaf(s.Content)}
		}
		entries = append(entries, certify.Entry{Label: "metadata", Node: certify.Map(metadata...)})
	}
	return entries
}

// RootHash is a hash over the certified trees of all subnets and what the
// network's future depends on beside them. It takes time in proportion to the
// number of canisters.
func (n *Network) RootHash() [32]byte {
	h := sha256.New()
	for _, m := range n.machines {
		root := m.tree.Root()
		h.Write(root[:])
		numbers := []uint64{m.Time, m.Height, uint64(m.Ledger.Contexts()), uint64(m.Ledger.Futures()), m.Chance.Drawn, uint64(m.Deadlines.Len()), m.LastOutcall}
		for r := range m.Residents.All() {
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
