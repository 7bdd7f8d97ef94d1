package identity

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	k1 "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/canisterd/canisterd/candid/principal"
)

// Kinds of keys.
const (
	Ed25519   = "ed25519"
	Secp256k1 = "secp256k1"
	P256      = "p256"
)

// Key is a key that makes calls.
type Key struct {
	Kind string
	der  []byte // the public part, in the form of agents (interface specification, "Signatures")
	sign func(message []byte) ([]byte, error)
}

// Public returns the public part of the key, in DER form.
func (p Key) Public() []byte { return p.der }

// Sign signs a message for a network (interface specification, "Signatures").
func (p Key) Sign(message []byte) ([]byte, error) { return p.sign(message) }

// Principal returns the principal of the key (interface specification, "Principals").
func (p Key) Principal() string { return principal.SelfAuthenticating(p.der).String() }

// Types of blocks in PEM files.
const (
	pemPKCS8     = "PRIVATE KEY"
	pemSEC1      = "EC PRIVATE KEY"
	pemEncrypted = "ENCRYPTED PRIVATE KEY"
)

// Object identifiers of curves and keys (RFC 5480, SEC 2).
var (
	oidPublicKey = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidSecp256k1 = asn1.ObjectIdentifier{1, 3, 132, 0, 10}
	oidP256      = asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 7}
)

// errKind is the error for a file with another kind of key, or none.
var errKind = errors.New("not an Ed25519, secp256k1 or P-256 key in PEM (canisterd identity new creates one)")

// ParsePEM reads the key in a PEM file. It calls password if the key is encrypted.
func ParsePEM(text []byte, password func() ([]byte, error)) (Key, error) {
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			return Key{}, errKind
		}
		der := block.Bytes
		switch block.Type {
		case pemEncrypted:
			secret, err := password()
			if err != nil {
				return Key{}, err
			}
			if der, err = decryptPKCS8(der, secret); err != nil {
				return Key{}, err
			}
			return parsePKCS8(der)
		case pemPKCS8:
			return parsePKCS8(der)
		case pemSEC1:
			return parseSEC1(der, nil)
		}
		text = rest // EC PARAMETERS, which openssl writes before a key
	}
}

// pkcs8 is a private key and its algorithm (RFC 5208).
type pkcs8 struct {
	Version int
	Of      pkix.AlgorithmIdentifier
	Key     []byte
}

func parsePKCS8(der []byte) (Key, error) {
	var outer pkcs8
	if _, err := asn1.Unmarshal(der, &outer); err != nil {
		return Key{}, errKind
	}
	if outer.Of.Algorithm.Equal(oidPublicKey) {
		var curve asn1.ObjectIdentifier
		if _, err := asn1.Unmarshal(outer.Of.Parameters.FullBytes, &curve); err != nil {
			return Key{}, errKind
		}
		return parseSEC1(outer.Key, curve)
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	private, ok := key.(ed25519.PrivateKey)
	if err != nil || !ok {
		return Key{}, errKind
	}
	public, err := publicEd25519(private)
	return public, err
}

func publicEd25519(key ed25519.PrivateKey) (Key, error) {
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return Key{}, fmt.Errorf("encoding the public key: %w", err)
	}
	return Key{Ed25519, der, func(message []byte) ([]byte, error) { return ed25519.Sign(key, message), nil }}, nil
}

// sec1 is a private key of an elliptic curve (RFC 5915).
type sec1 struct {
	Version int
	Key     []byte
	Curve   asn1.ObjectIdentifier `asn1:"optional,explicit,tag:0"`
	Public  asn1.BitString        `asn1:"optional,explicit,tag:1"`
}

// scalarBytes is the size of a secret and of each half of a signature.
const scalarBytes = 32

// parseSEC1 reads a key of the given curve, or of the one in the key.
func parseSEC1(der []byte, curve asn1.ObjectIdentifier) (Key, error) {
	var key sec1
	if _, err := asn1.Unmarshal(der, &key); err != nil {
		return Key{}, errKind
	}
	if curve == nil {
		curve = key.Curve
	}
	secret := append(make([]byte, max(scalarBytes-len(key.Key), 0)), key.Key...)
	switch {
	case len(secret) != scalarBytes:
	case curve.Equal(oidSecp256k1):
		return publicSecp256k1(secp256k1.PrivKeyFromBytes(secret))
	case curve.Equal(oidP256):
		private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
		if err != nil {
			return Key{}, errKind
		}
		return publicP256(private)
	}
	return Key{}, errKind
}

func publicP256(key *ecdsa.PrivateKey) (Key, error) {
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return Key{}, fmt.Errorf("encoding the public key: %w", err)
	}
	return Key{P256, der, func(message []byte) ([]byte, error) {
		digest := sha256.Sum256(message)
		r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
		if err != nil {
			return nil, fmt.Errorf("signing with the key: %w", err)
		}
		signature := make([]byte, 2*scalarBytes)
		r.FillBytes(signature[:scalarBytes])
		s.FillBytes(signature[scalarBytes:])
		return signature, nil
	}}, nil
}

// publicSecp256k1 encodes a key that Go's library does not support.
func publicSecp256k1(key *secp256k1.PrivateKey) (Key, error) {
	curve, err := asn1.Marshal(oidSecp256k1)
	if err != nil {
		return Key{}, fmt.Errorf("encoding the curve: %w", err)
	}
	point := key.PubKey().SerializeUncompressed()
	der, err := asn1.Marshal(struct {
		Of    pkix.AlgorithmIdentifier
		Point asn1.BitString
	}{
		pkix.AlgorithmIdentifier{Algorithm: oidPublicKey, Parameters: asn1.RawValue{FullBytes: curve}},
		asn1.BitString{Bytes: point, BitLength: 8 * len(point)},
	})
	if err != nil {
		return Key{}, fmt.Errorf("encoding the public key: %w", err)
	}
	return Key{Secp256k1, der, func(message []byte) ([]byte, error) {
		digest := sha256.Sum256(message)
		return k1.SignCompact(key, digest[:], false)[1:], nil // behind the byte by which the public key could be recovered
	}}, nil
}

// NewKey makes a key of a kind and encodes it as dfx and icp do.
func NewKey(kind string) (text []byte, err error) {
	random := func() []byte {
		var secret []byte
		for secret == nil || bytes.Equal(secret, make([]byte, len(secret))) {
			secret = drawn(32)
		}
		return secret
	}
	var block *pem.Block
	switch kind {
	case Ed25519:
		der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(random()))
		if err != nil {
			return nil, fmt.Errorf("encoding the key: %w", err)
		}
		block = &pem.Block{Type: pemPKCS8, Bytes: der}
	case Secp256k1, P256:
		curve := oidSecp256k1
		secret := secp256k1.PrivKeyFromBytes(random()).Serialize()
		if kind == P256 {
			key, err := ecdsa.GenerateKey(elliptic.P256(), nil)
			if err != nil {
				return nil, fmt.Errorf("generating the key: %w", err)
			}
			if secret, err = key.Bytes(); err != nil {
				return nil, fmt.Errorf("encoding the key: %w", err)
			}
			curve = oidP256
		}
		der, err := asn1.Marshal(sec1{Version: 1, Key: secret, Curve: curve})
		if err != nil {
			return nil, fmt.Errorf("encoding the key: %w", err)
		}
		block = &pem.Block{Type: pemSEC1, Bytes: der}
	default:
		return nil, fmt.Errorf("invalid --kind %q: expected %s, %s or %s", kind, Ed25519, Secp256k1, P256)
	}
	return pem.EncodeToMemory(block), nil
}

// drawn returns random bytes.
func drawn(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}
