package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"

	"github.com/canisterd/canisterd/candid/principal"
)

// readKey reads an Ed25519 private key in PKCS #8 form from a PEM file, as
// `openssl genpkey -algorithm ed25519` writes it.
func readKey(path string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the identity: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("the identity %s is not a PEM file", path)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the identity %s: %w", path, err)
	}
	private, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("the identity %s holds a %T: make one with openssl genpkey -algorithm ed25519", path, key)
	}
	return private, nil
}

// principalOf is the principal that belongs to a key (interface specification, "Principals").
func principalOf(key ed25519.PrivateKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return "", fmt.Errorf("encoding the public key: %w", err)
	}
	return principal.SelfAuthenticating(der).String(), nil
}
