package wire

import (
	"bytes"
	"crypto/rsa"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"fmt"
)

// scheme is a signature scheme of the interface specification, "Signatures",
// by the replica's name for it.
type scheme uint8

const (
	schemeEd25519 scheme = iota
	schemeP256
	schemeSecp256k1
	schemeCanisterSignature
	schemeRSA
)

func (s scheme) String() string {
	return [...]string{"Ed25519", "EcdsaP256", "EcdsaSecp256k1", "IcCanisterSignature", "RsaSha256"}[s]
}

// publicKey is a key without its DER wrapping.
type publicKey struct {
	scheme scheme
	raw    []byte         // in the form of the scheme; for RSA the DER form
	rsa    *rsa.PublicKey // for RSA in a COSE key
	// webAuthn is true for a COSE key: its messages are wrapped (interface specification, "Web Authentication").
	webAuthn bool
}

// plainSchemes are the schemes whose keys have a single DER form: a fixed prefix and a key of fixed size.
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
			return publicKey{scheme: s.scheme, raw: der[len(s.prefix):]}, nil
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

// parseUncommonKey reads a key of variable form, or returns the fault of one that looks like a plain scheme's.
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
	oid, raw, bare := info.Algorithm.OID, info.Key.Bytes, len(info.Algorithm.Parameters.FullBytes) == 0
	switch {
	case oid.Equal(oidWebAuthn) && bare:
		return parseCOSE(raw)
	case oid.Equal(oidCanisterSignature) && bare:
		return publicKey{scheme: schemeCanisterSignature, raw: raw}, nil
	case oid.Equal(oidRSA):
		return publicKey{scheme: schemeRSA, raw: raw}, nil
	case oid.Equal(oidEd25519):
		return publicKey{}, malformedKey(schemeEd25519.String(), der, "non-canonical encoding")
	case oid.Equal(oidCurve) && bytes.HasSuffix(info.Algorithm.Parameters.FullBytes, []byte(p256OID)):
		return publicKey{}, malformedKey(schemeP256.String(), der, "non-canonical encoding")
	case oid.Equal(oidCurve) && bytes.HasSuffix(info.Algorithm.Parameters.FullBytes, []byte(secp256k1OID)):
		return publicKey{}, malformedKey(schemeSecp256k1.String(), der, "non-canonical encoding")
	}
	return publicKey{}, malformedKey("Unspecified", der, "Unsupported or unparsable public key")
}

// keyFault is the fault of a key, regardless of the message.
type keyFault string

// Error returns the fault.
func (f keyFault) Error() string { return string(f) }

func malformedKey(algorithm string, key []byte, reason string) error {
	return keyFault(fmt.Sprintf("Malformed %s public key: %s, error: %s", algorithm, hexText(key), reason))
}

func wrongLength(s scheme, sig []byte, want int) error {
	return malformedSignature(s, sig, fmt.Sprintf("Incorrect length. Expected %d bytes but found %d bytes", want, len(sig)))
}

func malformedSignature(s scheme, sig []byte, reason string) error {
	return phrased("Malformed %s signature: [%s] error: '%s'", s, hexText(sig), reason)
}

func wrongSignature(key publicKey, sig []byte, reason string) error {
	return phrased("%s signature could not be verified: public key %s, signature %s, error: %s",
		key.scheme, hexText(key.raw), hexText(sig), reason)
}

// hexText returns hexadecimal digits, truncated if a body sent far more than any key or signature has.
func hexText(b []byte) string {
	if len(b) > maxBytesInText {
		return fmt.Sprintf("%s… (%d bytes)", hex.EncodeToString(b[:maxBytesInText]), len(b))
	}
	return hex.EncodeToString(b)
}

// verify checks the signature of a message by the key in DER form. Its errors are the part of the replica's text after
// "Invalid signature: ".
func (t *Trust) verify(der, message, sig []byte) error {
	key, err := parsePublicKey(der)
	switch {
	case err != nil:
		return phrased("Invalid public key: %v", err)
	case key.webAuthn:
		return verifyWebAuthn(key, message, sig)
	case key.scheme == schemeCanisterSignature:
		if err := t.verifyCanisterSignature(key, message, sig); err != nil {
			return phrased("Invalid canister signature: %v", err)
		}
		return nil
	case key.scheme == schemeEd25519:
		err = t.verifyEd25519(key, message, sig)
	default:
		err = verifyBasic(key, message, sig)
	}
	var fault keyFault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &fault):
		return phrased("Invalid public key: %v", err)
	}
	return phrased("Invalid basic signature: %v", err)
}

// verifyBasic checks a signature that is not wrapped.
func verifyBasic(key publicKey, message, sig []byte) error {
	switch key.scheme {
	case schemeEd25519:
		return verifyEd25519(key, message, sig)
	case schemeP256:
		return verifyP256(key, message, sig)
	case schemeSecp256k1:
		return verifySecp256k1(key, message, sig)
	}
	return phrased("Algorithm %s not supported: RSA signatures are not allowed except in webauthn context", key.scheme)
}
