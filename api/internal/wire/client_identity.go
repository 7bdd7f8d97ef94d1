package wire

import (
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/candid/principal"
)

// Identity is the identity of a client: anonymous, the owner of a key, or the owner of a key with a delegation. The
// zero value is anonymous.
type Identity struct {
	root  []byte // the sender's key, in DER form
	key   []byte // the key that signs, in DER form
	sign  Signer
	chain [][]byte // signed delegations from root to key, encoded
}

// Signer signs a message, and does any hashing itself.
type Signer func(message []byte) ([]byte, error)

// NewIdentity returns the identity of the owner of a key in DER form.
func NewIdentity(der []byte, sign Signer) Identity {
	return Identity{root: der, key: der, sign: sign}
}

// NewEd25519Identity returns the identity of the owner of an Ed25519 key.
func NewEd25519Identity(key ed25519.PrivateKey) (Identity, error) {
	if len(key) != ed25519.PrivateKeySize {
		return Identity{}, fmt.Errorf("an Ed25519 private key has %d bytes, got %d", ed25519.PrivateKeySize, len(key))
	}
	der := append([]byte(ed25519Prefix), key.Public().(ed25519.PublicKey)...)
	return NewIdentity(der, func(message []byte) ([]byte, error) {
		return ed25519.Sign(key, message), nil
	}), nil
}

// Sender returns the principal that sends the requests.
func (id Identity) Sender() principal.Principal {
	if id.sign == nil {
		return principal.Anonymous
	}
	return principal.SelfAuthenticating(id.root)
}

// DelegationTerms limit a delegation.
type DelegationTerms struct {
	// Expiration is in nanoseconds since 1970.
	Expiration uint64
	// Targets are the canisters it is valid for; nil means all.
	Targets []principal.Principal
	// Permissions is PermitQueries, PermitAll, or "" to omit it.
	Permissions string
}

// Delegate lets the key of to sign as id (interface specification, "Authentication", sender_delegation). to must not
// have a delegation itself.
func (id Identity) Delegate(to Identity, terms DelegationTerms) (Identity, error) {
	if id.sign == nil || to.sign == nil {
		return Identity{}, errors.New("the anonymous identity can neither delegate nor be delegated to: it has no key")
	}
	if len(to.chain) > 0 {
		return Identity{}, errors.New("delegate to a key, not to an identity that speaks through delegations")
	}
	encoded := terms.encode(to.key)
	it, err := document(encoded)
	if err != nil {
		return Identity{}, fmt.Errorf("encoding a delegation: %w", err)
	}
	hash, err := hashOf(&it)
	if err != nil {
		return Identity{}, fmt.Errorf("hashing a delegation: %w", err)
	}
	sig, err := id.sign(signedBytes(domainDelegation, hash))
	if err != nil {
		return Identity{}, fmt.Errorf("signing a delegation: %w", err)
	}
	signed := append(appendText(appendMap(nil, 2), "delegation"), encoded...)
	signed = appendBlobField(signed, "signature", sig)
	chain := append(append([][]byte{}, id.chain...), signed)
	return Identity{root: id.root, key: to.key, sign: to.sign, chain: chain}, nil
}

func (t DelegationTerms) encode(key []byte) []byte {
	pairs := 2
	if t.Targets != nil {
		pairs++
	}
	if t.Permissions != "" {
		pairs++
	}
	dst := appendBlobField(appendMap(nil, pairs), "pubkey", key)
	dst = appendNatField(dst, "expiration", t.Expiration)
	if t.Targets != nil {
		dst = appendArray(appendText(dst, "targets"), len(t.Targets))
		for _, p := range t.Targets {
			dst = appendBlob(dst, p.Bytes())
		}
	}
	if t.Permissions != "" {
		dst = appendTextField(dst, "permissions", t.Permissions)
	}
	return dst
}

// appendAuth appends the envelope's fields other than the content.
func (id Identity) appendAuth(dst, sig []byte) []byte {
	dst = appendBlobField(dst, "sender_pubkey", id.root)
	dst = appendBlobField(dst, "sender_sig", sig)
	if len(id.chain) > 0 {
		dst = appendArray(appendText(dst, "sender_delegation"), len(id.chain))
		for _, signed := range id.chain {
			dst = append(dst, signed...)
		}
	}
	return dst
}
