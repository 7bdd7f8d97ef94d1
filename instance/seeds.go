package instance

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"sync/atomic"
)

// SeedBytes is the length of a seed.
const SeedBytes = 32

// seeds gives each instance without a configured seed its own: the first is the daemon's, the others derive from it and
// from the number of seeds given before. So a daemon with a seed gives the same ones at each start.
type seeds struct {
	daemon [SeedBytes]byte
	given  atomic.Uint64
}

// newSeeds starts with a seed, padded with zeros; nil for a random one.
func newSeeds(seed []byte) *seeds {
	s := new(seeds)
	copy(s.daemon[:], seed)
	if len(seed) == 0 {
		_, _ = rand.Read(s.daemon[:]) // never fails
	}
	return s
}

// next returns the seed of an instance without a configured one, and its number.
func (s *seeds) next() (seed [SeedBytes]byte, number uint64) {
	number = s.given.Add(1) - 1
	return s.at(number), number
}

// at returns the seed of a number.
func (s *seeds) at(number uint64) [SeedBytes]byte {
	if number == 0 {
		return s.daemon
	}
	return sha256.Sum256(binary.BigEndian.AppendUint64(append([]byte("canisterd instance"), s.daemon[:]...), number))
}
