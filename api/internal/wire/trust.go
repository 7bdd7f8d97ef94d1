package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/canisterd/canisterd/internal/certify"
)

// Trust holds the root keys on which canister signatures may rest, and a cache of verified signatures by subnets: an
// identity made by a canister shows the same certificate with every request, and checking it takes milliseconds. It also
// joins Ed25519 signatures of concurrent requests. It is safe for concurrent use. A nil *Trust trusts no key.
type Trust struct {
	roots   [][]byte // keys in DER form
	batches ed25519Batches

	mu          sync.Mutex // guards what follows
	seen, older map[[sha256.Size]byte]struct{}
}

// NewTrust trusts root keys in DER form. Errors about a signature are those of the first.
func NewTrust(roots ...[]byte) (*Trust, error) {
	t := new(Trust)
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
	if t.knows(name) {
		return nil
	}
	key, err := certify.ParseSubnetPublicKey(der)
	if err != nil {
		return unreadable("failed to deserialize public key: %v", err)
	}
	if err := key.Verify(append([]byte(certify.DomainStateRoot), root[:]...), sig); err != nil {
		return fmt.Errorf("failed to verify threshold signature: %w", err)
	}
	t.learn(name)
	return nil
}

func nameOf(der []byte, root [32]byte, sig []byte) [sha256.Size]byte {
	text := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(der)+len(root)+len(sig)), uint32(len(der)))
	text = append(append(append(text, der...), root[:]...), sig...)
	return sha256.Sum256(text)
}

func (t *Trust) knows(name [sha256.Size]byte) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.seen[name]; ok {
		return true
	}
	_, ok := t.older[name]
	return ok
}

// learn remembers a signature. At the limit it drops the older half.
func (t *Trust) learn(name [sha256.Size]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil || len(t.seen) >= maxSeenSignatures/2 {
		t.seen, t.older = make(map[[sha256.Size]byte]struct{}), t.seen
	}
	t.seen[name] = struct{}{}
}
