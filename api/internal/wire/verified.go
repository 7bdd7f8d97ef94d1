package wire

import (
	"crypto/sha256"
	"sync"
)

// Verified remembers the hashes of what was verified. It is safe for concurrent use.
type Verified struct {
	limit int

	mu          sync.Mutex // guards what follows
	seen, older map[[sha256.Size]byte]struct{}
}

// NewVerified returns a Verified for a number of hashes.
func NewVerified(limit int) *Verified {
	return &Verified{limit: limit, seen: make(map[[sha256.Size]byte]struct{})}
}

// Has reports whether a hash is remembered.
func (v *Verified) Has(hash [sha256.Size]byte) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, ok := v.seen[hash]; ok {
		return true
	}
	_, ok := v.older[hash]
	return ok
}

// Add remembers a hash. At the limit it drops the older half.
func (v *Verified) Add(hash [sha256.Size]byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.seen) >= v.limit/2 {
		v.seen, v.older = make(map[[sha256.Size]byte]struct{}), v.seen
	}
	v.seen[hash] = struct{}{}
}
