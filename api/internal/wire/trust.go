package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/canisterd/canisterd/internal/certify"
)

// Trust holds the root keys on which canister signatures may rest, and a cache of verified signatures by subnets: an
// identity made by a canister shows the same certificate with every request, and checking it takes milliseconds. It also
// joins Ed25519 signatures of concurrent requests. It is safe for concurrent use. A nil *Trust trusts no key.
type Trust struct {
	roots   [][]byte // keys in DER form
	batches ed25519Batches
	valid   *Verified
}

// NewTrust trusts root keys in DER form. Errors about a signature are those of the first.
func NewTrust(roots ...[]byte) (*Trust, error) {
	t := &Trust{valid: NewVerified(maxSeenSignatures)}
	for _, der := range roots {
		if _, err := certify.ParseSubnetPublicKey(der); err != nil {
			return nil, err
		}
		t.roots = append(t.roots, der)
	}
	return t, nil
}

// errNoRoot is the error if no root key is trusted.
var errNoRoot = errors.New("no root key is trusted")

// checkSubnet checks the signature of a state root by a subnet's key in DER form.
func (t *Trust) checkSubnet(der []byte, root [32]byte, sig []byte) error {
	name := nameOf(der, root, sig)
	if t.valid.Has(name) {
		return nil
	}
	key, err := certify.ParseSubnetPublicKey(der)
	if err != nil {
		return unreadable("failed to deserialize public key: %v", err)
	}
	if err := key.Verify(append([]byte(certify.DomainStateRoot), root[:]...), sig); err != nil {
		return fmt.Errorf("failed to verify threshold signature: %w", err)
	}
	t.valid.Add(name)
	return nil
}

func nameOf(der []byte, root [32]byte, sig []byte) [sha256.Size]byte {
	text := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(der)+len(root)+len(sig)), uint32(len(der)))
	text = append(append(append(text, der...), root[:]...), sig...)
	return sha256.Sum256(text)
}
