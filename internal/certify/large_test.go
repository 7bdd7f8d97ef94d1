package certify

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/canisterd/canisterd/candid/principal"
)

// largeTree is the state tree of a subnet with Motoko canisters, numbered from
// 0, and answered requests.
func largeTree(canisters, requests int) (Tree, []principal.Principal, [][32]byte) {
	metadata := Map(
		Entry{"candid:args", Leaf([]byte("()"))},
		Entry{"candid:service", Leaf([]byte("service : {}"))},
		Entry{"enhanced-orthogonal-persistence", Leaf([]byte("64"))},
		Entry{"motoko:compiler", Leaf([]byte("1"))},
		Entry{"motoko:stable-types", Leaf([]byte("actor {}"))},
		Entry{"supported_certificate_versions", Leaf([]byte("1,2"))},
	)
	ids := make([]principal.Principal, canisters)
	es := make([]Entry, canisters)
	for i := range ids {
		ids[i] = principal.Canister(uint64(i))
		es[i] = Entry{LabelOf(ids[i]), canisterNode(uint64(i), metadata)}
	}
	hashes := make([][32]byte, requests)
	rs := make([]Entry, requests)
	reply, rejected := repliedNode(), rejectedNode()
	for i := range hashes {
		hashes[i] = sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
		rs[i] = Entry{Label(hashes[i][:]), reply}
		if i%2 == 1 {
			rs[i].Node = rejected
		}
	}
	key := NewSubnetKey(Seed{3}).Public()
	all := Ranges{{principal.Canister(0), principal.Canister(1 << 20)}}
	node := NewNodeKey(Seed{3})
	return Tree{}.
		Set(Map(es...), "canister").
		Set(Map(rs...), "request_status").
		Set(Leaf(Nat(1)), TimePath()...).
		Set(Leaf([]byte("node.localhost")), "api_boundary_nodes", LabelOf(node.Principal()), "domain").
		Set(Leaf([]byte("127.0.0.1")), "api_boundary_nodes", LabelOf(node.Principal()), "ipv4_address").
		Set(Leaf([]byte("::1")), "api_boundary_nodes", LabelOf(node.Principal()), "ipv6_address").
		Set(Leaf(key.DER()), SubnetPath(key.Principal(), "public_key")...).
		Set(Leaf(all.Encode()), SubnetPath(key.Principal(), "canister_ranges")...).
		Set(Leaf([]byte("application")), SubnetPath(key.Principal(), "type")...).
		Set(Leaf(SubnetMetrics{}.Encode()), SubnetPath(key.Principal(), "metrics")...).
		Set(Leaf(node.DER()), NodeKeyPath(key.Principal(), node.Principal())...).
		Set(all.Shards(1), RangesPath(key.Principal())...), ids, hashes
}

func canisterNode(version uint64, metadata Node) Node {
	return Map(
		Entry{"canister_creation_timestamp", Leaf(Nat(version))},
		Entry{"certified_data", Leaf(nil)},
		Entry{"controllers", Leaf(EncodeControllers([]principal.Principal{principal.Anonymous}))},
		Entry{"last_install_timestamp", Leaf(Nat(version))},
		Entry{"metadata", metadata},
		Entry{"module_hash", Leaf(make([]byte, 32))},
	)
}

func repliedNode() Node {
	return Map(Entry{"status", Leaf([]byte("replied"))}, Entry{"reply", Leaf([]byte("DIDL\x00\x00"))})
}

func rejectedNode() Node {
	return Map(
		Entry{"status", Leaf([]byte("rejected"))},
		Entry{"reject_code", Leaf(Nat(4))},
		Entry{"reject_message", Leaf([]byte("no"))},
		Entry{"error_code", Leaf([]byte("IC0406"))},
	)
}
