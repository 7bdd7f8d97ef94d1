package wire

import (
	"bytes"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
)

// scheme is a signature scheme of the interface specification, "Signatures",
// by the replica's name for it.
type scheme uint8

const (
	schemeEd25519 scheme = iota
	schemeP256
	schemeSecp256k1
	schemeWebAuthn
	schemeCanisterSignature
	schemeRSA
)

func (s scheme) String() string {
	return [...]string{"Ed25519", "EcdsaP256", "EcdsaSecp256k1", "WebAuthn", "IcCanisterSignature", "RsaSha256"}[s]
}

// publicKey is a key taken out of its DER wrapping.
type publicKey struct {
	scheme scheme
	raw    []byte
}

// plainSchemes are the schemes whose keys have one DER form only: a fixed start
// and a key of fixed size.
var plainSchemes = [...]struct {
	scheme scheme
	prefix string
	size   int
}{
	{schemeEd25519, ed25519Prefix, ed25519KeySize},
	{schemeP256, p256Prefix, ecdsaKeySize},
	{schemeSecp256k1, secp256k1Prefix, ecdsaKeySize},
}

func parsePublicKey(der []byte) (publicKey, error) {
	for _, s := range plainSchemes {
		if len(der) == len(s.prefix)+s.size && string(der[:len(s.prefix)]) == s.prefix {
			return publicKey{s.scheme, der[len(s.prefix):]}, nil
		}
	}
	return parseUncommonKey(der)
}

// Object identifiers of SubjectPublicKeyInfo (interface specification,
// "Signatures"; RFC 5480, 8017 and 8410).
var (
	oidWebAuthn          = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 56387, 1, 1}
	oidCanisterSignature = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 56387, 1, 2}
	oidRSA               = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
	oidEd25519           = asn1.ObjectIdentifier{1, 3, 101, 112}
	oidCurve             = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
)

// parseUncommonKey reads a key of variable form, or tells what is wrong with one
// that looks like a plain scheme's.
func parseUncommonKey(der []byte) (publicKey, error) {
	var info struct {
		Algorithm struct {
			OID        asn1.ObjectIdentifier
			Parameters asn1.RawValue `asn1:"optional"`
		}
		Key asn1.BitString
	}
	rest, err := asn1.Unmarshal(der, &info)
	switch {
	case err != nil:
		return publicKey{}, malformedKey("Unspecified", der, "Error in DER encoding: "+err.Error())
	case len(rest) > 0:
		return publicKey{}, malformedKey("Unspecified", der, fmt.Sprintf("%d bytes after the end of the key", len(rest)))
	case info.Key.BitLength != 8*len(info.Key.Bytes):
		return publicKey{}, malformedKey("Unspecified", der, "Inconsistent key length")
	}
	oid, raw := info.Algorithm.OID, info.Key.Bytes
	switch {
	case oid.Equal(oidWebAuthn):
		return publicKey{schemeWebAuthn, raw}, nil
	case oid.Equal(oidCanisterSignature):
		return publicKey{schemeCanisterSignature, raw}, nil
	case oid.Equal(oidRSA):
		return publicKey{schemeRSA, raw}, nil
	case oid.Equal(oidEd25519):
		return publicKey{}, malformedKey(schemeEd25519.String(), der, "non-canonical encoding")
	case oid.Equal(oidCurve) && bytes.HasSuffix(info.Algorithm.Parameters.FullBytes, []byte(p256OID)):
		return publicKey{}, malformedKey(schemeP256.String(), der, "non-canonical encoding")
	case oid.Equal(oidCurve) && bytes.HasSuffix(info.Algorithm.Parameters.FullBytes, []byte(secp256k1OID)):
		return publicKey{}, malformedKey(schemeSecp256k1.String(), der, "non-canonical encoding")
	}
	return publicKey{}, malformedKey("Unspecified", der, "Unsupported or unparsable public key")
}

func malformedKey(algorithm string, key []byte, reason string) error {
	return phrased("Invalid public key: Malformed %s public key: %s, error: %s", algorithm, hexText(key), reason)
}

func malformedSignature(s scheme, sig []byte, want int) error {
	return phrased("Invalid basic signature: Malformed %s signature: [%s] error: 'Incorrect length. Expected %d bytes but found %d bytes'",
		s, hexText(sig), want, len(sig))
}

func wrongSignature(key publicKey, sig []byte, reason string) error {
	return phrased("Invalid basic signature: %s signature could not be verified: public key %s, signature %s, error: %s",
		key.scheme, hexText(key.raw), hexText(sig), reason)
}

// hexText is hexadecimal, cut short where a body sent far more than any key or
// signature has.
func hexText(b []byte) string {
	if len(b) > maxBytesInText {
		return fmt.Sprintf("%s… (%d bytes)", hex.EncodeToString(b[:maxBytesInText]), len(b))
	}
	return hex.EncodeToString(b)
}

// verify checks the signature of a message by the key in DER form. Its errors
// are the part of the replica's text after "Invalid signature: ".
func verify(der, message, sig []byte) error {
	key, err := parsePublicKey(der)
	if err != nil {
		return err
	}
	switch key.scheme {
	case schemeEd25519:
		return verifyEd25519(key, message, sig)
	case schemeP256:
		return verifyP256(key, message, sig)
	case schemeSecp256k1:
		return verifySecp256k1(key, message, sig)
	case schemeWebAuthn:
		return verifyWebAuthn()
	case schemeCanisterSignature:
		return verifyCanisterSignature(key)
	}
	return phrased("Invalid basic signature: Algorithm %s not supported: RSA signatures are not allowed except in webauthn context", key.scheme)
}
