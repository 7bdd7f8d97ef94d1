package wire

import (
	"crypto/ed25519"

	"filippo.io/edwards25519"
)

// ed25519Prefix is the DER form of a public key up to its 32 bytes (RFC 8410).
const (
	ed25519Prefix  = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"
	ed25519KeySize = ed25519.PublicKeySize
)

func verifyEd25519(key publicKey, message, sig []byte) error {
	if len(sig) != ed25519.SignatureSize {
		return wrongLength(schemeEd25519, sig, ed25519.SignatureSize)
	}
	// ZIP 215 accepts all that the standard library accepts; that refuses a few crafted keys and signatures that the
	// replica accepts.
	if ed25519.Verify(key.raw, message, sig) || verifyZIP215(key.raw, message, sig) {
		return nil
	}
	return wrongSignature(key, sig, "InvalidSignature")
}

// verifyZIP215 checks [8](sB - kA - R) = 0 with points in any encoding (ZIP 215).
func verifyZIP215(key, message, sig []byte) bool {
	a, err := new(edwards25519.Point).SetBytes(key)
	if err != nil {
		return false
	}
	r, err := new(edwards25519.Point).SetBytes(sig[:32])
	if err != nil {
		return false
	}
	s, err := edwards25519.NewScalar().SetCanonicalBytes(sig[32:])
	if err != nil {
		return false
	}
	k := ed25519Check{key, message, sig}.challenge()
	p := new(edwards25519.Point).VarTimeDoubleScalarBaseMult(k.Negate(k), a, s)
	p.Subtract(p, r).MultByCofactor(p)
	return p.Equal(edwards25519.NewIdentityPoint()) == 1
}
