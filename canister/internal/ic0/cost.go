package ic0

import (
	"unicode/utf8"

	"github.com/canisterd/canisterd/intercanister/cycles"
)

// Results of the cost functions of signatures, besides 0.
const (
	unknownScheme = 1
	unknownKey    = 2
)

// costFunctions return what operations cost.
func costFunctions() []function {
	return []function{
		// cost_call(method size, argument size, dst) writes what a call prepays, in cycles, as all functions here.
		{name: "cost_call", params: "llp", where: everywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			bytes := s[0] + s[1]
			if bytes < s[0] {
				bytes = 1<<64 - 1
			}
			x.putAmount("ic0_cost_call", s[2], x.Subnet.Fees.CallPrepayment(bytes, x.Subnet.Limits.Message, x.Guest.Memory64()))
		}},
		// cost_create_canister(dst) writes the fee of create_canister.
		{name: "cost_create_canister", params: "p", where: everywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_cost_create_canister", s[0], x.Subnet.Fees.Scale(cycles.Of(x.Subnet.Fees.CanisterCreation)))
		}},
		// cost_http_request(request size, response limit, dst) writes the fee of an outcall by the first pricing; sizes
		// in bytes.
		{name: "cost_http_request", params: "llp", where: everywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_cost_http_request", s[2], x.Subnet.Fees.Outcall(s[0], s[1]))
		}},
		// cost_http_request_v2(src, size, dst) writes the fee of an outcall by the usage that the argument, in Candid,
		// describes. It traps if that cannot be decoded: "Failed to decode HttpRequestV2CostParams from Candid".
		{name: "cost_http_request_v2", params: "ppp", where: everywhere, cost: flat(decoding), body: func(x *Execution, s []uint64) {
			x.putAmount("ic0_cost_http_request_v2", s[2], x.outcallPrice(x.heap("ic0.cost_http_request_v2 heap", s[0], s[1])))
		}},
		// cost_sign_with_ecdsa(name src, name size, curve, dst) writes the fee of a signature: 0; or nothing: 1 for an
		// unknown curve, 2 for an unknown key. Curve 0 is secp256k1, 1 secp256r1. It traps for a name that is not
		// UTF-8.
		{name: "cost_sign_with_ecdsa", params: "ppip", results: "i", where: everywhere, cost: bytesOf(1), body: func(x *Execution, s []uint64) {
			s[0] = x.signatureCost("cost_sign_with_ecdsa", s, ECDSASecp256k1, ECDSASecp256r1)
		}},
		// cost_sign_with_schnorr(name src, name size, algorithm, dst) is the same for Schnorr: algorithm 0 is BIP340
		// over secp256k1, 1 Ed25519.
		{name: "cost_sign_with_schnorr", params: "ppip", results: "i", where: everywhere, cost: bytesOf(1), body: func(x *Execution, s []uint64) {
			s[0] = x.signatureCost("cost_sign_with_schnorr", s, SchnorrBIP340, SchnorrEd25519)
		}},
		// cost_vetkd_derive_key(name src, name size, curve, dst) is the same for a derived key: curve 0 is BLS12-381.
		{name: "cost_vetkd_derive_key", params: "ppip", results: "i", where: everywhere, cost: bytesOf(1), body: func(x *Execution, s []uint64) {
			s[0] = x.signatureCost("cost_vetkd_derive_key", s, VetKDBLS12381G2)
		}},
	}
}

// signatureCost writes the price of a signature to the address in the last parameter. The first two parameters are the
// key's name, the third is its scheme: an index into schemes.
func (x *Execution) signatureCost(function string, s []uint64, schemes ...KeyScheme) uint64 {
	name := x.heap("ic0."+function+" heap", s[0], s[1])
	if !utf8.Valid(name) {
		x.misuse("Failed to decode key name %s", lossy(name))
	}
	if s[2] >= uint64(len(schemes)) {
		return unknownScheme
	}
	var nodes uint64
	for _, k := range x.Subnet.Keys {
		if k.Name == string(name) {
			nodes = max(nodes, k.Nodes)
		}
	}
	if nodes == 0 {
		return unknownKey
	}
	at := cycles.Schedule{Nodes: nodes, Reference: x.Subnet.Fees.Reference}
	x.putAmount("ic0_"+function, s[3], at.Scale(cycles.Of(x.Subnet.Fees.Signature)))
	return 0
}
