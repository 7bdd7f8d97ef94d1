package threshold

import (
	"crypto/sha256"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// TapRootBytes is the length of the root of a script tree (BIP 341).
const TapRootBytes = 32

// signBIP340 implements the default signing of BIP 340, with its auxiliary data.
func signBIP340(secret *secp256k1.ModNScalar, message []byte, aux [32]byte) (signature [Secp256k1SignatureBytes]byte) {
	d, x := even(secret)
	mask := tagged("BIP0340/aux", aux[:])
	masked := d.Bytes()
	for i := range masked {
		masked[i] ^= mask[i]
	}
	seed := tagged("BIP0340/nonce", masked[:], x[:], message)
	var nonce secp256k1.ModNScalar
	if nonce.SetByteSlice(seed[:]); nonce.IsZero() {
		panic("threshold: bug: a hash gave the zero nonce")
	}
	k, r := even(&nonce)
	digest := tagged("BIP0340/challenge", r[:], x[:], message)
	var s secp256k1.ModNScalar
	s.SetByteSlice(digest[:])
	s.Mul(&d).Add(&k)
	copy(signature[:], r[:])
	s.PutBytesUnchecked(signature[32:])
	return signature
}

// tweak returns the secret of the output key of BIP 341.
func tweak(secret *secp256k1.ModNScalar, root []byte) secp256k1.ModNScalar {
	d, x := even(secret)
	digest := tagged("TapTweak", x[:], root)
	var t secp256k1.ModNScalar
	if t.SetByteSlice(digest[:]) {
		panic("threshold: bug: a hash over the order of the group")
	}
	return *d.Add(&t)
}

// even returns the secret of the point with the same x and an even y, and that x.
func even(secret *secp256k1.ModNScalar) (secp256k1.ModNScalar, [32]byte) {
	d := *secret
	point := times(&d)
	if point.Y.IsOdd() {
		d.Negate()
	}
	return d, *point.X.Bytes()
}

// tagged returns the tagged hash of BIP 340.
func tagged(tag string, parts ...[]byte) (digest [32]byte) {
	name := sha256.Sum256([]byte(tag))
	h := sha256.New()
	h.Write(name[:])
	h.Write(name[:])
	for _, part := range parts {
		h.Write(part)
	}
	h.Sum(digest[:0])
	return digest
}
