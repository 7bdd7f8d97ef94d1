package state

import (
	"crypto/sha256"
	"encoding/binary"
)

// RandomBeacon is the random beacon of a subnet: blocks of 32 bytes from the instance's seed, in the order of requests.
// It is for tests, not for valuable keys.
type RandomBeacon struct {
	key   [32]byte
	Drawn uint64 // blocks drawn so far
}

// NewRandomBeacon returns the stream for one purpose, named by a label.
func NewRandomBeacon(seed [32]byte, label string) *RandomBeacon {
	return &RandomBeacon{key: sha256.Sum256(append(seed[:], label...))}
}

// Key returns the key from which all bytes are derived: for randomness that is drawn elsewhere, under another label.
func (c *RandomBeacon) Key() [32]byte { return c.key }

// Bytes32 returns the next 32 bytes, the result of raw_rand.
func (c *RandomBeacon) Bytes32() [32]byte {
	c.Drawn++
	return sha256.Sum256(binary.BigEndian.AppendUint64(c.key[:len(c.key):len(c.key)], c.Drawn))
}
