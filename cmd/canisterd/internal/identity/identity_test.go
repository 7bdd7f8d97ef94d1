package identity

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	k1 "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// keysFolder has keys that openssl made. Scripts of the command line use them, too.
var keysFolder = filepath.Join("..", "..", "testdata", "keys")

// Principals of those keys, from the SHA-224 hashes that openssl makes of their public halves.
const (
	principalEd25519   = "xwoop-qbp2m-pfl33-yj7kn-so7ch-l6x7u-smhrk-qrkmf-zfsfn-qrhhh-5qe"
	principalSecp256k1 = "q4dge-7vvgg-bgkit-jjphp-jcyqx-7dvqu-se3yd-ml3ux-pjyu2-jc4mg-4ae"
	principalP256      = "6f7o5-yfhkh-47pm6-4fsut-lrdeb-jtick-zyie7-yrvc6-mhomq-xfgay-lqe"
)

func TestKeysOfEveryKindAndFormHaveTheirPrincipals(t *testing.T) {
	t.Setenv("CANISTERD_PASSWORD", "secret")
	for name, want := range map[string]Key{
		"ed": {Kind: Ed25519}, "ed-aes": {Kind: Ed25519},
		"k1": {Kind: Secp256k1}, "k1-pkcs8": {Kind: Secp256k1}, "k1-aes": {Kind: Secp256k1}, "k1-scrypt": {Kind: Secp256k1},
		"p256": {Kind: P256}, "p256-pkcs8": {Kind: P256},
	} {
		_, key, err := ReadKey(filepath.Join(keysFolder, name+".pem"))
		wants := map[string]string{Ed25519: principalEd25519, Secp256k1: principalSecp256k1, P256: principalP256}
		if err != nil || key.Kind != want.Kind || key.Principal() != wants[want.Kind] {
			t.Errorf("%s is a key of kind %q (%v), want %s of %s", name, key.Kind, err, want.Kind, wants[want.Kind])
		}
	}
	// openssl writes the parameters of the curve before a key.
	if _, key, err := ReadKey(filepath.Join(keysFolder, "k1params.pem")); err != nil || key.Kind != Secp256k1 {
		t.Errorf("a key behind its curve: %v (%v)", key.Kind, err)
	}
}

func TestKeysThatCannotBeReadSayWhy(t *testing.T) {
	for _, c := range []struct{ name, password, want string }{
		{"rsa", "", "not an Ed25519, secp256k1 or P-256 key"},
		{"k1-aes", "wrong", "wrong password"},
		{"k1-scrypt", "wrong", "wrong password"},
		{"missing", "", "reading the identity"},
	} {
		t.Setenv("CANISTERD_PASSWORD", c.password)
		if _, _, err := ReadKey(filepath.Join(keysFolder, c.name+".pem")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestNewKeysAreDifferentAndOfTheirKind(t *testing.T) {
	for _, kind := range []string{Ed25519, Secp256k1, P256} {
		seen := map[string]bool{}
		for range 2 {
			text, err := NewKey(kind)
			if err != nil {
				t.Fatal(err)
			}
			key, err := ParsePEM(text, nil)
			if err != nil || key.Kind != kind || seen[key.Principal()] {
				t.Errorf("a new key of kind %s is of kind %q (%v), seen before: %t", kind, key.Kind, err, seen[key.Principal()])
			}
			seen[key.Principal()] = true
		}
	}
	if _, err := NewKey("rsa"); err == nil || !strings.Contains(err.Error(), "expected ed25519, secp256k1 or p256") {
		t.Errorf("a new key of kind rsa: %v", err)
	}
}

// What a key signs is checked in the form of the interface specification: 64 bytes, of the SHA-256 for elliptic curves.
func TestKeysSignForNetworks(t *testing.T) {
	message := []byte("\x0aic-request")
	for _, name := range []string{"ed", "k1", "p256"} {
		_, key, err := ReadKey(filepath.Join(keysFolder, name+".pem"))
		if err != nil {
			t.Fatal(err)
		}
		signature, err := key.Sign(message)
		if err != nil || len(signature) != 64 {
			t.Fatalf("%s: %d bytes (%v)", name, len(signature), err)
		}
		if !verifies(t, key, message, signature) || verifies(t, key, message[1:], signature) {
			t.Errorf("%s: the signature is wrong", name)
		}
	}
}

func verifies(t *testing.T, key Key, message, signature []byte) bool {
	t.Helper()
	digest := sha256.Sum256(message)
	if key.Kind == Secp256k1 {
		public, err := secp256k1.ParsePubKey(key.Public()[len(key.Public())-65:])
		if err != nil {
			t.Fatal(err)
		}
		var r, s secp256k1.ModNScalar
		r.SetByteSlice(signature[:32])
		s.SetByteSlice(signature[32:])
		return k1.NewSignature(&r, &s).Verify(digest[:], public)
	}
	public, err := x509.ParsePKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	if p256, is := public.(*ecdsa.PublicKey); is {
		return ecdsa.Verify(p256, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
	}
	return ed25519.Verify(public.(ed25519.PublicKey), message, signature)
}
