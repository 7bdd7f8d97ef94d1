package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"math/big"
)

// The DER form of a P-256 key up to its 65 bytes, the uncompressed point (RFC
// 5480).
const (
	p256OID    = "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"
	p256Prefix = "\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01" + p256OID + "\x03\x42\x00"

	ecdsaKeySize       = 65
	ecdsaSignatureSize = 64
)

// verifyP256 verifies r and s, 32 bytes each. It accepts both s and -s, as the replica does: browsers do not normalize.
func verifyP256(key publicKey, message, sig []byte) error {
	if len(sig) != ecdsaSignatureSize {
		return wrongLength(schemeP256, sig, ecdsaSignatureSize)
	}
	pub, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), key.raw)
	if err != nil {
		return malformedKey(schemeP256.String(), key.raw, "InvalidKey("+err.Error()+")")
	}
	digest := sha256.Sum256(message)
	r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
	if !ecdsa.Verify(pub, digest[:], r, s) {
		return wrongSignature(key, sig, "verification failed")
	}
	return nil
}
