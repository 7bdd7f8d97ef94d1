package threshold

import (
	"crypto/hkdf"
	"crypto/sha512"
	"fmt"
	"slices"

	"filippo.io/edwards25519"
)

// Sizes of Ed25519, in bytes.
const (
	Ed25519KeyBytes       = 32
	Ed25519SignatureBytes = 64
)

// Ed25519 is a master key for Ed25519: a scalar, not the seed of RFC 8032, because keys are derived by addition. The
// first element of a path is the id of the canister that owns the key.
type Ed25519 struct{ secret edwards25519.Scalar }

func newEd25519(wide []byte) *Ed25519 { return &Ed25519{*scalarOf(wide)} }

// Public returns the public key at a path and its chain code.
func (k *Ed25519) Public(path [][]byte) (key [Ed25519KeyBytes]byte, chain [ChainCodeBytes]byte) {
	_, point, chain := k.derive(path)
	return [Ed25519KeyBytes]byte(point.Bytes()), chain
}

// Sign returns the signature of a message with the key at a path (RFC 8032, without prehashing). Instead of the prefix
// from the key's seed of RFC 8032, the nonce uses one from the derived secret and chain code.
func (k *Ed25519) Sign(path [][]byte, message []byte) [Ed25519SignatureBytes]byte {
	secret, point, chain := k.derive(path)
	prefix := sha512.Sum512(slices.Concat(secret.Bytes(), chain[:]))
	return signEd25519(secret, point, prefix[:32], message)
}

func signEd25519(secret *edwards25519.Scalar, public *edwards25519.Point, prefix, message []byte) (signature [Ed25519SignatureBytes]byte) {
	nonce := hashed(prefix, message)
	r := new(edwards25519.Point).ScalarBaseMult(nonce).Bytes()
	challenge := hashed(r, public.Bytes(), message)
	s := new(edwards25519.Scalar).MultiplyAdd(challenge, secret, nonce)
	copy(signature[:], r)
	copy(signature[32:], s.Bytes())
	return signature
}

func (k *Ed25519) derive(path [][]byte) (*edwards25519.Scalar, *edwards25519.Point, [ChainCodeBytes]byte) {
	point := new(edwards25519.Point).ScalarBaseMult(&k.secret)
	offset, chain := deriveEd25519(point, [ChainCodeBytes]byte{}, path)
	return offset.Add(offset, &k.secret), point, chain
}

// deriveEd25519 moves a point along a path (interface specification, "IC method schnorr_public_key"). It returns the
// sum that was added to the secret key, and the chain code. Nothing is clamped.
func deriveEd25519(point *edwards25519.Point, chain [ChainCodeBytes]byte, path [][]byte) (*edwards25519.Scalar, [ChainCodeBytes]byte) {
	sum := edwards25519.NewScalar()
	for _, index := range path {
		input := append(point.Bytes(), index...)
		okm, err := hkdf.Key(sha512.New, input, chain[:], "Ed25519", 96)
		if err != nil {
			panic(fmt.Sprintf("threshold: bug: derive from %d bytes: %v", len(input), err))
		}
		slices.Reverse(okm[:64]) // big-endian there, little-endian here
		offset := scalarOf(okm[:64])
		step := new(edwards25519.Point).ScalarBaseMult(offset)
		point.Add(point, step)
		sum.Add(sum, offset)
		copy(chain[:], okm[64:])
	}
	return sum, chain
}

func hashed(parts ...[]byte) *edwards25519.Scalar {
	h := sha512.New()
	for _, part := range parts {
		h.Write(part)
	}
	return scalarOf(h.Sum(nil))
}

// scalarOf returns 64 bytes, little-endian, modulo the order of the group.
func scalarOf(wide []byte) *edwards25519.Scalar {
	s, err := edwards25519.NewScalar().SetUniformBytes(wide)
	if err != nil {
		panic(fmt.Sprintf("threshold: bug: a scalar of %d bytes: %v", len(wide), err))
	}
	return s
}
