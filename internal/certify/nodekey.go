package certify

import (
	"bytes"
	"crypto/ed25519"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// ed25519DERPrefix precedes the 32 bytes of a key in DER (RFC 8410).
const ed25519DERPrefix = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"

// NodeKeyDERLen is the length of a node's public key in DER form.
const NodeKeyDERLen = len(ed25519DERPrefix) + ed25519.PublicKeySize

// NodeKey signs query responses for a node, with Ed25519. It is immutable.
type NodeKey struct {
	secret ed25519.PrivateKey
	der    string
	id     principal.Principal
}

// NewNodeKey returns the node key of a seed.
func NewNodeKey(seed Seed) *NodeKey {
	secret := ed25519.NewKeyFromSeed(seed.expand("node key, Ed25519", ed25519.SeedSize))
	der := ed25519DERPrefix + string(secret.Public().(ed25519.PublicKey))
	return &NodeKey{secret, der, principal.SelfAuthenticating([]byte(der))}
}

// DER returns the public key in DER form, NodeKeyDERLen bytes: the value at
// /subnet/{id}/node/{id}/public_key.
func (k *NodeKey) DER() []byte { return []byte(k.der) }

// Principal returns the node's id: the self-authenticating principal of its key.
func (k *NodeKey) Principal() principal.Principal { return k.id }

// Sign returns the Ed25519 signature of the message.
func (k *NodeKey) Sign(message []byte) []byte { return ed25519.Sign(k.secret, message) }

// VerifyNodeSignature checks a signature against a node's public key in DER
// form.
func VerifyNodeSignature(der, message, signature []byte) error {
	if len(der) != NodeKeyDERLen || !bytes.HasPrefix(der, []byte(ed25519DERPrefix)) {
		return fmt.Errorf("read a node public key: want %d bytes of DER that begin as an Ed25519 key does, got %d bytes", NodeKeyDERLen, len(der))
	}
	if !ed25519.Verify(der[len(ed25519DERPrefix):], message, signature) {
		return errSignature
	}
	return nil
}
