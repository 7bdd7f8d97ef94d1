package replica

import (
	"crypto/sha256"
	"fmt"
)

// StateHash is the SHA-256 of the whole replicated state: memories, queues with their payloads,
// call contexts, futures, deadlines, cycles, rules, and the configuration. Two networks with the
// same hash do the same with the same inputs. It is the hash of what Export writes, so a field
// that a file has cannot be forgotten here. It takes time in proportion to all bytes of the state
// and fails as Export does.
func (n *Network) StateHash() ([32]byte, error) {
	h := sha256.New()
	if err := n.Export(h); err != nil {
		return [32]byte{}, fmt.Errorf("hash the state: %w", err)
	}
	return [32]byte(h.Sum(nil)), nil
}
