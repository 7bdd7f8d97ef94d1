package state

import (
	"crypto/sha256"
	"encoding/binary"
)

// Chance is the random beacon of a subnet: blocks of 32 bytes from the
// instance's seed, in the order they are asked for. It is chance for tests, not
// for keys of value.
type Chance struct {
	key   [32]byte
	Drawn uint64 // blocks drawn so far
}

// NewChance is the stream for one purpose, named by a label.
func NewChance(seed [32]byte, label string) *Chance {
	return &Chance{key: sha256.Sum256(append(seed[:], label...))}
}

// Key is what all bytes are made of: for randomness that is drawn elsewhere, under a label of its own.
func (c *Chance) Key() [32]byte { return c.key }

// Bytes32 is the next 32 bytes: what raw_rand gives.
func (c *Chance) Bytes32() [32]byte {
	c.Drawn++
	return sha256.Sum256(binary.BigEndian.AppendUint64(c.key[:len(c.key):len(c.key)], c.Drawn))
}
