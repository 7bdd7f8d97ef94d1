// Package threshold is the mathematics of the Internet Computer's threshold keys
// (interface specification, "Threshold cryptography"): keys derived for canisters,
// signatures and encrypted derived keys that verify like those of mainnet.
//
// It owns how the keys of an instance follow from its seed (Ring), how keys of
// canisters are derived from them, and how they sign, one file for each scheme:
// ECDSA over secp256k1 and secp256r1 and BIP 340 over secp256k1, with generalised
// BIP 32 derivation, Ed25519, and vetKD over BLS12-381. What many nodes compute together on mainnet one
// process computes here with the whole secret; the results cannot be told apart.
//
// It must not know canisters, cycles or permissions. All of it is a pure function of its arguments: nonces come from
// the secret and the message, so the same request gives the same signature. Secrets belong to a local instance: nothing
// here is hardened against timing attacks.
package threshold
