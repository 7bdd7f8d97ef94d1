package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Principals of the keys in testdata/keys, from the SHA-224 hashes that openssl makes of their public halves.
const (
	principalEd25519   = "xwoop-qbp2m-pfl33-yj7kn-so7ch-l6x7u-smhrk-qrkmf-zfsfn-qrhhh-5qe"
	principalSecp256k1 = "q4dge-7vvgg-bgkit-jjphp-jcyqx-7dvqu-se3yd-ml3ux-pjyu2-jc4mg-4ae"
	principalP256      = "6f7o5-yfhkh-47pm6-4fsut-lrdeb-jtick-zyie7-yrvc6-mhomq-xfgay-lqe"
)

func TestKeysOfEveryKindAndFormHaveTheirPrincipals(t *testing.T) {
	t.Setenv("CANISTERD_PASSWORD", "secret")
	for name, want := range map[string]public{
		"ed": {kind: kindEd25519}, "ed-aes": {kind: kindEd25519},
		"k1": {kind: kindSecp256k1}, "k1-pkcs8": {kind: kindSecp256k1}, "k1-aes": {kind: kindSecp256k1}, "k1-scrypt": {kind: kindSecp256k1},
		"p256": {kind: kindP256}, "p256-pkcs8": {kind: kindP256},
	} {
		_, key, err := readKey(filepath.Join("testdata", "keys", name+".pem"))
		wants := map[string]string{kindEd25519: principalEd25519, kindSecp256k1: principalSecp256k1, kindP256: principalP256}
		if err != nil || key.kind != want.kind || key.principal() != wants[want.kind] {
			t.Errorf("%s is a key of kind %q (%v), want %s of %s", name, key.kind, err, want.kind, wants[want.kind])
		}
	}
	// openssl writes the parameters of the curve before a key.
	if _, key, err := readKey(filepath.Join("testdata", "keys", "k1params.pem")); err != nil || key.kind != kindSecp256k1 {
		t.Errorf("a key behind its curve: %v (%v)", key.kind, err)
	}
}

func TestKeysThatCannotBeReadSayWhy(t *testing.T) {
	for _, c := range []struct{ name, password, want string }{
		{"rsa", "", "not an Ed25519, secp256k1 or P-256 key"},
		{"k1-aes", "wrong", "the password is not that of the key"},
		{"k1-scrypt", "wrong", "the password is not that of the key"},
		{"missing", "", "reading the identity"},
	} {
		t.Setenv("CANISTERD_PASSWORD", c.password)
		if _, _, err := readKey(filepath.Join("testdata", "keys", c.name+".pem")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestNewKeysAreDifferentAndOfTheirKind(t *testing.T) {
	for _, kind := range []string{kindEd25519, kindSecp256k1, kindP256} {
		seen := map[string]bool{}
		for range 2 {
			text, err := newKey(kind)
			if err != nil {
				t.Fatal(err)
			}
			key, err := parsePEM(text, nil)
			if err != nil || key.kind != kind || seen[key.principal()] {
				t.Errorf("a new key of kind %s is of kind %q (%v), seen before: %t", kind, key.kind, err, seen[key.principal()])
			}
			seen[key.principal()] = true
		}
	}
	if _, err := newKey("rsa"); err == nil || !strings.Contains(err.Error(), "say ed25519, secp256k1 or p256") {
		t.Errorf("a new key of kind rsa: %v", err)
	}
}
