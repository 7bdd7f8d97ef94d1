// Package thresholdtest verifies the results of package threshold with other code: the curve of gnark-crypto for
// secp256k1, the standard library for Ed25519, and the pairings of the specification for vetKD.
//
// It knows no secret key of the instance, only public data.
package thresholdtest
