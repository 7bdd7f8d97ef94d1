package certify

import "github.com/canisterd/canisterd/candid/principal"

// The paths of the system state tree (interface specification, "The system
// state tree").

// StatePaths returns all paths with a value that the tree may have, where * stands for an id, of a canister, a node, a
// request or a subnet, or for a name: those of /canister_ranges are a subnet and the first canister of a shard.
func StatePaths() []string {
	return []string{
		"/time",
		"/api_boundary_nodes/*/domain",
		"/api_boundary_nodes/*/ipv4_address",
		"/api_boundary_nodes/*/ipv6_address",
		"/subnet/*/public_key",
		"/subnet/*/type",
		"/subnet/*/canister_ranges",
		"/subnet/*/metrics",
		"/subnet/*/node/*/public_key",
		"/canister_ranges/*/*",
		"/request_status/*/status",
		"/request_status/*/reply",
		"/request_status/*/reject_code",
		"/request_status/*/reject_message",
		"/request_status/*/error_code",
		"/canister/*/certified_data",
		"/canister/*/module_hash",
		"/canister/*/controllers",
		"/canister/*/canister_creation_timestamp",
		"/canister/*/last_install_timestamp",
		"/canister/*/metadata/*",
	}
}

// TimePath returns /time.
func TimePath() Path { return Path{"time"} }

// SubnetPath returns /subnet/{subnet}/{field}: public_key, type, canister_ranges, metrics. Without a field it is the
// subnet's map.
func SubnetPath(subnet principal.Principal, field ...Label) Path {
	return append(Path{"subnet", LabelOf(subnet)}, field...)
}

// NodeKeyPath returns /subnet/{subnet}/node/{node}/public_key.
func NodeKeyPath(subnet, node principal.Principal) Path {
	return SubnetPath(subnet, "node", LabelOf(node), "public_key")
}

// RangesPath returns /canister_ranges/{subnet}, and with the first canister of a shard that shard's path.
func RangesPath(subnet principal.Principal, start ...principal.Principal) Path {
	p := Path{"canister_ranges", LabelOf(subnet)}
	for _, s := range start {
		p = append(p, LabelOf(s))
	}
	return p
}

// CanisterPath returns /canister/{canister}/{field}: certified_data, module_hash, controllers,
// canister_creation_timestamp, last_install_timestamp. Without a field it is the canister's map.
func CanisterPath(canister principal.Principal, field ...Label) Path {
	return append(Path{"canister", LabelOf(canister)}, field...)
}

// MetadataPath returns /canister/{canister}/metadata/{name}.
func MetadataPath(canister principal.Principal, name string) Path {
	return CanisterPath(canister, "metadata", Label(name))
}

// RequestStatusPath returns /request_status/{request}/{field}: status, reply, reject_code, reject_message, error_code.
// Without a field it is the request's map.
func RequestStatusPath(request [32]byte, field ...Label) Path {
	return append(Path{"request_status", Label(request[:])}, field...)
}
