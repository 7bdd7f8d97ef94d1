package state

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Chance is the random beacon of a subnet: a stream of bytes from the instance's
// seed, in the order they are asked for. It is not safe for keys of value.
type Chance struct {
	source *rand.ChaCha8
	Drawn  uint64 // bytes drawn so far
}

// NewChance is the stream for one purpose, named by a label.
func NewChance(seed [32]byte, label string) *Chance {
	h := sha256.New()
	h.Write(seed[:])
	h.Write([]byte(label))
	return &Chance{source: rand.NewChaCha8([32]byte(h.Sum(nil)))}
}

// Bytes32 is the next 32 bytes: what raw_rand gives.
func (c *Chance) Bytes32() (out [32]byte) {
	for i := 0; i < len(out); i += 8 {
		binary.LittleEndian.PutUint64(out[i:], c.source.Uint64())
	}
	c.Drawn += uint64(len(out))
	return out
}
