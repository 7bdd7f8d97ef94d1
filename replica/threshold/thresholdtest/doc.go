// Package thresholdtest verifies what package threshold makes, by other code: the
// curve of gnark-crypto for secp256k1, the standard library for Ed25519, and the
// pairings of the specification for vetKD.
//
// It knows no key of the instance, only what a stranger would be given.
package thresholdtest
