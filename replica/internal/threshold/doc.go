// Package threshold is the mathematics of the Internet Computer's threshold keys
// (interface specification, "Threshold cryptography"): keys derived for canisters,
// signatures and encrypted derived keys that verify like those of mainnet.
//
// It owns the derivation of the keys of an instance from its seed (Ring), the derivation of keys of canisters, and
// signing, one file for each scheme: ECDSA over secp256k1 and secp256r1 and BIP 340 over secp256k1, with generalized
// BIP 32 derivation, Ed25519, and vetKD over BLS12-381. One process with the whole secret computes what many nodes
// compute together on mainnet; the results are indistinguishable.
//
// It must not know canisters, cycles or permissions. All of it is a pure function of its arguments: nonces come from
// the secret and the message, so the same request gives the same signature. Secrets belong to a local instance: nothing
// here is hardened against timing attacks.
package threshold
