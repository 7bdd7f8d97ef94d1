package wire

import (
	"crypto/sha256"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// The DER form of a secp256k1 key up to its 65 bytes, the uncompressed point
// (RFC 5480, SEC 2).
const (
	secp256k1OID    = "\x06\x05\x2b\x81\x04\x00\x0a"
	secp256k1Prefix = "\x30\x56\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01" + secp256k1OID + "\x03\x42\x00"
)

// verifySecp256k1 verifies r and s, 32 bytes each. It accepts both s and -s: the replica kept that when it replaced a
// library that did.
func verifySecp256k1(key publicKey, message, sig []byte) error {
	if len(sig) != ecdsaSignatureSize {
		return wrongLength(schemeSecp256k1, sig, ecdsaSignatureSize)
	}
	if key.raw[0] != secp256k1.PubKeyFormatUncompressed {
		return malformedKey(schemeSecp256k1.String(), key.raw, "the point is not in uncompressed form")
	}
	pub, err := secp256k1.ParsePubKey(key.raw)
	if err != nil {
		return malformedKey(schemeSecp256k1.String(), key.raw, "InvalidKey("+err.Error()+")")
	}
	var r, s secp256k1.ModNScalar
	overflow := r.SetByteSlice(sig[:32]) || s.SetByteSlice(sig[32:])
	digest := sha256.Sum256(message)
	if overflow || !ecdsa.NewSignature(&r, &s).Verify(digest[:], pub) {
		return wrongSignature(key, sig, "verification failed")
	}
	return nil
}
